//! The scalar twin as a checker.

use kinetic_core::error::check_len;
use kinetic_core::{ContentHash, Control, Result};
use kinetic_scene::{BatchCollisionChecker, Clearance, Margins, Scene};

use super::{CollisionOptions, SceneSnapshot, batch_methods, check_control};
use crate::twin::kinematics::PlacedFrame;

/// Configurations between two looks at the control.
const ROWS_PER_LOOK: usize = 1 << 10;

/// As [`GpuCollisionChecker`](super::GpuCollisionChecker), on one thread of the processor: the same arithmetic in the same order.
///
/// It is what the shader is compared with, and stands in where there is no device.
#[derive(Debug, Clone)]
pub struct CpuCollisionChecker {
    snapshot: SceneSnapshot,
    control: Option<Control>,
    frames: Vec<PlacedFrame>,
    out: Vec<f32>,
}

impl CpuCollisionChecker {
    /// For a planning group of a scene as it is now.
    ///
    /// # Errors
    /// As [`Scene::checker`], and [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options out of their domain.
    pub fn new(scene: &Scene, group: &str, margins: Margins, options: CollisionOptions) -> Result<Self> {
        let snapshot = SceneSnapshot::new(scene, group, margins, options)?;
        Ok(Self { snapshot, control: None, frames: Vec::new(), out: Vec::new() })
    }

    /// Follows the scene to another version; false when it is the version that it has.
    ///
    /// # Errors
    /// As [`new`](Self::new); the checker then stays as it was.
    pub fn update(&mut self, scene: &Scene) -> Result<bool> {
        let updated = self.snapshot.updated(scene)?;
        Ok(updated.map(|snapshot| self.snapshot = snapshot).is_some())
    }

    fn answers(&mut self, packed: &[f32], with_gradient: bool) -> Result<()> {
        let scene = &self.snapshot.packed;
        let (dof, width) = (scene.robot.num_variables().max(1), scene.floats_per_row(with_gradient));
        self.frames.resize(scene.robot.num_frames(), PlacedFrame::root());
        self.out.clear();
        self.out.resize(packed.len() / dof * width, 0.0);
        let arrays = scene.arrays();
        for (row, (q, out)) in packed.chunks_exact(dof).zip(self.out.chunks_exact_mut(width)).enumerate() {
            if row.is_multiple_of(ROWS_PER_LOOK) {
                check_control(self.control.as_ref(), row)?;
            }
            arrays.answer(q, &mut self.frames, out);
        }
        Ok(())
    }
}

batch_methods!(CpuCollisionChecker, Result);
