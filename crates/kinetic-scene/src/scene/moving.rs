//! Moving several objects together.

use std::collections::BTreeSet;

use kinetic_core::{KineticError, Pose, Result};

use super::Scene;

impl Scene {
    /// Moves objects together, as one rigid body: all or none. `moved_from_standing` is where they go, in the root frame: an
    /// object at `root_from_shape` goes to `moved_from_standing · root_from_shape`.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`], [`KineticError::InvalidValue`] for a name that stands twice, [`KineticError::NotFinite`].
    pub fn move_objects(&mut self, names: &[&str], moved_from_standing: impl Into<Pose>) -> Result<()> {
        let motion = moved_from_standing.into();
        motion.check_finite("motion of objects")?;
        let mut seen = BTreeSet::new();
        let mut poses = Vec::with_capacity(names.len());
        for name in names {
            if !seen.insert(name) {
                return Err(KineticError::invalid("object that moves", format!("\"{name}\" twice"), "each name once"));
            }
            let pose = motion * self.object(name)?.pose;
            pose.check_finite(&format!("pose of object \"{name}\""))?;
            poses.push(pose);
        }
        for (name, pose) in names.iter().zip(poses) {
            self.update_pose(name, pose)?;
        }
        Ok(())
    }
}
