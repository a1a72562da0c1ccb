//! Which answers of inverse kinematics are wanted.

use kinetic::scene::{Margins, Scene};

use crate::error::Result;
use crate::robot::Model;

/// Which answers are wanted: all, or those without collision in a scene.
pub(crate) struct Acceptance(Option<(Scene, Margins)>);

impl Acceptance {
    pub(crate) fn new(model: &Model, scene: Option<Scene>, margins: Margins) -> Result<Self> {
        let of_robot = |scene: Scene| -> Result<_> { Ok((scene.with_robot(&model.robot)?, margins)) };
        Ok(Self(scene.map(of_robot).transpose()?))
    }

    /// The scene with the group of its robot and the margins, where there is one.
    pub(crate) fn scene(&self) -> Option<(&Scene, &str, Margins)> {
        let (scene, margins) = self.0.as_ref()?;
        let robot = scene.robot();
        Some((scene, &robot.groups[robot.default_group].name, *margins))
    }

    pub(crate) fn takes(&self, q: &[f64]) -> kinetic::core::Result<bool> {
        self.0.as_ref().map_or(Ok(true), |(scene, margins)| Ok(scene.are_free(q, q.len(), *margins)? == [true]))
    }
}
