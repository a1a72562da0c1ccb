//! Whether two convex pieces are farther apart than a bound, or certainly not, in single precision.
//!
//! A direction along which the gap between two bodies exceeds a bound proves that they are farther apart, and finding the
//! extents of both along it is all that a trial costs: the corners of a hull lie eight together. The direction that parted
//! a pair last is tried first, since bodies that move a little stay apart along it; then GJK looks for one. A point of the
//! difference of the two that is nearer to the origin than the bound proves the opposite.
//!
//! Both proofs leave room for rounding and for what the exact tier may be short of the true distance
//! ([`GAP`](kinetic_collision::exact::GAP)), so that the exact tier would say the same, whatever was asked before; it is
//! asked about everything between.

mod distance;
mod piece;
mod simplex;

use std::sync::Arc;

use kinetic_collision::exact::GAP;
use kinetic_kinematics::Rigid;

use crate::collision_model::{MovingBody, Obstacle};
use crate::dispatch::{Instructions, PackedKernel};
use crate::rounding::{LARGEST_COORDINATE, single, upward};
use crate::separation::piece::{Piece, RelativePose, Vector, along, dot, double};
use crate::separation::simplex::{Nearest, Simplex};
use crate::tier::{SimdTier, detect_simd_tier};
use crate::vector::Lanes;
use distance::CachedSimplex;

pub use distance::{PieceDistance, SINGLE_PRECISION_ERROR};

/// Trials of directions; most searches end after two to four.
const ROUNDS: usize = 10;

/// Directions that are remembered, a power of two.
const REMEMBERED: usize = 256;

/// What rounding can do to a gap, relative to the distance of the centres and the two radii: the corners, the relative pose
/// and the direction are off by a few units of 6e-8 each, and products of three terms by as many.
const ROUNDING: f32 = 4e-6;

/// What is certain about two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separated {
    /// Farther apart than the bound.
    Yes,
    /// Not farther apart.
    No,
    /// Too close to the bound for single precision, or of a kind that is not looked at here.
    Perhaps,
}

/// The direction that parted two pieces, in the frame of the first.
#[derive(Debug, Clone, Copy, Default)]
struct CachedAxis {
    pair: (u32, u32),
    direction: Vector,
}

impl CachedAxis {
    /// The direction, when it is about a pair.
    #[inline(always)]
    fn of(&self, pair: (u32, u32)) -> Option<Vector> {
        (self.pair == pair && self.direction != [0.0; 3]).then_some(self.direction)
    }
}

/// All pieces of a checker, those of the robot's bodies first, and the directions that parted pairs of them.
#[derive(Debug, Clone)]
pub struct SeparationTest {
    /// `None` where every fused multiply-add is a call of a function: double precision is quicker then.
    instructions: Option<Instructions>,
    pieces: Arc<[Option<Piece>]>,
    /// The obstacles, which have the numbers after these.
    obstacles: Arc<[Option<Piece>]>,
    /// Number of the first piece of every body, and of the first obstacle.
    first: Arc<[u32]>,
    known: Vec<CachedAxis>,
    /// What searches for distances ended with; empty before the first.
    simplices: Vec<CachedSimplex>,
}

impl SeparationTest {
    /// For the convex pieces of some bodies and obstacles, with the widest instructions that the processor has.
    pub fn new(bodies: &[MovingBody], world: &[Obstacle]) -> Self {
        let mut pieces = Vec::new();
        let mut first = Vec::with_capacity(bodies.len() + 1);
        for body in bodies {
            first.push(pieces.len() as u32);
            pieces.extend(body.pieces.iter().map(|part| Piece::new(&part.body, &part.frame_from_piece)));
        }
        first.push(pieces.len() as u32);
        Self {
            instructions: Instructions::with_fused_multiply_add(detect_simd_tier()),
            pieces: pieces.into(),
            obstacles: pieces_of(world),
            first: first.into(),
            known: vec![CachedAxis::default(); REMEMBERED],
            simplices: Vec::new(),
        }
    }

    /// With other obstacles.
    pub fn set_obstacles(&mut self, world: &[Obstacle]) {
        self.obstacles = pieces_of(world);
        self.forget();
    }

    /// Takes over where an obstacle is now. Directions of before are where searches begin, and decide nothing.
    pub fn move_obstacle(&mut self, id: u32, other: &Obstacle) {
        Arc::make_mut(&mut self.obstacles)[id as usize] = Piece::new(&other.body, &other.world_from_body);
    }

    /// Without the directions of earlier questions.
    pub fn forget(&mut self) {
        self.known.fill(CachedAxis::default());
        self.simplices.fill(CachedSimplex::default());
    }

    /// With other instructions.
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

    /// Whether two pieces, each with the pose of the frame that carries it, are farther apart than `bound` (m). `None` is
    /// the pose of what stands in the root frame.
    pub fn parts(&mut self, a: (usize, Option<&Rigid>), b: (usize, &Rigid), bound: f64) -> Separated {
        let Some(instructions) = self.instructions else { return Separated::Perhaps };
        let Self { pieces, obstacles, known, .. } = self;
        let (Some(piece_a), Some(piece_b)) = (numbered(pieces, obstacles, a.0), numbered(pieces, obstacles, b.0))
        else {
            return Separated::Perhaps;
        };
        let pose = RelativePose::new((piece_a, a.1), (piece_b, b.1));
        let apart = pose.offset.norm();
        let size = apart + piece_a.radius + piece_b.radius;
        if apart - piece_a.radius - piece_b.radius > bound + GAP * size {
            return Separated::Yes;
        }
        if !(size < LARGEST_COORDINATE && bound >= 0.0) {
            return Separated::Perhaps;
        }
        let pair = (a.0 as u32, b.0 as u32);
        let place = cache_slot(pair);
        let last = known[place];
        let cached = last.of(pair);
        let offset = single(&pose.offset);
        // The exact tier's distance is short of the true one by at most its gap; twice that is room enough.
        let pad = ROUNDING * upward(size) + upward(2.0 * GAP * size);
        let mut search = Search {
            pieces: (piece_a, piece_b),
            pose,
            offset,
            bound: upward(bound) + piece_a.rounding + piece_b.rounding,
            pad,
            direction: cached.unwrap_or(offset),
            is_unit: cached.is_some(),
            found: Separated::Perhaps,
        };
        instructions.run_eight(&mut search);
        if search.found == Separated::Yes {
            known[place] = CachedAxis { pair, direction: search.direction };
        }
        search.found
    }
}

/// The piece of a number, of bodies or after them of obstacles; `None` for those that are not looked at here.
#[inline(always)]
fn numbered<'a>(bodies: &'a [Option<Piece>], obstacles: &'a [Option<Piece>], number: usize) -> Option<&'a Piece> {
    let piece = match number.checked_sub(bodies.len()) {
        None => &bodies[number],
        Some(obstacle) => &obstacles[obstacle],
    };
    piece.as_ref()
}

fn pieces_of(world: &[Obstacle]) -> Arc<[Option<Piece>]> {
    world.iter().map(|other| Piece::new(&other.body, &other.world_from_body)).collect()
}

/// Where the direction of a pair is remembered.
#[inline]
fn cache_slot((a, b): (u32, u32)) -> usize {
    // Fibonacci hashing (Knuth 1973, 6.4).
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - REMEMBERED.trailing_zeros())) as usize
}

/// One search, in the frame of the first piece.
struct Search<'a> {
    pieces: (&'a Piece, &'a Piece),
    pose: RelativePose,
    /// From centre to centre.
    offset: Vector,
    /// To be exceeded by the cores.
    bound: f32,
    /// What rounding and the exact tier may be off by.
    pad: f32,
    /// The first to try, and what parted them.
    direction: Vector,
    is_unit: bool,
    found: Separated,
}

impl PackedKernel for Search<'_> {
    #[inline(always)]
    fn work<L: Lanes>(&mut self) {
        let (a, b) = (&self.pieces.0.core, &self.pieces.1.core);
        if !self.is_unit {
            let length = dot(self.direction, self.direction).sqrt();
            self.direction = if length > 0.0 { self.direction.map(|value| value / length) } else { [1.0, 0.0, 0.0] };
        }
        let mut simplex = Simplex::default();
        let mut nearest = f64::MAX;
        for _ in 0..ROUNDS {
            let back = self.pose.turned_back(self.direction);
            let (extent_a, extent_b) = (a.extent(self.direction), b.extent(back));
            if dot(self.direction, self.offset) - extent_a - extent_b > self.bound + self.pad {
                self.found = Separated::Yes;
                return;
            }
            let on_b = self.pose.turned(b.farthest(back, extent_b));
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
            // Also ends where rounding stops all progress, and for NaN.
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
