//! Least slacks of batches of configurations, on a device and, by the scalar twin, on the processor.

mod cpu;
mod device;
mod gpu;

pub use cpu::CpuCollisionChecker;
pub use device::DeviceCollisionChecker;
pub use gpu::GpuCollisionChecker;

use kinetic_core::error::check_len;
use kinetic_core::{ContentHash, Control, KineticError, Result};
use kinetic_scene::{Margins, Scene};

use crate::layout;
use crate::packed_scene::PackedScene;

/// The text of the shader.
pub(crate) fn text() -> String {
    layout::with_tightest_pair(include_str!("shaders/fk_collide.wgsl"))
}

/// How a scene is prepared for a batch checker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollisionOptions {
    /// Distance of the nodes of voxel grids, m: for obstacles without a closed form, whose distances are lower by up to 0.87
    /// (half the diagonal of a cell) to 1.73 of it. Shapes that would need more than 2²¹ nodes have a coarser grid.
    pub resolution: f64,
}

impl Default for CollisionOptions {
    fn default() -> Self {
        Self { resolution: 0.02 }
    }
}

impl CollisionOptions {
    /// # Errors
    /// [`KineticError::InvalidValue`] for a resolution that is none.
    pub(crate) fn check(self) -> Result<()> {
        if self.resolution.is_finite() && self.resolution > 0.0 {
            return Ok(());
        }
        Err(KineticError::invalid("resolution", self.resolution, "a positive finite number (m)"))
    }
}

/// A scene as arrays for one group and two margins, and how they are kept up to date.
#[derive(Debug, Clone)]
pub(crate) struct SceneSnapshot {
    pub(crate) packed: PackedScene,
    pub(crate) group: String,
    pub(crate) margins: Margins,
    options: CollisionOptions,
    pub(crate) version: ContentHash,
}

impl SceneSnapshot {
    pub(crate) fn new(scene: &Scene, group: &str, margins: Margins, options: CollisionOptions) -> Result<Self> {
        options.check()?;
        let checker = scene.checker(group, margins)?;
        let packed = PackedScene::new(checker.model(), options.resolution, &[])?;
        Ok(Self { packed, group: group.to_owned(), margins, options, version: scene.version() })
    }

    /// The arrays of another version of the scene; `None` when it is the same version.
    pub(crate) fn updated(&self, scene: &Scene) -> Result<Option<Self>> {
        let version = scene.version();
        if version == self.version {
            return Ok(None);
        }
        let checker = scene.checker(&self.group, self.margins)?;
        let packed = PackedScene::new(checker.model(), self.options.resolution, self.packed.grids())?;
        Ok(Some(Self { packed, version, group: self.group.clone(), ..*self }))
    }

    /// Checks a batch against the number of its results, and packs it.
    fn pack(&self, configurations: &[f64], results: usize) -> Result<Vec<f32>> {
        let wanted = results * self.packed.robot.num_variables();
        check_len(&format!("batch of configurations of group \"{}\"", self.group), configurations.len(), wanted)?;
        self.packed.robot.pack_configurations(configurations)
    }

    /// Writes slacks, and gradients where there is room for them, from answers.
    fn write(&self, answers: &[f32], slacks: &mut [f64], gradients: Option<&mut [f64]>) {
        let dof = self.packed.robot.num_variables();
        let width = self.packed.floats_per_row(gradients.is_some());
        for (answer, slack) in answers.chunks_exact(width).zip(slacks) {
            *slack = self.packed.slack(answer);
        }
        let Some(gradients) = gradients else { return };
        for (answer, gradient) in answers.chunks_exact(width).zip(gradients.chunks_exact_mut(dof.max(1))) {
            let derivatives = &answer[layout::NEAREST_FLOATS..];
            gradient.iter_mut().zip(derivatives).for_each(|(out, value)| *out = f64::from(*value));
        }
    }
}

/// # Errors
/// That of the control, once it is over.
fn check_control(control: Option<&Control>, rows: usize) -> Result<()> {
    control.map_or(Ok(()), |control| control.check(rows as u64))
}

/// The methods that both checkers have, over their `answers(&packed, with_gradient)`.
macro_rules! batch_methods {
    ($checker:ident, $result:ident) => {
        impl $checker {
            /// The scene that it was made of, or last updated to.
            pub fn version(&self) -> ContentHash {
                self.snapshot.version
            }

            /// The planning group of its configurations.
            pub fn group(&self) -> &str {
                &self.snapshot.group
            }

            /// The general margins; the scene's own, and paddings, go before them.
            pub fn margins(&self) -> Margins {
                self.snapshot.margins
            }

            /// How the scene is prepared.
            pub fn options(&self) -> CollisionOptions {
                self.snapshot.options
            }

            /// What is taken off every slack, m: more than single precision is off by for a robot and a world of this size.
            pub fn rounding(&self) -> f64 {
                self.snapshot.packed.rounding
            }

            /// A control that is looked at every few thousand configurations; with `None` no call is ended.
            pub fn obey(&mut self, control: Option<&Control>) {
                self.control = control.cloned();
            }

            /// The tightest pair of each configuration (row after row).
            ///
            /// # Errors
            /// Those of [`slacks_into`](BatchCollisionChecker::slacks_into).
            pub fn clearances(&mut self, configurations: &[f64]) -> $result<Vec<Clearance>> {
                let rows = configurations.len() / self.dof().max(1);
                let packed = self.snapshot.pack(configurations, rows)?;
                self.answers(&packed, false)?;
                let width = self.snapshot.packed.floats_per_row(false);
                Ok(self.out.chunks_exact(width).map(|answer| self.snapshot.packed.clearance(answer)).collect())
            }
        }

        impl BatchCollisionChecker for $checker {
            fn dof(&self) -> usize {
                self.snapshot.packed.robot.num_variables()
            }

            fn free_into(&mut self, configurations: &[f64], free: &mut [bool]) -> Result<()> {
                let mut slacks = vec![0.0; free.len()];
                self.slacks_into(configurations, &mut slacks)?;
                free.iter_mut().zip(slacks).for_each(|(free, slack)| *free = slack > 0.0);
                Ok(())
            }

            fn slacks_into(&mut self, configurations: &[f64], slacks: &mut [f64]) -> Result<()> {
                let packed = self.snapshot.pack(configurations, slacks.len())?;
                self.answers(&packed, false)?;
                self.snapshot.write(&self.out, slacks, None);
                Ok(())
            }

            fn gradients_into(
                &mut self,
                configurations: &[f64],
                slacks: &mut [f64],
                gradients: &mut [f64],
            ) -> Result<()> {
                let packed = self.snapshot.pack(configurations, slacks.len())?;
                check_len("gradients of a batch", gradients.len(), configurations.len())?;
                self.answers(&packed, true)?;
                self.snapshot.write(&self.out, slacks, Some(gradients));
                Ok(())
            }
        }
    };
}

use batch_methods;
