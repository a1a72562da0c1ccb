//! Forward kinematics of one configuration: joint values in packs, frames one after the other.

use std::f64::consts::TAU;

use kinetic_kinematics::Motion;

use crate::model::{Column, KernelFrame};
use crate::packed::{Spheres, W, load, load_points, store};
use crate::trig::sin_cos;
use crate::vector::{Lanes, Plain, Point};

/// The joints of a pack of frames; unused lanes do not move.
#[derive(Debug, Clone)]
struct Joints {
    variables: [u32; W],
    multipliers: [f64; W],
    offsets: [f64; W],
    /// Full rotations per radian, by which angles are reduced; 0 for prismatic joints.
    rotations_per_radian: [f64; W],
    /// 1 for prismatic joints, otherwise 0.
    is_prismatic: Plain<W>,
}

impl Joints {
    fn new(frames: &[KernelFrame]) -> Self {
        let of = |lane: usize| frames.get(lane);
        let is_prismatic = |lane: usize| of(lane).is_some_and(|frame| frame.motion == Motion::Translation);
        Self {
            variables: std::array::from_fn(|lane| of(lane).unwrap_or(&frames[0]).variable as u32),
            multipliers: std::array::from_fn(|lane| of(lane).map_or(0.0, |frame| frame.multiplier)),
            offsets: std::array::from_fn(|lane| of(lane).map_or(0.0, |frame| frame.offset)),
            rotations_per_radian: std::array::from_fn(|lane| if is_prismatic(lane) { 0.0 } else { 1.0 / TAU }),
            is_prismatic: Plain(std::array::from_fn(|lane| f32::from(u8::from(is_prismatic(lane))))),
        }
    }

    /// Values of the joints, angles in [-π, π]; computed in double precision.
    #[inline(always)]
    fn values(&self, q: &[f64]) -> Plain<W> {
        // Loops of fixed length and no closures, so that they become the instructions of the tier.
        let mut values = [0.0; W];
        for lane in 0..W {
            values[lane] = q[self.variables[lane] as usize];
        }
        let mut reduced = Plain::ZERO;
        for lane in 0..W {
            let value = self.multipliers[lane] * values[lane] + self.offsets[lane];
            let rotations = (value * self.rotations_per_radian[lane]).round_ties_even();
            reduced.0[lane] = (-rotations).mul_add(TAU, value) as f32;
        }
        reduced
    }
}

/// Axes and origin of a frame in the root, each in the first three lanes.
#[derive(Debug, Clone, Copy)]
struct FrameLanes<L> {
    axes: [L; 3],
    origin: L,
}

impl<L: Lanes> FrameLanes<L> {
    #[inline(always)]
    fn load(frame: &FrameLanes<Plain<W>>) -> Self {
        let [x, y, z] = &frame.axes;
        Self { axes: [load(x), load(y), load(z)], origin: load(&frame.origin) }
    }

    #[inline(always)]
    fn store(self) -> FrameLanes<Plain<W>> {
        let [x, y, z] = self.axes;
        FrameLanes { axes: [store(x), store(y), store(z)], origin: store(self.origin) }
    }

    #[inline(always)]
    fn direction(&self, column: &Column) -> L {
        let [x, y, z] = self.axes;
        match column {
            Column::Axis(axis, false) => self.axis(*axis),
            Column::Axis(axis, true) => L::ZERO - self.axis(*axis),
            Column::General([a, b, c]) => x.scale_add(*a, y.scale_add(*b, z.scale(*c))),
        }
    }

    /// Selected by `match`, because indexing would store all axes to memory.
    #[inline(always)]
    fn axis(&self, axis: usize) -> L {
        let [x, y, z] = self.axes;
        match axis {
            0 => x,
            1 => y,
            _ => z,
        }
    }

    #[inline(always)]
    fn point(&self, [a, b, c]: [f32; 3]) -> L {
        let [x, y, z] = self.axes;
        x.scale_add(a, y.scale_add(b, z.scale_add(c, self.origin)))
    }

    #[inline(always)]
    fn child(&self, frame: &KernelFrame, (value, sine, cosine): (f32, f32, f32)) -> Self {
        // By reference, because compilers split copies of columns into lanes and reassemble them.
        let [x, y, z] = &frame.columns;
        let (x, y, z) = (self.direction(x), self.direction(y), self.direction(z));
        let origin = self.point(frame.translation);
        match frame.motion {
            Motion::Translation => Self { axes: [x, y, z], origin: z.scale_add(value, origin) },
            Motion::Rotation => {
                let rotated_x = y.scale_add(sine, x.scale(cosine));
                let rotated_y = x.scale_add(-sine, y.scale(cosine));
                Self { axes: [rotated_x, rotated_y, z], origin }
            }
        }
    }
}

/// The frames of one configuration, the root first.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    joints: Vec<Joints>,
    placed: Vec<FrameLanes<Plain<W>>>,
    /// Joint values per frame: angles in [-π, π], displacements of prismatic joints in metres.
    angles: Vec<f32>,
}

impl Frames {
    pub(crate) fn new(frames: &[KernelFrame]) -> Self {
        let axis = |k: usize| Plain(std::array::from_fn(|lane| f32::from(u8::from(lane == k))));
        let root = FrameLanes { axes: [axis(0), axis(1), axis(2)], origin: Plain::ZERO };
        Self {
            joints: frames.chunks(W).map(Joints::new).collect(),
            placed: vec![root; frames.len() + 1],
            angles: vec![0.0; frames.len().next_multiple_of(W)],
        }
    }

    /// Places all frames; returns a bound on the displacement by all prismatic joints together, m.
    #[inline(always)]
    pub(crate) fn place<L: Lanes>(&mut self, frames: &[KernelFrame], q: &[f64]) -> f32 {
        let mut displacement = L::ZERO;
        let (mut last, mut index) = (FrameLanes::<L>::load(&self.placed[0]), 0);
        let angles = self.angles.as_chunks_mut::<W>().0;
        for ((joints, frames), place) in self.joints.iter().zip(frames.chunks(W)).zip(angles) {
            let values = joints.values(q);
            *place = values.0;
            let angles = load::<L>(&values);
            displacement = angles.abs().mul_add(load(&joints.is_prismatic), displacement);
            let (sines, cosines) = sin_cos(angles);
            let (sines, cosines) = (store(sines), store(cosines));
            for (lane, frame) in frames.iter().enumerate() {
                // Most parents are the frame before, which is still in registers.
                if frame.parent != index {
                    last = FrameLanes::load(&self.placed[frame.parent]);
                }
                last = last.child(frame, (values.0[lane], sines.0[lane], cosines.0[lane]));
                index += 1;
                self.placed[index] = last.store();
            }
        }
        displacement.lanes().iter().sum()
    }

    /// Joint values per frame: angles in [-π, π], displacements of prismatic joints in metres.
    #[inline(always)]
    pub(crate) fn angles(&self) -> &[f32] {
        &self.angles
    }

    /// Transforms a point from a frame into the root.
    #[inline(always)]
    pub(crate) fn point<L: Lanes>(&self, frame: usize, point: [f32; 3]) -> [f32; 3] {
        let placed = store(FrameLanes::<L>::load(&self.placed[frame]).point(point));
        [placed.0[0], placed.0[1], placed.0[2]]
    }

    /// Transforms the centres of spheres from a frame into the root.
    #[inline(always)]
    pub(crate) fn centers<L: Lanes>(&self, frame: usize, local: &Spheres) -> Point<Plain<W>> {
        let FrameLanes { axes: [along_x, along_y, along_z], origin } = &self.placed[frame];
        let Point { x, y, z } = load_points::<L>(&local.centers);
        // No closure: it would be compiled without the wide instructions.
        let mut centers = [Plain::ZERO; 3];
        for (k, center) in centers.iter_mut().enumerate() {
            let above = z.scale_add(along_z.0[k], L::splat(origin.0[k]));
            *center = store(x.scale_add(along_x.0[k], y.scale_add(along_y.0[k], above)));
        }
        let [x, y, z] = centers;
        Point { x, y, z }
    }
}
