//! Content hash of a model: what a claim about efforts is bound to.

use kinetic_core::{ContentHash, ContentHasher};

use crate::model::DynamicsModel;

/// Numbers are compared to this: what files and other machines round differently is the same.
const RESOLUTION: f64 = 1e-9;

fn add(hasher: &mut ContentHasher, values: impl IntoIterator<Item = f64>) {
    // Without the sign of a zero.
    values.into_iter().for_each(|value| hasher.number((value / RESOLUTION).round() + 0.0));
}

impl DynamicsModel {
    /// Identifies what efforts depend on, numbers to 1e-9: joints, where they are and how they follow each other, inertias with
    /// all payloads, rotors, damping and friction, effort limits, gravity, and the motion of the base.
    pub fn content_hash(&self) -> ContentHash {
        self.content_hash_under(self.effort_limits())
    }

    /// As [`content_hash`](Self::content_hash), under other effort limits.
    pub(crate) fn content_hash_under(&self, limits: &[f64]) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text("dynamics");
        self.joint_names().iter().for_each(|name| hasher.text(name));
        self.add_bodies(&mut hasher);
        hasher.integer(u64::from(self.has_friction()));
        for joint in self.resistances() {
            add(&mut hasher, [joint.armature, joint.damping, joint.friction]);
        }
        add(&mut hasher, limits.iter().copied());
        let base = self.base_motion();
        for vector in [self.gravity(), &base.acceleration, &base.angular_velocity, &base.angular_acceleration] {
            add(&mut hasher, vector.iter().copied());
        }
        hasher.finish()
    }

    fn add_bodies(&self, hasher: &mut ContentHasher) {
        for frame in self.program().frames() {
            hasher.integer(frame.parent as u64);
            hasher.integer(frame.motion as u64);
            hasher.integer(frame.variable as u64);
            add(hasher, [frame.multiplier, frame.offset]);
            add(hasher, frame.parent_from_frame.rotation.iter().copied());
            add(hasher, frame.parent_from_frame.translation.iter().copied());
        }
        for inertia in self.inertias() {
            add(hasher, [inertia.mass]);
            add(hasher, inertia.moment.iter().chain(&inertia.inertia).copied());
        }
    }
}
