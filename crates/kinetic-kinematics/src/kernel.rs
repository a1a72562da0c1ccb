//! Forward kinematics kernel: the loop over the joints, for one configuration or for SIMD lanes of several.
//!
//! Constant transforms are classified when the robot is compiled: most joint frames are rotated by quarter turns against the
//! one before and shifted along one axis, which then costs no multiplication by zeros and ones.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use nalgebra::{ArrayStorage, Matrix3, Vector3};

use crate::frame::{Frame, Motion};
use crate::rigid::Rigid;
use crate::simd::{Columns, Factors, Lanes, Number, Order};

/// Rotations closer to quarter turns than this count as quarter turns: the rounding of the angles in a robot file, a few
/// units in the last place.
const QUARTER_TURN_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Translations below this are rounding of a robot of any size.
const TRANSLATION_ROUNDING_M: f64 = 1e-16;
/// Joints whose sines are computed together.
const SINCOS_BATCH: usize = 8;

/// A rigid transform over any number: columns of the rotation, and the origin.
#[derive(Debug, Clone, Copy)]
pub struct Transform<T> {
    /// Columns of the rotation.
    pub columns: Columns<T>,
    /// Translation, m.
    pub origin: [T; 3],
}

impl<T: Number> Transform<T> {
    /// The same transform in every number.
    #[inline(always)]
    pub fn constant(rigid: &Rigid) -> Self {
        let [x, y, z] = &rigid.rotation.data.0;
        Self { columns: [splat(x), splat(y), splat(z)], origin: splat(&rigid.translation.data.0[0]) }
    }
}

impl Transform<f64> {
    /// From a [`Rigid`].
    #[inline]
    pub fn of(rigid: &Rigid) -> Self {
        Self { columns: rigid.rotation.data.0, origin: rigid.translation.data.0[0] }
    }

    /// As a [`Rigid`].
    #[inline]
    pub fn rigid(self) -> Rigid {
        Rigid {
            rotation: Matrix3::from_data(ArrayStorage(self.columns)),
            translation: Vector3::from_data(ArrayStorage([self.origin])),
        }
    }
}

/// A constant rotation.
#[derive(Debug, Clone, Copy)]
enum ConstantRotation {
    /// Each axis is an axis of the parent, perhaps negated: which of the six orders, and the signs.
    Quarters(Order, [f64; 3]),
    General(Columns<f64>),
}

/// A constant translation.
#[derive(Debug, Clone, Copy)]
enum ConstantTranslation {
    None,
    X(f64),
    Y(f64),
    Z(f64),
    General([f64; 3]),
}

/// A constant transform, `parent_from_child`.
#[derive(Debug, Clone)]
pub(crate) struct Constant {
    rotation: ConstantRotation,
    translation: ConstantTranslation,
    exact: Rigid,
}

impl Constant {
    pub(crate) fn new(exact: &Rigid) -> Self {
        Self { rotation: rotation_of(exact), translation: translation_of(exact.translation.data.0[0]), exact: *exact }
    }

    /// `root_from_child` from `root_from_parent`.
    #[inline(always)]
    pub(crate) fn after<T: Number>(&self, parent: &Transform<T>) -> Transform<T> {
        Transform { columns: self.columns(&parent.columns), origin: self.origin(parent) }
    }

    /// As [`after`](Self::after), of one configuration.
    #[inline]
    pub(crate) fn after_rigid(&self, parent: &Rigid) -> Rigid {
        self.after(&Transform::of(parent)).rigid()
    }

    #[inline(always)]
    fn columns<T: Number>(&self, parent: &Columns<T>) -> Columns<T> {
        match &self.rotation {
            ConstantRotation::Quarters(order, [a, b, c]) => {
                let ([a, b, z], zero) = (splat(&[*a, *b, *c]), T::splat(0.0));
                T::turned(parent, *order, &Factors { x: [a, zero], y: [b, zero], z })
            }
            ConstantRotation::General([x, y, z]) => [combined(parent, x), combined(parent, y), combined(parent, z)],
        }
    }

    #[inline(always)]
    fn origin<T: Number>(&self, Transform { columns, origin }: &Transform<T>) -> [T; 3] {
        match self.translation {
            ConstantTranslation::None => *origin,
            ConstantTranslation::X(length) => moved(origin, &columns[0], T::splat(length)),
            ConstantTranslation::Y(length) => moved(origin, &columns[1], T::splat(length)),
            ConstantTranslation::Z(length) => moved(origin, &columns[2], T::splat(length)),
            ConstantTranslation::General(shift) => {
                let offset = combined(columns, &shift);
                [origin[0] + offset[0], origin[1] + offset[1], origin[2] + offset[2]]
            }
        }
    }
}

/// The entry of the configuration that gives the value of a joint.
#[derive(Debug, Clone, Copy)]
struct Input {
    variable: usize,
    multiplier: f64,
    offset: f64,
}

impl Input {
    #[inline(always)]
    fn value<T: Number>(&self, q: &[T]) -> T {
        T::splat(self.multiplier) * q[self.variable] + T::splat(self.offset)
    }
}

/// One moving frame in the form of the loop.
#[derive(Debug, Clone)]
struct FrameStep {
    parent: usize,
    motion: Motion,
    constant: Constant,
}

impl FrameStep {
    /// Pose of the frame from that of its parent.
    #[inline(always)]
    fn after<T: Number>(&self, parent: &Transform<T>, value: T, sine: T, cosine: T) -> Transform<T> {
        let origin = self.constant.origin(parent);
        match (self.motion, &self.constant.rotation) {
            (Motion::Rotation, ConstantRotation::Quarters(order, [a, b, c])) => {
                // The signs are applied to sine and cosine, which do not depend on the parent.
                let [a, b, c] = splat(&[*a, *b, *c]);
                let factors = Factors { x: [a * cosine, b * sine], y: [b * cosine, a * sine], z: c };
                let columns = T::turned(&parent.columns, *order, &factors);
                Transform { columns, origin }
            }
            (Motion::Rotation, ConstantRotation::General(_)) => {
                let [x, y, z] = self.constant.columns(&parent.columns);
                Transform { columns: [sum(&x, cosine, &y, sine), difference(&y, cosine, &x, sine), z], origin }
            }
            (Motion::Translation, _) => {
                let columns = self.constant.columns(&parent.columns);
                Transform { origin: moved(&origin, &columns[2], value), columns }
            }
        }
    }

    /// The same for a frame on the root, where the constants need no multiplication.
    #[inline(always)]
    fn on_root<T: Number>(&self, value: T, sine: T, cosine: T) -> Transform<T> {
        let Transform { columns: [x, y, z], origin } = Transform::constant(&self.constant.exact);
        match self.motion {
            Motion::Rotation => {
                Transform { columns: [sum(&x, cosine, &y, sine), difference(&y, cosine, &x, sine), z], origin }
            }
            Motion::Translation => Transform { columns: [x, y, z], origin: moved(&origin, &z, value) },
        }
    }
}

/// The frames of a robot in the form of the loop.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    steps: Vec<FrameStep>,
    /// One per step, filled up with repetitions of the first, so that their values are gathered without a loop.
    inputs: Vec<[Input; SINCOS_BATCH]>,
}

impl Kernel {
    pub(crate) fn new(frames: &[Frame]) -> Self {
        let step = |frame: &Frame| FrameStep {
            parent: frame.parent,
            motion: frame.motion,
            constant: Constant::new(&frame.parent_from_frame),
        };
        let input =
            |frame: &Frame| Input { variable: frame.variable, multiplier: frame.multiplier, offset: frame.offset };
        let inputs = frames
            .chunks(SINCOS_BATCH)
            .map(|chunk| std::array::from_fn(|index_in_batch| input(chunk.get(index_in_batch).unwrap_or(&chunk[0]))));
        Self { steps: frames.iter().map(step).collect(), inputs: inputs.collect() }
    }

    /// Poses of all frames, the root's first; the sines of several joints are computed at once. Returns the last.
    #[inline]
    pub(crate) fn place(&self, q: &[f64], out: &mut [Rigid]) -> Transform<f64> {
        // Mostly the next frame's parent: it stays in registers.
        let mut last = ROOT;
        out[0] = last.rigid();
        let mut index = 0;
        for (chunk, inputs) in self.steps.chunks(SINCOS_BATCH).zip(&self.inputs) {
            let [a, b, c, d, e, f, g, h] = inputs;
            let values =
                [a.value(q), b.value(q), c.value(q), d.value(q), e.value(q), f.value(q), g.value(q), h.value(q)];
            let (sines, cosines) = Lanes(values).sin_cos();
            for (index_in_batch, step) in chunk.iter().enumerate() {
                let (value, sine, cosine) =
                    (values[index_in_batch], sines.0[index_in_batch], cosines.0[index_in_batch]);
                last = if step.parent == 0 {
                    step.on_root(value, sine, cosine)
                } else {
                    if step.parent != index {
                        last = Transform::of(&out[step.parent]);
                    }
                    step.after(&last, value, sine, cosine)
                };
                index += 1;
                out[index] = last.rigid();
            }
        }
        last
    }

    /// Poses of all frames, the root's first, of `W` configurations.
    #[inline(always)]
    pub(crate) fn place_lanes<const W: usize>(&self, q: &[Lanes<W>], out: &mut [Transform<Lanes<W>>]) {
        out[0] = Transform::constant(&Rigid::identity());
        for (index, step) in self.steps.iter().enumerate() {
            let value = self.inputs[index / SINCOS_BATCH][index % SINCOS_BATCH].value(q);
            let (sine, cosine) = match step.motion {
                Motion::Rotation => value.sin_cos(),
                Motion::Translation => (value, value),
            };
            out[index + 1] = if step.parent == 0 {
                step.on_root(value, sine, cosine)
            } else {
                step.after(&out[step.parent], value, sine, cosine)
            };
        }
    }
}

/// The pose of the root in itself.
const ROOT: Transform<f64> =
    Transform { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

fn rotation_of(exact: &Rigid) -> ConstantRotation {
    let columns = exact.rotation.data.0;
    let [Some(x), Some(y), Some(z)] = columns.map(|column| quarter(&column)) else {
        return ConstantRotation::General(columns);
    };
    match Order::ALL.iter().find(|(_, axes)| *axes == [x.0, y.0, z.0]) {
        Some((order, _)) => ConstantRotation::Quarters(*order, [x.1, y.1, z.1]),
        None => ConstantRotation::General(columns),
    }
}

fn translation_of(shift: [f64; 3]) -> ConstantTranslation {
    match shift.map(|length| if length.abs() > TRANSLATION_ROUNDING_M { length } else { 0.0 }) {
        [0.0, 0.0, 0.0] => ConstantTranslation::None,
        [x, 0.0, 0.0] => ConstantTranslation::X(x),
        [0.0, y, 0.0] => ConstantTranslation::Y(y),
        [0.0, 0.0, z] => ConstantTranslation::Z(z),
        general => ConstantTranslation::General(general),
    }
}

/// The axis and sign of a column that is a coordinate axis.
fn quarter(column: &[f64; 3]) -> Option<(usize, f64)> {
    let axis = (0..3).find(|axis| column[*axis].abs() > 0.5)?;
    let sign = 1.0_f64.copysign(column[axis]);
    let off = |row: usize| (column[row] - if row == axis { sign } else { 0.0 }).abs();
    (0..3).all(|row| off(row) <= QUARTER_TURN_ROUNDING).then_some((axis, sign))
}

#[inline(always)]
fn splat<T: Number>(v: &[f64; 3]) -> [T; 3] {
    [T::splat(v[0]), T::splat(v[1]), T::splat(v[2])]
}

/// `a · s + b · t`.
#[inline(always)]
pub fn sum<T: Number>(a: &[T; 3], s: T, b: &[T; 3], t: T) -> [T; 3] {
    [a[0] * s + b[0] * t, a[1] * s + b[1] * t, a[2] * s + b[2] * t]
}

/// `a · s − b · t`.
#[inline(always)]
pub fn difference<T: Number>(a: &[T; 3], s: T, b: &[T; 3], t: T) -> [T; 3] {
    [a[0] * s - b[0] * t, a[1] * s - b[1] * t, a[2] * s - b[2] * t]
}

/// `a + b · t`.
#[inline(always)]
pub fn moved<T: Number>(a: &[T; 3], b: &[T; 3], t: T) -> [T; 3] {
    [a[0] + b[0] * t, a[1] + b[1] * t, a[2] + b[2] * t]
}

/// Matrix times a constant column.
#[inline(always)]
pub fn combined<T: Number>(columns: &Columns<T>, c: &[f64; 3]) -> [T; 3] {
    let [x, y, z] = columns;
    let [a, b, c] = splat(c);
    [x[0] * a + y[0] * b + z[0] * c, x[1] * a + y[1] * b + z[1] * c, x[2] * a + y[2] * b + z[2] * c]
}
