//! State of a model: poses of all frames and their Jacobians.

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;
use kinetic_kinematics::tree::{VirtualBase, column};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::model::Model;

/// A configuration with the poses of all frames.
#[derive(Debug, Clone)]
pub struct State<'m> {
    model: &'m Model,
    q: Vec<f64>,
    world_from_root: Rigid,
    /// In the world.
    frames: Vec<Rigid>,
}

impl<'m> State<'m> {
    /// Everything for a configuration (of the length of the robot) and a pose of the root, both finite. What the model
    /// moves is put inside its limits, and couplings are made to hold.
    pub fn new(model: &'m Model, q: &[f64], world_from_root: &Pose) -> Self {
        let mut q = q.to_vec();
        model.enforce_bounds(&mut q);
        Self::as_it_stands(model, q, world_from_root)
    }

    /// As [`new`](Self::new) for a configuration that is taken as it is, be it outside its limits.
    pub fn as_it_stands(model: &'m Model, q: Vec<f64>, world_from_root: &Pose) -> Self {
        let frames = vec![Rigid::identity(); model.program.num_frames()];
        let mut state = Self { model, q, world_from_root: Rigid::from(world_from_root), frames };
        state.update();
        state
    }

    /// The model that moves.
    pub fn model(&self) -> &Model {
        self.model
    }

    /// The configuration, of the length of the robot.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Pose of the robot's root in the world.
    pub fn world_from_root(&self) -> &Rigid {
        &self.world_from_root
    }

    /// Pose of a link in the world.
    pub fn link(&self, link: usize) -> Rigid {
        let (frame, frame_from_link) = self.model.program.link(link);
        self.frames[frame].then(frame_from_link)
    }

    /// Position of a configuration entry's column value.
    pub(super) fn column_value(&self, column: usize) -> f64 {
        self.q[self.model.columns[column][0].variable]
    }

    /// Writes how a point of a link (world coordinates) moves: column after column, linear velocity of the point (rows
    /// 0–2) and angular velocity (rows 3–5) along the world's axes, for unit speed of the column. `out` holds 6 numbers
    /// per column.
    pub fn point_jacobian(&self, link: usize, point: &Vector3<f64>, out: &mut [f64]) {
        out.fill(0.0);
        let (base, root) = (self.model.base.dof(), &self.world_from_root);
        let point_in_root = root.rotation.tr_mul(&(point - root.translation));
        for index in 0..base {
            let (linear, angular) = self.model.base.column(index, &point_in_root);
            add(&mut out[6 * index..], &(root.rotation * linear), &(root.rotation * angular));
        }
        let mut frame = self.model.program.link(link).0;
        while frame != 0 {
            let joint = &self.model.program.frames()[frame - 1];
            if let Some((driver, multiplier)) = self.model.column_of[joint.variable] {
                let (linear, angular) = column(joint, &self.frames[frame], point);
                add(&mut out[6 * (base + driver)..], &(linear * multiplier), &(angular * multiplier));
            }
            frame = joint.parent;
        }
    }

    /// Moves to `from` plus `scale` times a step of all columns, everything kept inside its limits.
    pub(super) fn step_from(&mut self, from: &(Vec<f64>, Rigid), step: &[f64], scale: f64) {
        let base = self.model.base.dof();
        self.q.copy_from_slice(&from.0);
        for column in 0..self.model.columns.len() {
            let (low, high) = self.model.column_bounds(column, &from.0);
            let value = (self.column_value(column) + scale * step[base + column]).clamp(low, high);
            self.model.set_column(column, value, &mut self.q);
        }
        if !self.model.tables.is_empty() {
            self.model.enforce_bounds(&mut self.q);
        }
        self.world_from_root = from.1;
        if base > 0 {
            let (linear, angular) = self.model.base.twist(step);
            let turn = Rotation3::from_scaled_axis(angular * scale).into_inner();
            self.world_from_root = from.1.then(&Rigid { rotation: turn, translation: linear * scale });
            // Products of many small turns drift away from a rotation.
            let exact = Rotation3::from_matrix_unchecked(self.world_from_root.rotation);
            self.world_from_root.rotation =
                UnitQuaternion::from_rotation_matrix(&exact).to_rotation_matrix().into_inner();
        }
        self.update();
    }

    /// Saves the configuration and the pose of the base.
    pub(super) fn save(&self, to: &mut (Vec<f64>, Rigid)) {
        to.0.copy_from_slice(&self.q);
        to.1 = self.world_from_root;
    }

    /// Restores what [`save`](Self::save) wrote.
    pub(super) fn restore(&mut self, from: &(Vec<f64>, Rigid)) {
        self.q.copy_from_slice(&from.0);
        self.world_from_root = from.1;
        self.update();
    }

    fn update(&mut self) {
        self.model.program.frames_into(&self.q, &mut self.frames);
        if self.model.base != VirtualBase::Fixed || self.world_from_root != Rigid::identity() {
            for frame in &mut self.frames {
                *frame = self.world_from_root.then(frame);
            }
        }
    }
}

fn add(out: &mut [f64], linear: &Vector3<f64>, angular: &Vector3<f64>) {
    for axis in 0..3 {
        out[axis] += linear[axis];
        out[axis + 3] += angular[axis];
    }
}
