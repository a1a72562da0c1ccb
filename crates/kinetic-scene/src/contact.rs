//! Plain contact questions about one scene, asked again and again.

use kinetic_core::error::check_finite;
use kinetic_core::{JointLimits, Result};

use crate::checker::Checker;
use crate::margins::Margins;
use crate::pairs::LIMIT_ROOM;
use crate::scene::Scene;

/// Says what touches in a scene as it was when this was made; without margins, for configurations of the default group.
///
/// What [`Scene::check_collision`] compiles for every question is compiled here once: a checker for configurations inside
/// the joint limits, and when one outside is asked about, another for any.
#[derive(Debug, Clone)]
pub struct ContactChecker {
    scene: Scene,
    limits: Vec<JointLimits>,
    inside: Checker,
    anywhere: Option<Checker>,
}

impl Scene {
    /// Compiles the scene for plain contact questions about its default group.
    ///
    /// # Errors
    /// As [`checker`](Self::checker).
    pub fn contact_questions(&self) -> Result<ContactChecker> {
        let robot = self.robot();
        let group = &robot.groups[robot.default_group];
        Ok(ContactChecker {
            scene: self.clone(),
            limits: group.variables.iter().map(|variable| robot.joint_limits[*variable]).collect(),
            inside: self.checker_within(&group.name, Margins::ZERO, None)?,
            anywhere: None,
        })
    }
}

impl ContactChecker {
    /// True when anything touches at `q`: in the length of the group, or, compiled anew, of the robot.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
    pub fn check_collision(&mut self, q: &[f64]) -> Result<bool> {
        if q.len() != self.limits.len() {
            // A copy of the scene, which also reads vectors of the robot's length.
            return self.scene.check_collision(q);
        }
        check_finite("joint vector", q)?;
        let is_inside = self.limits.iter().zip(q).all(|(limits, value)| limits.contains(*value, LIMIT_ROOM));
        let checker = if is_inside { &mut self.inside } else { self.anywhere()? };
        Ok(!checker.is_free(q))
    }

    fn anywhere(&mut self) -> Result<&mut Checker> {
        let checker = if let Some(checker) = self.anywhere.take() {
            checker
        } else {
            let robot = self.scene.robot();
            self.scene.checker(&robot.groups[robot.default_group].name, Margins::ZERO)?
        };
        Ok(self.anywhere.insert(checker))
    }
}
