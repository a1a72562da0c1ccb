//! Signed distance and witness points of convex pieces in single precision (Gilbert, Johnson, Keerthi 1988). The
//! distance is the gap along the best separating direction, which is at most the true distance, as in the exact tier.
//! The search ends when the nearest point of the Minkowski difference is no farther than that. It starts with the
//! support points of the last query about the pair, so that a result depends on earlier queries, within the stated
//! error.

use kinetic_collision::exact::DISTANCE_ERROR_RATIO;
use kinetic_kinematics::Rigid;
use nalgebra::{Point3, Vector3};

use super::piece::{RelativePose, SupportPiece, Vector, along, dot, double};
use super::simplex::{Nearest, Simplex};
use super::{CACHE_SLOTS, SeparationTest, cache_slot, numbered};
use crate::instructions::PackedKernel;
use crate::rounding::{single, upward};
use crate::tolerance::LARGEST_COORDINATE_M_RAD;
use crate::vector::Lanes;

/// Bound on the error of a distance, relative to the distance of the centres plus both bounding radii.
pub const SINGLE_PRECISION_ERROR: f64 = 2e-5;

/// Difference of the nearest point's distance and the gap up to which a search has converged, relative as above.
const CONVERGED_GAP_RATIO: f32 = 1e-5;

/// Difference at which a search stops improving, relative as above. Rounding may stop it earlier.
const TARGET_GAP_RATIO: f32 = 3e-7;

/// Directions per search. Polytopes need fewer than ten; rims of cylinders converge slowly.
const MAX_DISTANCE_ITERATIONS: usize = 24;

/// Distance of two pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PieceDistance {
    /// Farther apart than the cutoff.
    Beyond,
    /// Apart, with [`SINGLE_PRECISION_ERROR`].
    Apart {
        /// Distance of the surfaces, m.
        distance: f64,
        /// Witness point on the first piece, root frame.
        point_a: Point3<f64>,
        /// Unit direction from the first to the second, root frame; `point_a + normal · distance` is on the second.
        normal: Vector3<f64>,
    },
    /// Not known in single precision, because they overlap, the search did not converge, or a piece is not convex and
    /// bounded.
    Unknown,
}

/// Support points of the last search about two pieces, each in the frame of its piece.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CachedSimplex {
    pair: (u32, u32),
    count: usize,
    on_a: [Vector; 3],
    on_b: [Vector; 3],
}

impl CachedSimplex {
    /// Drops the support points of a pair with this piece.
    pub(super) fn forget(&mut self, piece: u32) {
        if self.pair.0 == piece || self.pair.1 == piece {
            self.count = 0;
        }
    }
}

impl SeparationTest {
    /// Distance of two pieces, each with the pose of the frame that carries it (`None` is the root frame), when it is
    /// at most `cutoff` (m, finite).
    pub fn distance(&mut self, a: (usize, Option<&Rigid>), b: (usize, &Rigid), cutoff: f64) -> PieceDistance {
        let Some(instructions) = self.instructions else { return PieceDistance::Unknown };
        let Self { pieces, obstacles, cached_simplices, .. } = self;
        let (Some(piece_a), Some(piece_b)) = (numbered(pieces, obstacles, a.0), numbered(pieces, obstacles, b.0))
        else {
            return PieceDistance::Unknown;
        };
        let pose = RelativePose::new((piece_a, a.1), (piece_b, b.1));
        let apart = pose.offset.norm();
        let size = apart + piece_a.radius + piece_b.radius;
        if apart - piece_a.radius - piece_b.radius > cutoff + DISTANCE_ERROR_RATIO * size {
            return PieceDistance::Beyond;
        }
        if !(size < LARGEST_COORDINATE_M_RAD) {
            return PieceDistance::Unknown;
        }
        if cached_simplices.is_empty() {
            cached_simplices.resize(CACHE_SLOTS, CachedSimplex::default());
        }
        let pair = (a.0 as u32, b.0 as u32);
        let cached = &mut cached_simplices[cache_slot(pair)];
        if cached.pair != pair {
            *cached = CachedSimplex { pair, ..CachedSimplex::default() };
        }
        let lengths = (upward(cutoff), upward(size));
        let mut search = DistanceSearch::new((piece_a, piece_b), pose, lengths, *cached);
        instructions.run_pack(&mut search);
        *cached = search.supports;
        match search.outcome {
            Outcome::Undecided => PieceDistance::Unknown,
            Outcome::Beyond => PieceDistance::Beyond,
            Outcome::Converged => search.distance(a.1),
        }
    }
}

/// State of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Undecided,
    Beyond,
    Converged,
}

/// A distance search, in the frame of the first piece.
struct DistanceSearch<'a> {
    pieces: (&'a SupportPiece, &'a SupportPiece),
    pose: RelativePose,
    /// From centre to centre.
    offset: Vector,
    /// Cutoff for the distance of the cores.
    cutoff: f32,
    /// Distance of the centres and both radii.
    size: f32,
    /// The next direction, towards the nearest point of the Minkowski difference; a unit vector once the search has begun.
    direction: Vector,
    /// The largest gap between the cores found so far.
    gap: f32,
    /// Support points of the simplex.
    supports: CachedSimplex,
    simplex: Simplex,
    outcome: Outcome,
}

impl PackedKernel for DistanceSearch<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        let (a, b) = (&self.pieces.0.core, &self.pieces.1.core);
        self.begin();
        let mut least = f64::MAX;
        for _ in 0..MAX_DISTANCE_ITERATIONS {
            let back = self.pose.rotated_back(self.direction);
            let (extent_a, extent_b) = (a.extent(self.direction), b.extent(back));
            let gap = dot(self.direction, self.offset) - extent_a - extent_b;
            if gap > self.cutoff {
                self.outcome = Outcome::Beyond;
                return;
            }
            self.gap = if gap > self.gap { gap } else { self.gap };
            if least - f64::from(self.gap) <= f64::from(TARGET_GAP_RATIO * self.size) {
                break;
            }
            let (on_a, on_b) = (a.farthest(self.direction, extent_a), b.farthest(back, extent_b));
            let before = (self.simplex, self.supports);
            let Some([x, y, z]) = self.add(on_a, on_b) else { return };
            let length = (x * x + y * y + z * z).sqrt();
            // Rounding has stopped all progress, and the previous point is nearer. The comparison is also false for NaN.
            if !(length < least) {
                (self.simplex, self.supports) = before;
                break;
            }
            // The cores overlap, as far as single precision can tell.
            if length <= f64::from(TARGET_GAP_RATIO * self.size) {
                return;
            }
            least = length;
            self.direction = [(x / length) as f32, (y / length) as f32, (z / length) as f32];
        }
        // A gap above the nearest point by more than rounding belongs to no two convex pieces.
        if (least - f64::from(self.gap)).abs() <= f64::from(CONVERGED_GAP_RATIO * self.size) {
            self.outcome = Outcome::Converged;
        }
    }
}

impl<'a> DistanceSearch<'a> {
    /// A search up to a distance of the pieces (m), whose size is the distance of the centres and both radii.
    fn new(
        pieces: (&'a SupportPiece, &'a SupportPiece),
        pose: RelativePose,
        (cutoff, size): (f32, f32),
        supports: CachedSimplex,
    ) -> Self {
        let offset = single(&pose.offset);
        Self {
            pieces,
            pose,
            offset,
            cutoff: cutoff + pieces.0.rounding + pieces.1.rounding,
            size,
            direction: offset,
            gap: f32::MIN,
            supports,
            simplex: Simplex::default(),
            outcome: Outcome::Undecided,
        }
    }

    /// Adds two support points, each in the frame of its piece, and returns the nearest point of the simplex, unless it
    /// contains the origin.
    #[inline(always)]
    fn add(&mut self, on_a: Vector, on_b: Vector) -> Option<[f64; 3]> {
        let between = along(along(self.offset, self.pose.rotated(on_b), 1.0), on_a, -1.0);
        let Nearest::Point(nearest) = self.simplex.add(double(between), 0.0) else { return None };
        let index = self.simplex.last();
        (self.supports.on_a[index], self.supports.on_b[index]) = (on_a, on_b);
        self.supports.count = self.supports.count.max(index + 1);
        Some(nearest)
    }

    /// Starts from the simplex of the last search about the pair, or along the line between the centres.
    #[inline(always)]
    fn begin(&mut self) {
        let CachedSimplex { count, on_a, on_b, .. } = self.supports;
        self.supports.count = 0;
        let mut direction = self.offset;
        for index in 0..count {
            if let Some(nearest) = self.add(on_a[index], on_b[index]) {
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
