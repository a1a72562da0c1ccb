//! Separation test of two convex pieces in single precision (Gilbert, Johnson, Keerthi 1988), with cached separating
//! axes. A direction along which the gap between two pieces exceeds a bound proves that they are farther apart than it.
//! Testing a direction costs only the extents of both along it, for which the corners of a hull are stored in packs.
//! The separating axis of the last query about the pair is tested first, because pieces that move a little stay
//! separated along it; then GJK searches for one. A point of the Minkowski difference that is nearer to the origin than
//! the bound proves the opposite. Both proofs leave room for rounding and for the error of the exact tier
//! ([`DISTANCE_ERROR_RATIO`]), so that the exact tier would give the same result, and results do not
//! depend on earlier queries. Pairs between the two thresholds are left to the exact tier.

mod distance;
mod piece;
mod simplex;

use std::sync::Arc;

use kinetic_collision::exact::DISTANCE_ERROR_RATIO;
use kinetic_kinematics::Rigid;

use crate::collision_model::{MovingBody, Obstacle};
use crate::instructions::{Instructions, PackedKernel};
use crate::rounding::{single, upward};
use crate::separation::piece::{RelativePose, SupportPiece, Vector, along, dot, double};
use crate::separation::simplex::{Nearest, Simplex};
use crate::tier::{SimdTier, usual_tier};
use crate::tolerance::LARGEST_COORDINATE_M_RAD;
use crate::vector::Lanes;
use distance::CachedSimplex;

pub use distance::{PieceDistance, SINGLE_PRECISION_ERROR};

/// Directions per search; most searches end after two to four.
const MAX_SEPARATION_ITERATIONS: usize = 10;

/// Slots of the caches of axes and simplices, a power of two.
const CACHE_SLOTS: usize = 256;

/// Bound on the rounding of a gap, relative to the distance of the centres plus the two radii. Corners, relative pose
/// and direction each contribute a few unit roundoffs (6e-8), and so do products of three terms.
const GAP_ROUNDING_RATIO: f32 = 4e-6;

/// Result of a separation test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separated {
    /// Farther apart than the bound.
    Yes,
    /// Not farther apart.
    No,
    /// Too close to the bound for single precision, or of a kind that is not tested here.
    Perhaps,
}

/// The separating axis of the last query about two pieces, in the frame of the first.
#[derive(Debug, Clone, Copy, Default)]
struct CachedAxis {
    pair: (u32, u32),
    direction: Vector,
}

impl CachedAxis {
    /// The axis, when the slot belongs to a pair.
    #[inline(always)]
    fn of(&self, pair: (u32, u32)) -> Option<Vector> {
        (self.pair == pair && self.direction != [0.0; 3]).then_some(self.direction)
    }
}

/// Separation tests between the convex pieces of a checker, with caches of the last result of pairs.
#[derive(Debug, Clone)]
pub struct SeparationTest {
    /// `None` where every fused multiply-add is a call of a function, because double precision is faster then.
    instructions: Option<Instructions>,
    pieces: Arc<[Option<SupportPiece>]>,
    /// The obstacles, which are numbered after the bodies' pieces.
    obstacles: Arc<[Option<SupportPiece>]>,
    /// Number of the first piece of every body, and of the first obstacle.
    first: Arc<[u32]>,
    cached_axes: Vec<CachedAxis>,
    /// Cache of simplices for distances; empty before the first query.
    cached_simplices: Vec<CachedSimplex>,
}

impl SeparationTest {
    /// For the convex pieces of some bodies and obstacles, with the instructions that [`simd_tier`](crate::simd_tier) says.
    pub fn new(bodies: &[MovingBody], world: &[Obstacle]) -> Self {
        let mut pieces = Vec::new();
        let mut first = Vec::with_capacity(bodies.len() + 1);
        for body in bodies {
            first.push(pieces.len() as u32);
            pieces.extend(body.pieces.iter().map(|piece| SupportPiece::new(&piece.body, &piece.frame_from_piece)));
        }
        first.push(pieces.len() as u32);
        Self {
            instructions: Instructions::with_fused_multiply_add(usual_tier()),
            pieces: pieces.into(),
            obstacles: pieces_of(world),
            first: first.into(),
            cached_axes: vec![CachedAxis::default(); CACHE_SLOTS],
            cached_simplices: Vec::new(),
        }
    }

    /// Replaces the obstacles.
    pub fn set_obstacles(&mut self, world: &[Obstacle]) {
        self.obstacles = pieces_of(world);
        self.forget();
    }

    /// Updates an obstacle that has moved. Cached directions remain, because they are only the start of searches; cached
    /// support points of it do not, because an obstacle that is rotated has others.
    pub fn move_obstacle(&mut self, id: u32, other: &Obstacle) {
        let number = self.obstacle(id) as u32;
        Arc::make_mut(&mut self.obstacles)[id as usize] = SupportPiece::new(&other.body, &other.world_from_body);
        self.cached_simplices.iter_mut().for_each(|simplex| simplex.forget(number));
    }

    /// Clears the caches.
    pub fn forget(&mut self) {
        self.cached_axes.fill(CachedAxis::default());
        self.forget_distances();
    }

    /// Clears what later distances would depend on.
    pub fn forget_distances(&mut self) {
        self.cached_simplices.clear();
    }

    /// Uses other instructions.
    pub fn set_tier(&mut self, tier: SimdTier) {
        self.instructions = Instructions::with_fused_multiply_add(tier);
    }

    /// Number of a body's piece.
    pub fn piece(&self, body: usize, piece: usize) -> usize {
        self.first[body] as usize + piece
    }

    /// Number of an obstacle.
    pub fn obstacle(&self, id: u32) -> usize {
        (self.first[self.first.len() - 1] + id) as usize
    }

    /// Whether two pieces, each with the pose of the frame that carries it, are farther apart than `bound` (m). `None`
    /// stands for the root frame.
    pub fn separated(&mut self, a: (usize, Option<&Rigid>), b: (usize, &Rigid), bound: f64) -> Separated {
        let Some(instructions) = self.instructions else { return Separated::Perhaps };
        let Self { pieces, obstacles, cached_axes, .. } = self;
        let (Some(piece_a), Some(piece_b)) = (numbered(pieces, obstacles, a.0), numbered(pieces, obstacles, b.0))
        else {
            return Separated::Perhaps;
        };
        let pose = RelativePose::new((piece_a, a.1), (piece_b, b.1));
        let apart = pose.offset.norm();
        let size = apart + piece_a.radius + piece_b.radius;
        if apart - piece_a.radius - piece_b.radius > bound + DISTANCE_ERROR_RATIO * size {
            return Separated::Yes;
        }
        if !(size < LARGEST_COORDINATE_M_RAD && bound >= 0.0) {
            return Separated::Perhaps;
        }
        let pair = (a.0 as u32, b.0 as u32);
        let slot = cache_slot(pair);
        let last = cached_axes[slot];
        let cached = last.of(pair);
        let offset = single(&pose.offset);
        // The exact tier's distance is below the true one by at most `DISTANCE_ERROR_RATIO`; twice that is enough.
        let pad = GAP_ROUNDING_RATIO * upward(size) + upward(2.0 * DISTANCE_ERROR_RATIO * size);
        let mut search = AxisSearch {
            pieces: (piece_a, piece_b),
            pose,
            offset,
            bound: upward(bound) + piece_a.rounding + piece_b.rounding,
            pad,
            direction: cached.unwrap_or(offset),
            is_unit: cached.is_some(),
            found: Separated::Perhaps,
        };
        instructions.run_pack(&mut search);
        if search.found == Separated::Yes {
            cached_axes[slot] = CachedAxis { pair, direction: search.direction };
        }
        search.found
    }
}

/// The piece with a number, of the bodies first and then of the obstacles; `None` for pieces that are not tested here.
#[inline(always)]
fn numbered<'a>(
    bodies: &'a [Option<SupportPiece>],
    obstacles: &'a [Option<SupportPiece>],
    number: usize,
) -> Option<&'a SupportPiece> {
    let piece = match number.checked_sub(bodies.len()) {
        None => &bodies[number],
        Some(obstacle) => &obstacles[obstacle],
    };
    piece.as_ref()
}

fn pieces_of(world: &[Obstacle]) -> Arc<[Option<SupportPiece>]> {
    world.iter().map(|other| SupportPiece::new(&other.body, &other.world_from_body)).collect()
}

/// Cache slot of a pair.
#[inline]
fn cache_slot((a, b): (u32, u32)) -> usize {
    // Fibonacci hashing (Knuth 1973, 6.4).
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - CACHE_SLOTS.trailing_zeros())) as usize
}

/// A search for a separating axis, in the frame of the first piece.
struct AxisSearch<'a> {
    pieces: (&'a SupportPiece, &'a SupportPiece),
    pose: RelativePose,
    /// From centre to centre.
    offset: Vector,
    /// Bound for the gap of the cores.
    bound: f32,
    /// Bound on the errors of rounding and of the exact tier.
    pad: f32,
    /// The next direction; the separating axis in the end.
    direction: Vector,
    is_unit: bool,
    found: Separated,
}

impl PackedKernel for AxisSearch<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        let (a, b) = (&self.pieces.0.core, &self.pieces.1.core);
        if !self.is_unit {
            let length = dot(self.direction, self.direction).sqrt();
            self.direction = if length > 0.0 { self.direction.map(|value| value / length) } else { [1.0, 0.0, 0.0] };
        }
        let mut simplex = Simplex::default();
        let mut nearest = f64::MAX;
        for _ in 0..MAX_SEPARATION_ITERATIONS {
            let back = self.pose.rotated_back(self.direction);
            let (extent_a, extent_b) = (a.extent(self.direction), b.extent(back));
            if dot(self.direction, self.offset) - extent_a - extent_b > self.bound + self.pad {
                self.found = Separated::Yes;
                return;
            }
            let on_b = self.pose.rotated(b.farthest(back, extent_b));
            let on_a = a.farthest(self.direction, extent_a);
            let between = along(along(self.offset, on_b, 1.0), on_a, -1.0);
            let Nearest::Point([x, y, z]) = simplex.add(double(between), f64::from(self.pad)) else {
                self.found = Separated::No;
                return;
            };
            let length = (x * x + y * y + z * z).sqrt();
            if length + f64::from(self.pad) <= f64::from(self.bound) {
                self.found = Separated::No;
                return;
            }
            // Rounding has stopped all progress. The comparison is also false for NaN.
            if !(length < nearest && length > f64::from(self.pad)) {
                return;
            }
            nearest = length;
            self.direction = [(x / length) as f32, (y / length) as f32, (z / length) as f32];
        }
    }
}

#[cfg(test)]
mod tests;
