//! Normal form of a tree of joints: frames that make the rotations between bodies cheap.
//!
//! The frame of a moving body may be turned about its joint's axis, and the axis may be reversed, without changing the
//! mechanism. Both freedoms are used as Khalil and Kleinfinger 1986 do ("A new geometric notation for open and closed-loop
//! robots"): a body's x axis is chosen for its first child, so that what is left is a rotation about x, or an exchange of
//! axes. Reversed axes keep the angle between neighbouring axes between 0 and π/2, so that a right angle is always the same
//! exchange of axes.

use std::f64::consts::FRAC_PI_2;

use kinetic_kinematics::{Frame, Motion, Rigid};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::turn::ConstantTurn;

/// Axes closer to parallel or perpendicular than this count as such: the rounding of the angles in a robot file.
const ANGLE_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A joint in normal form: `parent_from_body = translation(origin) · turn · Rz(angle) · translation(0, 0, distance)`.
#[derive(Debug, Clone)]
pub(crate) struct NormalJoint {
    /// The body it hangs on; 0 is the root.
    pub(crate) parent: usize,
    pub(crate) motion: Motion,
    pub(crate) turn: ConstantTurn,
    /// Origin at joint value 0, in the parent, m.
    pub(crate) origin: Vector3<f64>,
    /// Angle or distance = `multiplier · q + offset`.
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
    /// Constant angle about z of a joint that slides.
    pub(crate) still_angle: f64,
}

/// The joints of a program in normal form, and per frame, the root's first, `frame_from_body`: pure rotations.
pub(crate) fn normal_form(frames: &[Frame]) -> (Vec<NormalJoint>, Vec<Matrix3<f64>>) {
    let mut form =
        NormalForm { joints: Vec::new(), frame_from_body: vec![Matrix3::identity()], has_child: vec![false] };
    for frame in frames {
        form.add(frame);
    }
    (form.joints, form.frame_from_body)
}

struct NormalForm {
    joints: Vec<NormalJoint>,
    frame_from_body: Vec<Matrix3<f64>>,
    has_child: Vec<bool>,
}

impl NormalForm {
    fn add(&mut self, frame: &Frame) {
        let parent = frame.parent;
        let reversal = self.reversal(frame);
        let mut rotation = self.rotation(frame, &reversal);
        if !std::mem::replace(&mut self.has_child[parent], true) {
            self.turn_body(parent, first_angle(&rotation));
            rotation = self.rotation(frame, &reversal);
        }
        let (turn, own_angle) = split(&rotation);
        let sign = reversal[(2, 2)];
        let is_turning = frame.motion == Motion::Rotation;
        let origin = self.frame_from_body[parent].transpose() * frame.parent_from_frame.translation;
        self.joints.push(NormalJoint {
            parent,
            motion: frame.motion,
            turn,
            origin,
            multiplier: sign * frame.multiplier,
            offset: sign * frame.offset + if is_turning { own_angle } else { 0.0 },
            still_angle: if is_turning { 0.0 } else { own_angle },
        });
        self.frame_from_body.push(reversal);
        self.has_child.push(false);
    }

    /// The rotation that keeps a joint's axis, or reverses it where it points away from the parent's.
    fn reversal(&self, frame: &Frame) -> Matrix3<f64> {
        let rotation = self.rotation(frame, &Matrix3::identity());
        let sign = if rotation[(2, 2)] < -ANGLE_ROUNDING { -1.0 } else { 1.0 };
        Matrix3::from_diagonal(&Vector3::new(1.0, sign, sign))
    }

    /// Parent body's axes from those of the new body at angle 0.
    fn rotation(&self, frame: &Frame, frame_from_body: &Matrix3<f64>) -> Matrix3<f64> {
        self.frame_from_body[frame.parent].transpose() * frame.parent_from_frame.rotation * frame_from_body
    }

    /// Turns the axes of a body about its own axis.
    fn turn_body(&mut self, body: usize, angle: f64) {
        self.frame_from_body[body] *= about_z(angle);
        if let Some(joint) = body.checked_sub(1).map(|index| &mut self.joints[index]) {
            match joint.motion {
                Motion::Rotation => joint.offset += angle,
                Motion::Translation => joint.still_angle += angle,
            }
        }
    }
}

/// Angle about the parent's z axis by which its x axis is turned for its first child.
fn first_angle(rotation: &Matrix3<f64>) -> f64 {
    let angle = rotation[(1, 2)].atan2(rotation[(0, 2)]);
    match tilt(rotation) <= ANGLE_ROUNDING {
        true => 0.0,
        // Along x: an exchange of axes.
        false if is_perpendicular(rotation) => angle,
        // Along −y and z: a rotation about x.
        false => angle + FRAC_PI_2,
    }
}

/// A rotation as constant turn and angle about the body's own axis.
fn split(rotation: &Matrix3<f64>) -> (ConstantTurn, f64) {
    if tilt(rotation) <= ANGLE_ROUNDING && rotation[(2, 2)] > 0.0 {
        return (ConstantTurn::Parallel, rotation[(1, 0)].atan2(rotation[(0, 0)]));
    }
    let along_x = rotation[(1, 2)].abs() <= ANGLE_ROUNDING && rotation[(0, 2)] > 0.0;
    if is_perpendicular(rotation) && along_x {
        // x and y of the body lie in the parent's plane of y and z.
        return (ConstantTurn::Perpendicular, rotation[(2, 0)].atan2(rotation[(1, 0)]));
    }
    if rotation[(0, 2)].abs() <= ANGLE_ROUNDING && rotation[(1, 2)] < 0.0 {
        let angle = (-rotation[(0, 1)]).atan2(rotation[(0, 0)]);
        return (ConstantTurn::Twisted([rotation[(2, 2)], -rotation[(1, 2)]]), angle);
    }
    (ConstantTurn::General(std::array::from_fn(|row| std::array::from_fn(|column| rotation[(row, column)]))), 0.0)
}

/// Sine of the angle between both axes.
fn tilt(rotation: &Matrix3<f64>) -> f64 {
    rotation[(0, 2)].hypot(rotation[(1, 2)])
}

fn is_perpendicular(rotation: &Matrix3<f64>) -> bool {
    rotation[(2, 2)].abs() <= ANGLE_ROUNDING
}

fn about_z(angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner()
}

/// Pose of a body in the frame that it stands for.
pub(crate) fn rigid(frame_from_body: &Matrix3<f64>) -> Rigid {
    Rigid { rotation: *frame_from_body, translation: Vector3::zeros() }
}
