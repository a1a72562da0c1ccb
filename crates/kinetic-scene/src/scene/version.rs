//! Content version of a scene: a hash of its content.
//!
//! Objects are hashed one by one when they are added or moved, and their hashes are summed, so that an edit of one costs
//! the same whatever the number of the others. The other content is small, and hashed when the version is queried.

use kinetic_core::{ContentHash, ContentHasher, Payload};
use kinetic_robot::{PlanningGroup, Robot, SelfCollisionPairs};

use super::{Object, Scene};

impl Object {
    /// Hash of name, shape and pose.
    pub(super) fn hash(&self, name: &str) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text(name);
        hasher.hash(self.prepared.hash);
        hasher.pose(&self.pose);
        hasher.finish()
    }
}

impl Scene {
    /// Identifies the content: robot, objects, carried bodies, pairs that may touch, margins and held joints. Scenes of the
    /// same version hold the same, to the last bit (the robot to 1e-9), whatever edits and files they come from; two clones
    /// that were edited differently have different versions.
    ///
    /// It finds accidents, not forgeries; see [`kinetic_core::content_hash`].
    pub fn version(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.hash(*self.rest_hash.get_or_init(|| self.hash_of_rest()));
        hasher.hash(self.objects_hash.finish());
        hasher.finish()
    }

    fn hash_of_rest(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        add_robot(&mut hasher, &self.content.robot);
        hasher.integer(self.unscaled.key());
        for (name, body) in self.attached() {
            hasher.text("attached");
            hasher.text(name);
            hasher.hash(body.shape_hash());
            hasher.pose(&body.link_from_shape);
            hasher.integer(body.link as u64);
            hasher.integer(body.touch_links.len() as u64);
            body.touch_links.iter().for_each(|link| hasher.integer(*link as u64));
            if let Some(Payload { mass, com, inertia }) = &body.payload {
                hasher.text("payload");
                hasher.number(*mass);
                hasher.numbers(com.as_slice());
                hasher.numbers(inertia.as_slice());
            }
        }
        self.add_rules(&mut hasher);
        hasher.text("held");
        hasher.numbers(self.held());
        hasher.finish()
    }

    fn add_rules(&self, hasher: &mut ContentHasher) {
        for (a, b) in self.allowed().pairs() {
            for text in ["allowed", a, b] {
                hasher.text(text);
            }
        }
        for name in self.ghosts() {
            hasher.text("ghost");
            hasher.text(name);
        }
        let mut add = |texts: &[&str], value: f64| {
            for text in texts {
                hasher.text(text);
            }
            hasher.number(value);
        };
        let margins = self.margins();
        margins.pairs().for_each(|(a, b, value)| add(&["margin of a pair", a, b], value));
        margins.names().for_each(|(name, side, value)| add(&["margin", name, side.name()], value));
        margins.paddings().for_each(|(name, value)| add(&["padding", name], value));
        margins.scales().for_each(|(link, factor)| add(&["scale", link], factor));
    }
}

/// Adds the data of the robot that the key of its geometry does not cover: names, limits, groups, and collision settings.
fn add_robot(hasher: &mut ContentHasher, robot: &Robot) {
    hasher.text(&robot.name);
    let names = robot.links.iter().map(|link| &link.name).chain(robot.joints.iter().map(|joint| &joint.name));
    names.for_each(|name| hasher.text(name));
    for limits in &robot.joint_limits {
        hasher.numbers(&[limits.lower, limits.upper, limits.velocity]);
        for limit in [limits.acceleration, limits.jerk] {
            hasher.numbers(limit.as_slice());
        }
    }
    robot.groups.iter().for_each(|group| add_group(hasher, group));
    hasher.integer(robot.default_group as u64);
    hasher.number(robot.collision.padding);
    hasher.integer(u64::from(robot.collision.self_collision_pairs == SelfCollisionPairs::None));
    robot.collision.skip_pairs.iter().for_each(|pair| {
        hasher.integer(pair.links.0 as u64);
        hasher.integer(pair.links.1 as u64);
    });
}

fn add_group(hasher: &mut ContentHasher, group: &PlanningGroup) {
    hasher.text(&group.name);
    hasher.integer(group.base_link as u64);
    hasher.integer(group.tip_link as u64);
    hasher.integer(group.variables.len() as u64);
    group.variables.iter().for_each(|variable| hasher.integer(*variable as u64));
    hasher.pose(&group.tip_from_tcp);
}
