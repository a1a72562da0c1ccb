//! A cell: several robots as one tree of links, on one root.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result};
use nalgebra::Vector3;

use crate::model::{
    CollisionSettings, EndEffector, IkPreference, Joint, JointDynamics, JointType, Link, Mimic, NamedPose,
    PlanningGroup, Provenance, SelfCollisionPairs, SkipPair,
};
use crate::precomputed::Precomputed;
use crate::robot::Robot;

/// Name of the root of a cell.
const WORLD: &str = "world";

/// A robot of a cell.
#[derive(Debug, Clone, Copy)]
pub struct CellMember<'a> {
    /// Stands before all names of the robot.
    pub prefix: &'a str,
    /// The robot.
    pub robot: &'a Robot,
    /// Where its root link stands.
    pub world_from_root: Pose,
}

impl Robot {
    /// Several robots as one. The root is a link `world` without shapes; names of links, joints, groups and end effectors get the
    /// prefix of their robot. Configurations list the joints of the robots one after the other. Groups and named poses are
    /// those of the robots, and the default group is that of the first one.
    ///
    /// Pairs of links of different robots are all checked for collisions.
    ///
    /// ```
    /// use kinetic_core::Pose;
    /// use kinetic_robot::{CellMember, Robot};
    ///
    /// let arm = Robot::from_name("ur5e")?;
    /// let at = |prefix, y| CellMember { prefix, robot: &arm, world_from_root: Pose::from_xyz(0.0, y, 0.0) };
    /// let cell = Robot::compose("cell", &[at("left_", 0.5), at("right_", -0.5)])?;
    /// assert_eq!(cell.resolve_group("left_arm+right_arm")?.dof(), 12);
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no robot, or names that two robots share; [`KineticError::NotFinite`] for a pose.
    pub fn compose(name: &str, members: &[CellMember<'_>]) -> Result<Self> {
        if members.is_empty() {
            return Err(KineticError::invalid("robots of a cell", "none", "at least one"));
        }
        let mut cell = empty(name);
        for member in members {
            member.world_from_root.check_finite(&format!("base pose of robot \"{}\"", member.prefix))?;
            cell.add(member);
        }
        let names = cell.links.iter().map(|link| &link.name).chain(cell.joints.iter().map(|joint| &joint.name));
        check_different("link and joint names", &names.collect::<Vec<_>>())?;
        check_different("group names", &cell.groups.iter().map(|group| &group.name).collect::<Vec<_>>())?;
        cell.ik_preference = common(members.iter().map(|member| &member.robot.ik_preference)).unwrap_or_default();
        cell.collision.normalise();
        cell.set_default_group(members[0].robot.default_group);
        Ok(cell)
    }

    fn add(&mut self, member: &CellMember<'_>) {
        let CellMember { prefix, robot, world_from_root } = *member;
        let offset = Offsets::of(self, prefix);
        self.joints.push(Joint {
            name: format!("{prefix}{WORLD}_joint"),
            joint_type: JointType::Fixed,
            parent: 0,
            child: offset.links,
            parent_from_joint: world_from_root,
            axis: Vector3::x_axis(),
            limits: None,
            mimic: None,
            dynamics: JointDynamics::default(),
            variable: None,
        });
        self.links.extend(robot.links.iter().map(|link| offset.link(link)));
        self.joints.extend(robot.joints.iter().map(|joint| offset.joint(joint)));
        self.add_weights(robot);
        self.active_joints.extend(robot.active_joints.iter().map(|joint| joint + offset.joints));
        self.joint_limits.extend_from_slice(&robot.joint_limits);
        self.groups.extend(robot.groups.iter().map(|group| offset.group(group)));
        self.end_effectors.extend(robot.end_effectors.iter().map(|end_effector| offset.end_effector(end_effector)));
        let pose = |pose: &NamedPose| NamedPose { group: pose.group + offset.groups, ..pose.clone() };
        self.named_poses.extend(robot.named_poses.iter().map(pose));
        self.add_collision(&robot.collision, offset.links);
        self.add_balls(robot, offset.links);
        if robot.provenance.acceleration_source != self.provenance.acceleration_source {
            "default".clone_into(&mut self.provenance.acceleration_source);
        }
        self.notes.extend(robot.notes.iter().map(|note| format!("{prefix}{}: {note}", robot.name)));
    }

    /// Weights of 1 stand for those of robots that state none.
    fn add_weights(&mut self, robot: &Self) {
        if self.joint_weights.is_empty() && robot.joint_weights.is_empty() {
            return;
        }
        let before = self.active_joints.len();
        self.joint_weights.resize(before, 1.0);
        self.joint_weights.extend_from_slice(&robot.joint_weights);
        self.joint_weights.resize(before + robot.active_joints.len(), 1.0);
    }

    /// Links without balls in the model get theirs from their shapes.
    fn add_balls(&mut self, robot: &Self, links: usize) {
        if self.sphere_model.is_none() && robot.sphere_model.is_none() {
            return;
        }
        let mut all = self.sphere_model.take().unwrap_or_default();
        all.resize(links, Vec::new());
        all.extend(robot.sphere_model.iter().flatten().cloned());
        all.resize(links + robot.links.len(), Vec::new());
        self.sphere_model = Some(all);
    }

    fn add_collision(&mut self, own: &CollisionSettings, links: usize) {
        let settings = &mut self.collision;
        if own.self_collision_pairs == SelfCollisionPairs::Auto {
            settings.self_collision_pairs = SelfCollisionPairs::Auto;
        }
        // One number for all links: the larger is safe.
        settings.padding = settings.padding.max(own.padding);
        let moved = |pair: &SkipPair| SkipPair { links: (pair.links.0 + links, pair.links.1 + links), ..pair.clone() };
        settings.skip_pairs.extend(own.skip_pairs.iter().map(moved));
        Arc::<Precomputed>::make_mut(&mut settings.precomputed).merge(&own.precomputed);
    }
}

fn empty(name: &str) -> Robot {
    let world = Link {
        name: WORLD.to_owned(),
        parent_joint: None,
        inertial: None,
        visuals: Vec::new(),
        collisions: Vec::new(),
    };
    Robot {
        name: name.to_owned(),
        dof: 0,
        links: vec![world],
        joints: Vec::new(),
        active_joints: Vec::new(),
        joint_limits: Vec::new(),
        joint_weights: Vec::new(),
        groups: Vec::new(),
        default_group: 0,
        end_effectors: Vec::new(),
        named_poses: Vec::new(),
        collision: CollisionSettings { self_collision_pairs: SelfCollisionPairs::None, ..CollisionSettings::default() },
        ik_preference: IkPreference::default(),
        sphere_model: None,
        // Options are those of one robot: lists per joint have its length.
        profiles: BTreeMap::new(),
        provenance: Provenance { acceleration_source: "published".to_owned(), ..Provenance::default() },
        notes: Vec::new(),
    }
}

/// How far the indices of a robot move, and what its names get in front.
struct Offsets<'a> {
    prefix: &'a str,
    links: usize,
    joints: usize,
    variables: usize,
    groups: usize,
}

impl<'a> Offsets<'a> {
    fn of(cell: &Robot, prefix: &'a str) -> Self {
        // The joint that carries the root stands before the others.
        let (links, joints) = (cell.links.len(), cell.joints.len() + 1);
        Self { prefix, links, joints, variables: cell.active_joints.len(), groups: cell.groups.len() }
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn link(&self, link: &Link) -> Link {
        let parent_joint = Some(link.parent_joint.map_or(self.joints - 1, |joint| joint + self.joints));
        Link { name: self.name(&link.name), parent_joint, ..link.clone() }
    }

    fn joint(&self, joint: &Joint) -> Joint {
        Joint {
            name: self.name(&joint.name),
            parent: joint.parent + self.links,
            child: joint.child + self.links,
            mimic: joint.mimic.map(|mimic| Mimic { joint: mimic.joint + self.joints, ..mimic }),
            variable: joint.variable.map(|variable| variable + self.variables),
            ..joint.clone()
        }
    }

    fn group(&self, group: &PlanningGroup) -> PlanningGroup {
        PlanningGroup {
            name: self.name(&group.name),
            base_link: group.base_link + self.links,
            tip_link: group.tip_link + self.links,
            joints: group.joints.iter().map(|joint| joint + self.joints).collect(),
            variables: group.variables.iter().map(|variable| variable + self.variables).collect(),
            tip_from_tcp: group.tip_from_tcp,
        }
    }

    fn end_effector(&self, end_effector: &EndEffector) -> EndEffector {
        EndEffector {
            name: self.name(&end_effector.name),
            parent_link: end_effector.parent_link + self.links,
            parent_group: end_effector.parent_group.map(|group| group + self.groups),
            group: end_effector.group.map(|group| group + self.groups),
            grasp_frame: end_effector.grasp_frame,
        }
    }
}

fn check_different(what: &str, names: &[&String]) -> Result<()> {
    let mut sorted = names.to_vec();
    sorted.sort();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(KineticError::invalid(what, format!("\"{}\" twice", pair[0]), "prefixes that make names differ"))
        }
        None => Ok(()),
    }
}

/// The value, where all are the same.
fn common<'a, T: Clone + PartialEq + 'a>(mut values: impl Iterator<Item = &'a T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then(|| first.clone())
}
