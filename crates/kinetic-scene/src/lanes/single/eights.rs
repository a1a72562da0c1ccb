//! Eight numbers in memory, and in the registers of a tier.

use crate::lanes::kernel::WIDER;
use crate::lanes::obstacle::LaneObstacle;
use crate::lanes::vector::{Lanes, Plain, Point};

/// Lanes of one configuration.
pub(super) const W: usize = 8;

/// The numbers in a register.
#[inline(always)]
pub(super) fn load<L: Lanes>(eight: &Plain<W>) -> L {
    let mut lanes = L::ZERO;
    lanes.lanes_mut().copy_from_slice(&eight.0);
    lanes
}

/// The numbers of a register.
#[inline(always)]
pub(super) fn store<L: Lanes>(lanes: L) -> Plain<W> {
    let mut eight = Plain::ZERO;
    eight.0.copy_from_slice(lanes.lanes());
    eight
}

/// Eight points.
#[inline(always)]
pub(super) fn load_points<L: Lanes>(points: &Point<Plain<W>>) -> Point<L> {
    Point { x: load(&points.x), y: load(&points.y), z: load(&points.z) }
}

/// Eight spheres on one frame, in it or in the root; the last one fills up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spheres {
    pub(super) centers: Point<Plain<W>>,
    pub(super) radii: Plain<W>,
}

impl Spheres {
    /// At most eight.
    pub(super) fn new(spheres: &[([f32; 3], f32)]) -> Self {
        let of = |lane: usize| spheres[lane.min(spheres.len() - 1)];
        let coordinate = |k: usize| Plain(std::array::from_fn(|lane| of(lane).0[k]));
        let centers = Point { x: coordinate(0), y: coordinate(1), z: coordinate(2) };
        Self { centers, radii: Plain(std::array::from_fn(|lane| of(lane).1)) }
    }

    /// Centre and radius of one.
    #[inline(always)]
    pub(super) fn one(&self, lane: usize) -> ([f32; 3], f32) {
        let Point { x, y, z } = &self.centers;
        ([x.0[lane], y.0[lane], z.0[lane]], self.radii.0[lane])
    }

    /// One bit per sphere that a ball comes within `gap` of.
    #[inline(always)]
    pub(super) fn near_ball<L: Lanes>(&self, (center, radius): ([f32; 3], f32), gap: f32) -> u16 {
        let near = load::<L>(&self.radii).offset(radius + gap).squared_with_sign(WIDER);
        let apart = load_points::<L>(&self.centers).minus_fixed(center).norm_squared();
        (apart - near).not_positive()
    }

    /// One bit per sphere that an obstacle comes within `gap` of, which includes the obstacle's own radius.
    #[inline(always)]
    pub(super) fn near_obstacle<L: Lanes>(&self, obstacle: &LaneObstacle, gap: f32) -> u16 {
        let distance = load::<L>(&self.radii).offset(gap);
        obstacle.clearances(load_points::<L>(&self.centers), distance).outside_each(distance).not_positive()
    }
}
