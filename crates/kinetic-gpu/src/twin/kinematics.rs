//! Twin of `shaders/kinematics.wgsl`.

use nalgebra::Vector3;

use crate::layout::{
    FRAME_IS_PRISMATIC, FRAME_MULTIPLIER, FRAME_OFFSET, FRAME_PARENT, FRAME_STRIDE, FRAME_VARIABLE, LINK_STRIDE,
};

/// A pose in the root: columns of the rotation, and the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedFrame {
    pub(crate) x: Vector3<f32>,
    pub(crate) y: Vector3<f32>,
    pub(crate) z: Vector3<f32>,
    pub(crate) origin: Vector3<f32>,
}

impl PlacedFrame {
    pub(crate) fn root() -> Self {
        Self { x: Vector3::x(), y: Vector3::y(), z: Vector3::z(), origin: Vector3::zeros() }
    }

    pub(crate) fn turned(&self, v: &Vector3<f32>) -> Vector3<f32> {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    pub(crate) fn moved(&self, p: &Vector3<f32>) -> Vector3<f32> {
        self.turned(p) + self.origin
    }

    /// Coordinates of a point of the root in the frame.
    pub(crate) fn local(&self, p: &Vector3<f32>) -> Vector3<f32> {
        let d = p - self.origin;
        Vector3::new(self.x.dot(&d), self.y.dot(&d), self.z.dot(&d))
    }

    /// A constant transform (twelve numbers) in the frame.
    pub(crate) fn fixed_in(&self, row: &[f32]) -> Self {
        Self {
            x: self.turned(&vector(row)),
            y: self.turned(&vector(&row[3..])),
            z: self.turned(&vector(&row[6..])),
            origin: self.moved(&vector(&row[9..])),
        }
    }
}

pub(crate) fn vector(numbers: &[f32]) -> Vector3<f32> {
    Vector3::new(numbers[0], numbers[1], numbers[2])
}

/// An index that is stored as a float.
#[expect(clippy::cast_sign_loss, reason = "indices are not negative")]
pub(crate) fn index(number: f32) -> usize {
    number as usize
}

/// Sine and cosine by reduction to an eighth of a turn (Cody and Waite 1980) and Taylor polynomials.
pub(crate) fn sine_cosine(angle: f32) -> (f32, f32) {
    let quarter = (angle * 0.636_619_75).round_ties_even();
    let r = ((angle - quarter * 1.570_312_5) - quarter * 0.000_483_751_3) - quarter * 0.000_000_075_497_896;
    let s = r * r;
    let sine = r + r * s * (-0.166_666_67 + s * (0.008_333_334 + s * (-0.000_198_412_7 + s * 0.000_002_755_731_9)));
    let fourth = 0.041_666_668 + s * (-0.001_388_888_9 + s * (0.000_024_801_588 - s * 0.000_000_275_573_2));
    let cosine = 1.0 + s * (-0.5 + s * fourth);
    match quarter as i32 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Poses of all frames in the root for one configuration; `frames` has one element per frame, the root included.
pub(crate) fn place_frames(robot: &[f32], q: &[f32], frames: &mut [PlacedFrame]) {
    frames[0] = PlacedFrame::root();
    for (k, row) in robot.chunks_exact(FRAME_STRIDE).take(frames.len() - 1).enumerate() {
        let mut frame = frames[index(row[FRAME_PARENT])].fixed_in(row);
        let value = row[FRAME_MULTIPLIER] * q[index(row[FRAME_VARIABLE])] + row[FRAME_OFFSET];
        if row[FRAME_IS_PRISMATIC] > 0.5 {
            frame.origin += frame.z * value;
        } else {
            let (sine, cosine) = sine_cosine(value);
            let x = frame.x * cosine + frame.y * sine;
            frame.y = frame.y * cosine - frame.x * sine;
            frame.x = x;
        }
        frames[k + 1] = frame;
    }
}

/// Poses of all links in the root, twelve numbers each: the rows of a 3 × 4 matrix.
pub(crate) fn link_poses(frames: &[PlacedFrame], links: &[f32], out: &mut [f32]) {
    for (row, out) in links.chunks_exact(LINK_STRIDE).zip(out.chunks_exact_mut(12)) {
        let pose = frames[index(row[0])].fixed_in(&row[1..]);
        for i in 0..3 {
            out[4 * i..4 * i + 4].copy_from_slice(&[pose.x[i], pose.y[i], pose.z[i], pose.origin[i]]);
        }
    }
}
