//! GJK and EPA on the cores of two bodies by parry. No other file depends on its types.
//!
//! parry measures with absolute tolerances that suit bodies of a few tens of units, so the pair is scaled to that size
//! first. Its results are proposals, which `exact::core_pair` proves or rejects.

use nalgebra::{Isometry3, Vector3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

use crate::exact::{Core, CorePair, Witness};

/// Sum of the bounding radii after scaling. With 30 units the tolerances of parry 0.31 (4.7e-8 on distances, squares
/// and areas alike) stay below 1e-7 of the size for polytopes and cylinders; measured over random pairs.
const SCALED_PAIR_SIZE: f64 = 30.0;

/// Result of parry, in the frame of the first body and in m.
pub(crate) enum Answer {
    /// Farther apart than the cutoff, by the gap along this unit direction.
    Beyond(Vector3<f64>),
    /// Closest points, or the deepest ones of an overlap.
    Witness(Witness),
    /// No usable result.
    Failed,
}

/// Closest points of two cores, or a direction that shows them to be farther apart than `cutoff`.
pub(crate) fn closest(pair: &CorePair<'_>, cutoff: f64) -> Answer {
    let Some(scaled) = ScaledPair::new(pair) else { return Answer::Failed };
    let mut simplex = scaled.start();
    let found = match scaled.gjk(cutoff, true, &mut simplex) {
        GJKResult::NoIntersection(direction) => return Answer::Beyond(vector(direction)),
        GJKResult::ClosestPoints(on_a, on_b, normal) => Some((on_a, on_b, normal)),
        GJKResult::Intersection => EPA::new().closest_points(&scaled.a_from_b, &scaled.a, &scaled.b, &simplex),
        GJKResult::Proximity(_) => None,
    };
    let witness = found.and_then(|(on_a, on_b, normal)| witness(on_a, on_b, normal, scaled.a.scale));
    witness.map_or(Answer::Failed, Answer::Witness)
}

/// Compares the distance of two cores with `reach` (≥ 0) by GJK without closest points.
pub(crate) fn compare(pair: &CorePair<'_>, reach: f64) -> Comparison {
    let Some(scaled) = ScaledPair::new(pair) else { return Comparison::Unknown };
    let mut simplex = scaled.start();
    match scaled.gjk(reach, false, &mut simplex) {
        GJKResult::NoIntersection(direction) => Comparison::Beyond(vector(direction)),
        // The origin inside a tetrahedron of points of the difference is a proof; a flatter simplex is a guess.
        GJKResult::Intersection if simplex.dimension() == 3 => Comparison::Within,
        _ => Comparison::Unknown,
    }
}

/// Result of [`compare`].
pub(crate) enum Comparison {
    /// Farther apart, by the gap along this unit direction.
    Beyond(Vector3<f64>),
    /// Overlapping.
    Within,
    /// Neither is certain.
    Unknown,
}

/// A pair scaled to the working size of parry.
struct ScaledPair<'a> {
    a: Scaled<'a>,
    b: Scaled<'a>,
    a_from_b: Pose,
}

impl<'a> ScaledPair<'a> {
    /// `None` when the pair cannot be scaled: parry asserts that supports are finite.
    fn new(pair: &CorePair<'a>) -> Option<Self> {
        let scale = SCALED_PAIR_SIZE / pair.size;
        let (a, b) = (Scaled { core: pair.a.core, scale }, Scaled { core: pair.b.core, scale });
        let a_from_b = pose(pair.a_from_b, scale);
        (scale.is_finite() && a_from_b.translation.length().is_finite()).then_some(Self { a, b, a_from_b })
    }

    fn start(&self) -> VoronoiSimplex {
        let towards = self.a_from_b.translation.try_normalize().unwrap_or(Vector::X);
        let mut simplex = VoronoiSimplex::new();
        simplex.reset(CsoPoint::from_shapes(&self.a_from_b, &self.a, &self.b, towards));
        simplex
    }

    fn gjk(&self, cutoff: f64, exact: bool, simplex: &mut VoronoiSimplex) -> GJKResult {
        let limit = (cutoff * self.a.scale).clamp(0.0, f64::MAX);
        gjk::closest_points(&self.a_from_b, &self.a, &self.b, limit, exact, simplex)
    }
}

/// Back to metres; `None` without a direction.
fn witness(on_a: Vector, on_b: Vector, normal: Vector, scale: f64) -> Option<Witness> {
    let (on_a, on_b, normal) = (vector(on_a) / scale, vector(on_b) / scale, vector(normal));
    let between = on_b - on_a;
    // Where the bodies are apart, the witnesses give the direction better than the last search direction does.
    let is_apart = between.norm() * scale > 1e-6 && between.dot(&normal) > 0.0;
    let normal = if is_apart { between } else { normal }.try_normalize(1e-12)?;
    let is_usable = normal.iter().chain(on_a.iter()).chain(on_b.iter()).all(|value| value.is_finite());
    is_usable.then_some(Witness { normal, on_a, on_b })
}

/// A core, larger by a factor.
struct Scaled<'a> {
    core: &'a Core,
    scale: f64,
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let point = self.core.support(&vector(direction)) * self.scale;
        Vector::new(point.x, point.y, point.z)
    }
}

fn vector(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

fn pose(pose: &Isometry3<f64>, scale: f64) -> Pose {
    let t = pose.translation.vector * scale;
    let q = pose.rotation.coords;
    Pose { rotation: Rotation::from_xyzw(q.x, q.y, q.z, q.w), translation: Vector::new(t.x, t.y, t.z) }
}
