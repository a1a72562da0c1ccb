//! Signed distance and witness points of convex pieces in single precision (Gilbert, Johnson, Keerthi 1988).
//!
//! The distance is the gap along the best separating direction, which is at most the true distance, as in the exact tier;
//! the search ends when the nearest point of the difference of both is no farther than that. The direction of the last
//! search about a pair is where the next one begins.

use kinetic_collision::exact::GAP;
use kinetic_kinematics::Rigid;
use nalgebra::{Point3, Vector3};

use super::piece::{Piece, RelativePose, Vector, along, dot, double};
use super::simplex::{Nearest, Simplex};
use super::{CachedAxis, SeparationTest, cache_slot, numbered};
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

impl SeparationTest {
    /// Distance of two pieces, each with the pose of the frame that carries it (`None` is the root frame), when it is at most
    /// `cutoff` (m, finite).
    pub fn distance(&mut self, a: (usize, Option<&Rigid>), b: (usize, &Rigid), cutoff: f64) -> PieceDistance {
        let Some(instructions) = self.instructions else { return PieceDistance::Unknown };
        let Self { pieces, obstacles, known, .. } = self;
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
        let pair = (a.0 as u32, b.0 as u32);
        let slot = cache_slot(pair);
        let last = known[slot];
        let offset = single(&pose.offset);
        let mut search = Search {
            pieces: (piece_a, piece_b),
            pose,
            offset,
            cutoff: upward(cutoff) + piece_a.rounding + piece_b.rounding,
            size: upward(size),
            direction: last.of(pair).unwrap_or(offset),
            gap: f32::MIN,
            nearest: [0.0; 3],
            on_a: [[0.0; 3]; 3],
            simplex: Simplex::default(),
            outcome: Outcome::Open,
        };
        instructions.run_eight(&mut search);
        match search.outcome {
            Outcome::Open => PieceDistance::Unknown,
            Outcome::Beyond => {
                known[slot] = CachedAxis { pair, direction: search.direction };
                PieceDistance::Beyond
            }
            Outcome::Converged => {
                known[slot] = CachedAxis { pair, direction: search.nearest };
                search.distance(a.1)
            }
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
    /// The next direction to try; a unit vector once the search has begun.
    direction: Vector,
    /// The largest gap of the cores that was found.
    gap: f32,
    /// Unit direction to the nearest point of the difference.
    nearest: Vector,
    /// Support points of the first piece that the simplex is made from.
    on_a: [Vector; 3],
    simplex: Simplex,
    outcome: Outcome,
}

impl PackedKernel for Search<'_> {
    #[inline(always)]
    fn work<L: Lanes>(&mut self) {
        let (a, b) = (&self.pieces.0.core, &self.pieces.1.core);
        let length = dot(self.direction, self.direction).sqrt();
        self.direction = if length > 0.0 { self.direction.map(|value| value / length) } else { [1.0, 0.0, 0.0] };
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
            let on_a = a.farthest(self.direction, extent_a);
            let on_b = self.pose.turned(b.farthest(back, extent_b));
            let between = along(along(self.offset, on_b, 1.0), on_a, -1.0);
            let before = (self.simplex, self.on_a);
            let Nearest::Point([x, y, z]) = self.simplex.add(double(between), 0.0) else { return };
            self.on_a[self.simplex.last()] = on_a;
            let length = (x * x + y * y + z * z).sqrt();
            // Where rounding stops all progress, the point before is nearer; NaN ends here too.
            if !(length < least) {
                (self.simplex, self.on_a) = before;
                break;
            }
            // Overlapping cores, as far as single precision can tell.
            if length <= f64::from(SMALLEST_GAP * self.size) {
                return;
            }
            least = length;
            self.direction = [(x / length) as f32, (y / length) as f32, (z / length) as f32];
            self.nearest = self.direction;
            if length - f64::from(self.gap) <= f64::from(SMALLEST_GAP * self.size) {
                break;
            }
        }
        if least - f64::from(self.gap) <= f64::from(LARGEST_GAP * self.size) {
            self.outcome = Outcome::Converged;
        }
    }
}

impl Search<'_> {
    /// The distance of the pieces, whose cores are apart.
    #[inline]
    fn distance(&self, root_from_a: Option<&Rigid>) -> PieceDistance {
        let (piece, other) = self.pieces;
        let weights = self.simplex.weights();
        let mut local = piece.center;
        for (point, weight) in self.on_a.iter().zip(weights) {
            local += Vector3::from(double(*point)) * weight;
        }
        let normal = Vector3::from(double(self.nearest));
        local += normal * f64::from(piece.rounding);
        let (point, normal) = match root_from_a {
            None => (local, normal),
            Some(frame) => (frame.point(&local), frame.rotation * normal),
        };
        let distance = f64::from(self.gap) - f64::from(piece.rounding) - f64::from(other.rounding);
        PieceDistance::Apart { distance, point_a: point.into(), normal }
    }
}
