//! Signed distance and witness points of convex pieces in single precision (Gilbert, Johnson, Keerthi 1988).
//!
//! The distance is the gap along the best separating direction, which is at most the true distance, as in the exact tier;
//! the search ends when the nearest point of the difference of both is no farther than that. The support points that the last
//! search about a pair ended with are where the next one begins, so that an answer depends on earlier queries, within the
//! stated error.

use kinetic_collision::exact::GAP;
use kinetic_kinematics::Rigid;
use nalgebra::{Point3, Vector3};

use super::piece::{Piece, RelativePose, Vector, along, dot, double};
use super::simplex::{Nearest, Simplex};
use super::{REMEMBERED, SeparationTest, cache_slot, numbered};
use crate::dispatch::PackedKernel;
use crate::rounding::{LARGEST_COORDINATE, single, upward};
use crate::vector::Lanes;

/// Bound on the error of a distance, relative to the distance of the centres plus both bounding radii.
pub const SINGLE_PRECISION_ERROR: f64 = 2e-5;

/// How far the gap may be below the nearest point when a search ends, relative as above.
const LARGEST_GAP: f32 = 1e-5;

/// A search goes on until the gap is this close to the nearest point, or rounding stops all progress.
const SMALLEST_GAP: f32 = 3e-7;

/// Trials of directions. Polytopes need fewer than ten; rims of cylinders converge slowly.
const MOST_ITERATIONS: usize = 24;

/// How two pieces lie to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PieceDistance {
    /// Farther apart than the cutoff.
    Beyond,
    /// Apart, with [`SINGLE_PRECISION_ERROR`].
    Apart {
        /// Distance of the surfaces, m.
        distance: f64,
        /// Witness on the first piece, root frame.
        point_a: Point3<f64>,
        /// Unit direction from the first to the second, root frame; `point_a + normal · distance` is on the second.
        normal: Vector3<f64>,
    },
    /// Not known in single precision: they overlap, the search did not converge, or a piece is not convex and bounded.
    Unknown,
}

/// Support points that a search about two pieces ended with, each in the frame of its piece.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CachedSimplex {
    pair: (u32, u32),
    count: usize,
    on_a: [Vector; 3],
    on_b: [Vector; 3],
}

impl SeparationTest {
    /// Distance of two pieces, each with the pose of the frame that carries it (`None` is the root frame), when it is at most
    /// `cutoff` (m, finite).
    pub fn distance(&mut self, a: (usize, Option<&Rigid>), b: (usize, &Rigid), cutoff: f64) -> PieceDistance {
        let Some(instructions) = self.instructions else { return PieceDistance::Unknown };
        let Self { pieces, obstacles, simplices, .. } = self;
        let (Some(piece_a), Some(piece_b)) = (numbered(pieces, obstacles, a.0), numbered(pieces, obstacles, b.0))
        else {
            return PieceDistance::Unknown;
        };
        let pose = RelativePose::new((piece_a, a.1), (piece_b, b.1));
        let apart = pose.offset.norm();
        let size = apart + piece_a.radius + piece_b.radius;
        if apart - piece_a.radius - piece_b.radius > cutoff + GAP * size {
            return PieceDistance::Beyond;
        }
        if !(size < LARGEST_COORDINATE) {
            return PieceDistance::Unknown;
        }
        if simplices.is_empty() {
            simplices.resize(REMEMBERED, CachedSimplex::default());
        }
        let pair = (a.0 as u32, b.0 as u32);
        let cached = &mut simplices[cache_slot(pair)];
        if cached.pair != pair {
            *cached = CachedSimplex { pair, ..CachedSimplex::default() };
        }
        let offset = single(&pose.offset);
        let mut search = Search {
            pieces: (piece_a, piece_b),
            pose,
            offset,
            cutoff: upward(cutoff) + piece_a.rounding + piece_b.rounding,
            size: upward(size),
            direction: offset,
            gap: f32::MIN,
            supports: *cached,
            simplex: Simplex::default(),
            outcome: Outcome::Open,
        };
        instructions.run_eight(&mut search);
        *cached = search.supports;
        match search.outcome {
            Outcome::Open => PieceDistance::Unknown,
            Outcome::Beyond => PieceDistance::Beyond,
            Outcome::Converged => search.distance(a.1),
        }
    }
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Open,
    Beyond,
    Converged,
}

/// One search, in the frame of the first piece.
struct Search<'a> {
    pieces: (&'a Piece, &'a Piece),
    pose: RelativePose,
    /// From centre to centre.
    offset: Vector,
    /// Of the cores.
    cutoff: f32,
    /// Distance of the centres and both radii.
    size: f32,
    /// The next direction to try, to the nearest point of the difference; a unit vector once the search has begun.
    direction: Vector,
    /// The largest gap of the cores that was found.
    gap: f32,
    /// Support points that the simplex is made from.
    supports: CachedSimplex,
    simplex: Simplex,
    outcome: Outcome,
}

impl PackedKernel for Search<'_> {
    #[inline(always)]
    fn work<L: Lanes>(&mut self) {
        let (a, b) = (&self.pieces.0.core, &self.pieces.1.core);
        self.begin();
        let mut least = f64::MAX;
        for _ in 0..MOST_ITERATIONS {
            let back = self.pose.turned_back(self.direction);
            let (extent_a, extent_b) = (a.extent(self.direction), b.extent(back));
            let gap = dot(self.direction, self.offset) - extent_a - extent_b;
            if gap > self.cutoff {
                self.outcome = Outcome::Beyond;
                return;
            }
            self.gap = if gap > self.gap { gap } else { self.gap };
            if least - f64::from(self.gap) <= f64::from(SMALLEST_GAP * self.size) {
                break;
            }
            let (on_a, on_b) = (a.farthest(self.direction, extent_a), b.farthest(back, extent_b));
            let before = (self.simplex, self.supports);
            let Some([x, y, z]) = self.add(on_a, on_b) else { return };
            let length = (x * x + y * y + z * z).sqrt();
            // Where rounding stops all progress, the point before is nearer; NaN ends here too.
            if !(length < least) {
                (self.simplex, self.supports) = before;
                break;
            }
            // Overlapping cores, as far as single precision can tell.
            if length <= f64::from(SMALLEST_GAP * self.size) {
                return;
            }
            least = length;
            self.direction = [(x / length) as f32, (y / length) as f32, (z / length) as f32];
        }
        if least - f64::from(self.gap) <= f64::from(LARGEST_GAP * self.size) {
            self.outcome = Outcome::Converged;
        }
    }
}

impl Search<'_> {
    /// Takes two support points in, each in the frame of its piece: the nearest point of the simplex, unless it contains
    /// the origin.
    #[inline(always)]
    fn add(&mut self, on_a: Vector, on_b: Vector) -> Option<[f64; 3]> {
        let between = along(along(self.offset, self.pose.turned(on_b), 1.0), on_a, -1.0);
        let Nearest::Point(nearest) = self.simplex.add(double(between), 0.0) else { return None };
        let place = self.simplex.last();
        (self.supports.on_a[place], self.supports.on_b[place]) = (on_a, on_b);
        self.supports.count = self.supports.count.max(place + 1);
        Some(nearest)
    }

    /// Begins with the simplex of the last search about the pair, or along the line between the centres.
    #[inline(always)]
    fn begin(&mut self) {
        let CachedSimplex { count, on_a, on_b, .. } = self.supports;
        self.supports.count = 0;
        let mut direction = self.offset;
        for place in 0..count {
            if let Some(nearest) = self.add(on_a[place], on_b[place]) {
                direction = nearest.map(|value| value as f32);
            }
        }
        let length = dot(direction, direction).sqrt();
        self.direction = if length > 0.0 { direction.map(|value| value / length) } else { [1.0, 0.0, 0.0] };
    }

    /// The distance of the pieces, whose cores are apart.
    #[inline]
    fn distance(&self, root_from_a: Option<&Rigid>) -> PieceDistance {
        let (piece, other) = self.pieces;
        let weights = self.simplex.weights();
        let mut local = piece.center;
        for (point, weight) in self.supports.on_a.iter().zip(weights) {
            local += Vector3::from(double(*point)) * weight;
        }
        let normal = Vector3::from(double(self.direction));
        local += normal * f64::from(piece.rounding);
        let (point, normal) = match root_from_a {
            None => (local, normal),
            Some(frame) => (frame.point(&local), frame.rotation * normal),
        };
        let distance = f64::from(self.gap) - f64::from(piece.rounding) - f64::from(other.rounding);
        PieceDistance::Apart { distance, point_a: point.into(), normal }
    }
}
