//! Packs: eight numbers in memory that are loaded into the registers of any instruction tier.

use crate::model::obstacle::KernelObstacle;
use crate::tolerance::THRESHOLD_WIDENING_FACTOR;
use crate::vector::{Lanes, Plain, Point};

/// Numbers per pack.
pub(crate) const W: usize = 8;

/// Loads a pack into a register.
#[inline(always)]
pub(crate) fn load<L: Lanes>(pack: &Plain<W>) -> L {
    let mut lanes = L::ZERO;
    lanes.lanes_mut().copy_from_slice(&pack.0);
    lanes
}

/// Stores a register into a pack.
#[inline(always)]
pub(crate) fn store<L: Lanes>(lanes: L) -> Plain<W> {
    let mut pack = Plain::ZERO;
    pack.0.copy_from_slice(lanes.lanes());
    pack
}

/// Loads a pack of points into registers.
#[inline(always)]
pub(crate) fn load_points<L: Lanes>(points: &Point<Plain<W>>) -> Point<L> {
    Point { x: load(&points.x), y: load(&points.y), z: load(&points.z) }
}

/// A pack of spheres of one frame, in that frame or in the root. The last sphere fills unused lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spheres {
    pub(crate) centers: Point<Plain<W>>,
    pub(crate) radii: Plain<W>,
}

impl Spheres {
    /// Packs at most [`W`] spheres.
    pub(crate) fn new(spheres: &[([f32; 3], f32)]) -> Self {
        let of = |lane: usize| spheres[lane.min(spheres.len() - 1)];
        let coordinate = |k: usize| Plain(std::array::from_fn(|lane| of(lane).0[k]));
        let centers = Point { x: coordinate(0), y: coordinate(1), z: coordinate(2) };
        Self { centers, radii: Plain(std::array::from_fn(|lane| of(lane).1)) }
    }

    /// Centre and radius of the sphere in a lane.
    #[inline(always)]
    pub(crate) fn one(&self, lane: usize) -> ([f32; 3], f32) {
        let Point { x, y, z } = &self.centers;
        ([x.0[lane], y.0[lane], z.0[lane]], self.radii.0[lane])
    }

    /// One bit per sphere whose distance from a given sphere is at most `gap`.
    #[inline(always)]
    pub(crate) fn near_ball<L: Lanes>(&self, (center, radius): ([f32; 3], f32), gap: f32) -> u16 {
        let near = load::<L>(&self.radii).offset(radius + gap).squared_with_sign(THRESHOLD_WIDENING_FACTOR);
        let apart = load_points::<L>(&self.centers).minus_fixed(center).norm_squared();
        (apart - near).not_positive()
    }

    /// One bit per ball of some radii around the centres whose distance from an obstacle's core is at most `gap`, which includes the radius
    /// of the core.
    #[inline(always)]
    pub(crate) fn near_obstacle<L: Lanes>(&self, radii: &Plain<W>, obstacle: &KernelObstacle, gap: f32) -> u16 {
        let distance = load::<L>(radii).offset(gap);
        obstacle.clearances(load_points::<L>(&self.centers), distance).outside_each(distance).not_positive()
    }
}
