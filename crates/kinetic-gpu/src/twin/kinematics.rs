//! Twin of `shaders/kinematics.wgsl`.

use nalgebra::{Vector3, Vector4};

use crate::layout::{FRAME_STRIDE, Four, LINK_STRIDE};

/// A pose in the root: the rows of a 3 × 4 matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedFrame {
    rows: [Vector4<f32>; 3],
}

impl PlacedFrame {
    pub(crate) fn root() -> Self {
        Self { rows: [Vector4::x(), Vector4::y(), Vector4::z()] }
    }

    pub(crate) fn of_rows(rows: &[Four]) -> Self {
        Self { rows: [rows[0].into(), rows[1].into(), rows[2].into()] }
    }

    pub(crate) fn turned(&self, v: &Vector3<f32>) -> Vector3<f32> {
        let [x, y, z] = self.rows.map(|row| scalar(&row.xyz(), v));
        Vector3::new(x, y, z)
    }

    /// Components in the frame of a vector of the root.
    pub(crate) fn turned_back(&self, v: &Vector3<f32>) -> Vector3<f32> {
        let [a, b, c] = self.rows.map(|row| row.xyz());
        a * v.x + b * v.y + c * v.z
    }

    pub(crate) fn origin(&self) -> Vector3<f32> {
        let [x, y, z] = self.rows.map(|row| row.w);
        Vector3::new(x, y, z)
    }

    /// An axis of the frame in the root.
    pub(crate) fn column(&self, axis: usize) -> Vector3<f32> {
        let [x, y, z] = self.rows.map(|row| row[axis]);
        Vector3::new(x, y, z)
    }

    /// Trace of the rotation from one frame to the other.
    pub(crate) fn trace_with(&self, other: &Self) -> f32 {
        let [a, b, c] = [0, 1, 2].map(|i| scalar(&self.rows[i].xyz(), &other.rows[i].xyz()));
        a + b + c
    }

    pub(crate) fn moved(&self, p: &Vector3<f32>) -> Vector3<f32> {
        self.turned(p) + self.origin()
    }

    /// Coordinates of a point of the root in the frame.
    pub(crate) fn local(&self, p: &Vector3<f32>) -> Vector3<f32> {
        self.turned_back(&(p - self.origin()))
    }

    /// A constant transform (the rows of a 3 × 4 matrix) in the frame.
    pub(crate) fn fixed_in(&self, rows: &[Four]) -> Self {
        let [a, b, c] = Self::of_rows(rows).rows;
        let after = |row: Vector4<f32>| a * row.x + b * row.y + c * row.z + Vector4::new(0.0, 0.0, 0.0, row.w);
        Self { rows: self.rows.map(after) }
    }

    fn moved_z(&self, value: f32) -> Self {
        Self { rows: self.rows.map(|row| row + Vector4::new(0.0, 0.0, 0.0, value) * row.z) }
    }

    fn rotated_z(&self, angle: f32) -> Self {
        let (sine, cosine) = sine_cosine(angle);
        let (x, y) =
            (|row: &Vector4<f32>| row.x * cosine + row.y * sine, |row: &Vector4<f32>| row.y * cosine - row.x * sine);
        Self { rows: self.rows.map(|row| Vector4::new(x(&row), y(&row), row.z, row.w)) }
    }
}

pub(crate) fn scalar(a: &Vector3<f32>, b: &Vector3<f32>) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// The first three numbers of an element.
pub(crate) fn vector([x, y, z, _]: Four) -> Vector3<f32> {
    Vector3::new(x, y, z)
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
pub(crate) fn place_frames(robot: &[Four], q: &[f32], frames: &mut [PlacedFrame]) {
    frames[0] = PlacedFrame::root();
    for (k, rows) in robot.chunks_exact(FRAME_STRIDE).take(frames.len() - 1).enumerate() {
        let [parent, slides, variable, multiplier] = rows[3];
        let still = frames[index(parent)].fixed_in(rows);
        let value = multiplier * q[index(variable)] + rows[4][0];
        frames[k + 1] = if slides > 0.5 { still.moved_z(value) } else { still.rotated_z(value) };
    }
}

/// Poses of all links in the root, twelve numbers each: the rows of a 3 × 4 matrix.
pub(crate) fn link_poses(frames: &[PlacedFrame], links: &[Four], out: &mut [f32]) {
    for (rows, out) in links.chunks_exact(LINK_STRIDE).zip(out.chunks_exact_mut(12)) {
        let pose = frames[index(rows[3][0])].fixed_in(rows);
        out.chunks_exact_mut(4).zip(&pose.rows).for_each(|(out, row)| out.copy_from_slice(row.as_slice()));
    }
}
