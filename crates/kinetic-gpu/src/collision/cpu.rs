//! The scalar twin as a checker.

use kinetic_core::error::check_len;
use kinetic_core::parallel::in_chunks;
use kinetic_core::{ContentHash, Control, Result};
use kinetic_scene::{BatchCollisionChecker, Clearance, Margins, Scene};

use super::{CollisionOptions, SceneSnapshot, batch_methods, check_control};
use crate::twin::kinematics::PlacedFrame;

/// Configurations between two looks at the control.
const ROWS_PER_LOOK: usize = 1 << 13;
/// Configurations that a thread takes at once.
const ROWS_PER_CHUNK: usize = 1 << 8;

/// As [`GpuCollisionChecker`](super::GpuCollisionChecker), on all processors: the same arithmetic in the same order.
///
/// It is what the shader is compared with, and stands in where there is no device.
#[derive(Debug, Clone)]
pub struct CpuCollisionChecker {
    snapshot: SceneSnapshot,
    control: Option<Control>,
    out: Vec<f32>,
}

impl CpuCollisionChecker {
    /// For a planning group of a scene as it is now.
    ///
    /// # Errors
    /// As [`Scene::checker`], and [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options out of their domain.
    pub fn new(scene: &Scene, group: &str, margins: Margins, options: CollisionOptions) -> Result<Self> {
        let snapshot = SceneSnapshot::new(scene, group, margins, options)?;
        Ok(Self { snapshot, control: None, out: Vec::new() })
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
        let (rows, arrays) = (packed.len() / dof, scene.arrays());
        self.out.clear();
        self.out.resize(rows * width, 0.0);
        for (share, out) in self.out.chunks_mut(ROWS_PER_LOOK * width).enumerate() {
            let before = share * ROWS_PER_LOOK;
            check_control(self.control.as_ref(), before)?;
            in_chunks(out, width, ROWS_PER_CHUNK, |first, out| {
                let mut frames = vec![PlacedFrame::root(); scene.robot.num_frames()];
                let rows = packed[(before + first) * dof..].chunks_exact(dof);
                rows.zip(out.chunks_exact_mut(width)).for_each(|(q, out)| arrays.answer(q, &mut frames, out));
            });
        }
        Ok(())
    }
}

batch_methods!(CpuCollisionChecker, Result);
