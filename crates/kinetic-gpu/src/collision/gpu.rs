//! Collision checks on a device.

use std::sync::Arc;

use kinetic_core::error::check_len;
use kinetic_core::{ContentHash, Control, Result};
use kinetic_scene::{BatchCollisionChecker, Clearance, Margins, Scene};

use super::{CollisionOptions, SceneSnapshot, batch_methods, check_control, text};
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
use crate::layout::PLACED_FLOATS;
use crate::packed_scene::{PackedScene, is_finished};

/// Buffers that the shader reads: sizes, robot, configurations, world, fields.
const COLLISION_INPUTS: usize = 5;

/// Verdicts, least slacks and gradients of many configurations of a planning group, on a device.
///
/// Links and attached bodies are the spheres that contain them, so slacks are lower bounds: what is free here is free for
/// [`Checker`](kinetic_scene::Checker), and what is not may be. Boxes, balls, capsules, cylinders and half-spaces are
/// measured exactly, all else in voxel grids of lower bounds. Allowed pairs, margins, paddings and attached bodies are those
/// of the scene.
///
/// Scene and shader stay on the device. A call uploads its configurations, is one dispatch (several for more than 65 536
/// configurations, 4096 on a software adapter, or where buffers would be too large), and reads its answers back; rows do
/// not depend on how they are divided. The same device gives the same bytes in each run.
#[derive(Debug)]
pub struct GpuCollisionChecker {
    snapshot: SceneSnapshot,
    control: Option<Control>,
    kernel: Kernel,
    /// False after an upload that failed half-way: the next call uploads everything again.
    is_uploaded: bool,
    out: Vec<f32>,
}

impl GpuCollisionChecker {
    /// For a planning group of a scene as it is now.
    ///
    /// # Errors
    /// As [`Scene::checker`]; [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options out of their domain or
    /// more data than a buffer of the device holds; and those of the device.
    pub fn new(
        device: &Arc<GpuDevice>,
        scene: &Scene,
        group: &str,
        margins: Margins,
        options: CollisionOptions,
    ) -> GpuResult<Self> {
        let snapshot = SceneSnapshot::new(scene, group, margins, options)?;
        let mut kernel = Kernel::new(device, "fk_collide", &text(), COLLISION_INPUTS)?;
        upload(&mut kernel, None, &snapshot.packed)?;
        Ok(Self { snapshot, control: None, kernel, is_uploaded: true, out: Vec::new() })
    }

    /// The device.
    pub fn device(&self) -> &Arc<GpuDevice> {
        self.kernel.device()
    }

    /// Follows the scene to another version, and uploads the arrays that differ: poses where objects were moved, grids
    /// where shapes are new. False when it is the version that it has.
    ///
    /// # Errors
    /// As [`new`](Self::new); the checker then has the version that it had.
    pub fn update(&mut self, scene: &Scene) -> GpuResult<bool> {
        let Some(snapshot) = self.snapshot.updated(scene)? else { return Ok(false) };
        let before = self.is_uploaded.then_some(&self.snapshot.packed);
        self.is_uploaded = false;
        upload(&mut self.kernel, before, &snapshot.packed)?;
        self.is_uploaded = true;
        self.snapshot = snapshot;
        Ok(true)
    }

    fn answers(&mut self, packed: &[f32], with_gradient: bool) -> GpuResult<()> {
        let scene = &self.snapshot.packed;
        if !self.is_uploaded {
            upload(&mut self.kernel, None, scene)?;
            self.is_uploaded = true;
        }
        let (dof, width) = (scene.robot.num_variables().max(1), scene.floats_per_row(with_gradient));
        let scratch = scene.robot.num_frames() * PLACED_FLOATS;
        let rows_per_dispatch = self.kernel.device().max_rows(size_of::<f32>() * scratch.max(width).max(dof));
        self.out.clear();
        let mut part = Vec::new();
        for chunk in packed.chunks(rows_per_dispatch * dof) {
            let rows = chunk.len() / dof;
            check_control(self.control.as_ref(), self.out.len() / width)?;
            self.kernel.upload(0, &scene.sizes(rows, width))?;
            self.kernel.upload(2, chunk)?;
            self.kernel.run(rows, [width, scratch], &mut part)?;
            if !is_finished(&part, width) {
                return Err(self.kernel.device().unfinished(scene.num_obstacles()));
            }
            self.out.append(&mut part);
        }
        Ok(())
    }
}

/// Uploads what differs between two versions of a scene.
fn upload(kernel: &mut Kernel, before: Option<&PackedScene>, scene: &PackedScene) -> GpuResult<()> {
    let (robot, world) = (scene.robot_elements(), scene.world_elements());
    if before.is_none_or(|before| before.robot_elements() != robot) {
        kernel.upload(1, &robot)?;
    }
    if before.is_none_or(|before| before.world_elements() != world) {
        kernel.upload(3, &world)?;
    }
    if before.is_none_or(|before| before.fields != scene.fields) {
        kernel.upload(4, &scene.fields)?;
    }
    Ok(())
}

batch_methods!(GpuCollisionChecker, GpuResult);
