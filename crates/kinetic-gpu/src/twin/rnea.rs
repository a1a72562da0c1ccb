//! Twin of `shaders/rnea.wgsl`: efforts of motions by the recursive Newton–Euler algorithm (Luh, Walker and Paul 1980;
//! Featherstone 2008, section 5.3), each frame in its own axes.

use nalgebra::Vector3;

use super::kinematics::{index, scalar, sine_cosine, vector};
use crate::layout::{FRAME_STRIDE, Four, INERTIA_STRIDE};

/// A model as arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DynamicsArrays<'a> {
    /// Moving frames.
    pub(crate) frames: &'a [Four],
    /// Their inertias.
    pub(crate) inertias: &'a [Four],
    /// Armature, damping and friction of each variable.
    pub(crate) resistances: &'a [Four],
    /// Angular velocity of the root, its derivative, and acceleration less gravity.
    pub(crate) root: &'a [Four],
}

/// What a frame does, in its own axes, what its joint does to it, and the force and torque that both need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameMotion {
    angular: Vector3<f32>,
    angular_acceleration: Vector3<f32>,
    /// Of the origin, less gravity.
    acceleration: Vector3<f32>,
    shift: Shift,
    force: Vector3<f32>,
    /// About the origin.
    torque: Vector3<f32>,
}

/// What a joint does to its frame: a turn about z, or a distance along z.
#[derive(Debug, Clone, Copy)]
struct Shift {
    sine: f32,
    cosine: f32,
    distance: f32,
}

/// Rows of `[α]× + ω ωᵀ − |ω|² 1`: times an arm, what a point accelerates beyond the origin.
#[derive(Debug, Clone, Copy)]
struct Spin {
    x: Vector3<f32>,
    y: Vector3<f32>,
    z: Vector3<f32>,
}

/// Efforts of a state, which is values, then velocities, then accelerations. `motions` has one element per frame, the root
/// included.
pub(crate) fn efforts(model: &DynamicsArrays<'_>, state: &[f32], motions: &mut [FrameMotion], out: &mut [f32]) {
    let (values, rates) = state.split_at(out.len());
    let (rates, accelerations) = rates.split_at(out.len());
    for (variable, effort) in out.iter_mut().enumerate() {
        let [armature, damping, friction, _] = model.resistances[variable];
        let drag = damping * rates[variable] + friction * sign(rates[variable]);
        *effort = armature * accelerations[variable] + drag;
    }
    motions[0] = FrameMotion::root(model.root);
    let joints = model.frames.chunks_exact(FRAME_STRIDE).zip(model.inertias.chunks_exact(INERTIA_STRIDE));
    for (frame, (rows, inertia)) in joints.enumerate() {
        let [parent, _, variable, _] = rows[3];
        let variable = index(variable);
        let given = [values[variable], rates[variable], accelerations[variable]];
        motions[frame + 1] = motions[index(parent)].outward(rows, given).newton_euler(inertia);
    }
    for (frame, rows) in model.frames.chunks_exact(FRAME_STRIDE).enumerate().rev() {
        hand_inward(rows, frame + 1, motions, out);
    }
}

/// Adds to the effort of a frame's joint, and hands force and torque on to the parent.
fn hand_inward(rows: &[Four], frame: usize, motions: &mut [FrameMotion], out: &mut [f32]) {
    let [parent, slides, variable, multiplier] = rows[3];
    let motion = motions[frame];
    let along = if slides > 0.5 { motion.force.z } else { motion.torque.z };
    let effort = &mut out[index(variable)];
    *effort += multiplier * along;
    if index(parent) == 0 {
        return;
    }
    let force = motion.shift.up(rows, &motion.force);
    let torque = motion.shift.up(rows, &motion.torque) + motion.shift.arm(rows).cross(&force);
    let parent = &mut motions[index(parent)];
    parent.force += force;
    parent.torque += torque;
}

/// −1, 0 or 1.
fn sign(value: f32) -> f32 {
    f32::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}

impl FrameMotion {
    pub(crate) fn root(rows: &[Four]) -> Self {
        Self {
            angular: vector(rows[0]),
            angular_acceleration: vector(rows[1]),
            acceleration: vector(rows[2]),
            shift: Shift { sine: 0.0, cosine: 1.0, distance: 0.0 },
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
        }
    }

    /// The motion of a frame that hangs on this one, for value, velocity and acceleration of its variable.
    fn outward(&self, rows: &[Four], [value, rate, acceleration]: [f32; 3]) -> Self {
        let [_, slides, _, multiplier] = rows[3];
        let shift = Shift::of(slides > 0.5, multiplier * value + rows[4][0]);
        let carried = self.acceleration + self.spin().times(&shift.arm(rows));
        let moved = Self {
            angular: shift.down(rows, &self.angular),
            angular_acceleration: shift.down(rows, &self.angular_acceleration),
            acceleration: shift.down(rows, &carried),
            shift,
            ..*self
        };
        moved.at_joint(slides > 0.5, multiplier * rate, multiplier * acceleration)
    }

    /// What the joint adds about or along z.
    fn at_joint(mut self, slides: bool, rate: f32, acceleration: f32) -> Self {
        let (x, y) = (self.angular.x, self.angular.y);
        if slides {
            // Coriolis acceleration.
            let twice = rate + rate;
            self.acceleration += Vector3::new(y * twice, -(x * twice), acceleration);
        } else {
            self.angular.z += rate;
            self.angular_acceleration += Vector3::new(y * rate, -(x * rate), acceleration);
        }
        self
    }

    /// The force, and the torque about its origin, that the motion needs. From second moments ∫ x xᵀ dm in place of a tensor:
    /// ∫ x × (S x) dm is I α + ω × I ω in fewer operations.
    fn newton_euler(mut self, inertia: &[Four]) -> Self {
        let ([a, b], moment, mass) = ([inertia[1], inertia[2]], vector(inertia[0]), inertia[0][3]);
        let (jx, jy, jz) = (vector(a), Vector3::new(a[1], b[0], b[1]), Vector3::new(a[2], b[1], b[2]));
        let s = self.spin();
        let euler = Vector3::new(
            scalar(&jy, &s.z) - scalar(&jz, &s.y),
            scalar(&jz, &s.x) - scalar(&jx, &s.z),
            scalar(&jx, &s.y) - scalar(&jy, &s.x),
        );
        self.force = self.acceleration * mass + s.times(&moment);
        self.torque = moment.cross(&self.acceleration) + euler;
        self
    }

    fn spin(&self) -> Spin {
        let (w, a) = (&self.angular, &self.angular_acceleration);
        let (xx, yy, zz) = (w.x * w.x, w.y * w.y, w.z * w.z);
        let (xy, xz, yz) = (w.x * w.y, w.x * w.z, w.y * w.z);
        Spin {
            x: Vector3::new(-(yy + zz), xy - a.z, xz + a.y),
            y: Vector3::new(xy + a.z, -(xx + zz), yz - a.x),
            z: Vector3::new(xz - a.y, yz + a.x, -(xx + yy)),
        }
    }
}

impl Spin {
    fn times(&self, v: &Vector3<f32>) -> Vector3<f32> {
        Vector3::new(scalar(&self.x, v), scalar(&self.y, v), scalar(&self.z, v))
    }
}

impl Shift {
    fn of(slides: bool, value: f32) -> Self {
        if slides {
            return Self { sine: 0.0, cosine: 1.0, distance: value };
        }
        let (sine, cosine) = sine_cosine(value);
        Self { sine, cosine, distance: 0.0 }
    }

    /// Components in the frame of a vector of its parent.
    fn down(&self, rows: &[Four], v: &Vector3<f32>) -> Vector3<f32> {
        let w = vector(rows[0]) * v.x + vector(rows[1]) * v.y + vector(rows[2]) * v.z;
        Vector3::new(w.x * self.cosine + w.y * self.sine, w.y * self.cosine - w.x * self.sine, w.z)
    }

    /// Components in the parent of a vector of the frame.
    fn up(&self, rows: &[Four], v: &Vector3<f32>) -> Vector3<f32> {
        let w = Vector3::new(v.x * self.cosine - v.y * self.sine, v.x * self.sine + v.y * self.cosine, v.z);
        Vector3::new(scalar(&vector(rows[0]), &w), scalar(&vector(rows[1]), &w), scalar(&vector(rows[2]), &w))
    }

    /// The frame's origin in its parent.
    fn arm(&self, rows: &[Four]) -> Vector3<f32> {
        let column = |axis: usize| Vector3::new(rows[0][axis], rows[1][axis], rows[2][axis]);
        column(3) + column(2) * self.distance
    }
}
