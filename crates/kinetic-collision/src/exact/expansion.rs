//! Expanding polytope algorithm (van den Bergen 2001), for pairs on which the library's EPA fails.
//!
//! It is slower but more robust than the usual form: it starts from the hull of support points in fixed directions,
//! need not contain the origin, and stores the best direction that it has proven. For all roundings of the surface, the
//! result is a valid bound.

use nalgebra::{Point3, Vector3};

use super::convex::{CorePair, Witness};
use crate::hull::PointFrame;
use crate::hull::polytope::{Insertion, Polytope};
use crate::tolerance::FLATNESS;
use crate::vector::{any_perpendicular, triangle_weights};

/// Expansions; a pair of polytopes needs a few dozen, a pair of rims converges with the square of the faces.
const MAX_EXPANSIONS: usize = 400;

/// Points `a - b` of the difference of two cores, with the points they come from.
struct Difference<'a> {
    pair: &'a CorePair<'a>,
    sources: Vec<(Vector3<f64>, Vector3<f64>)>,
}

impl Difference<'_> {
    fn sample(&mut self, direction: &Vector3<f64>) -> Vector3<f64> {
        let (on_a, on_b) = self.pair.supports(direction);
        self.sources.push((on_a, on_b));
        on_a - on_b
    }
}

/// The direction of the largest gap and its witnesses.
pub(super) fn deepest(pair: &CorePair<'_>) -> Witness {
    let mut difference = Difference { pair, sources: Vec::new() };
    let points: Vec<Vector3<f64>> = first_directions().iter().map(|n| difference.sample(n)).collect();
    let placed: Vec<Point3<f64>> = points.iter().map(|point| Point3::from(*point)).collect();
    let solid = PointFrame::new(&placed).filter(|frame| frame.dimension(FLATNESS) == 3);
    let polytope = solid.and_then(|frame| Polytope::tetrahedron(points, frame.corners(), FLATNESS * frame.extent()));
    match polytope {
        Some(polytope) => expand(difference, polytope),
        None => flat_witness(pair, &placed),
    }
}

/// Axes and diagonals: 26 directions that span space.
fn first_directions() -> Vec<Vector3<f64>> {
    let steps = |index: u8| f64::from(index % 3) - 1.0;
    let all = (0..27).map(|index| Vector3::new(steps(index), steps(index / 3), steps(index / 9)));
    all.filter_map(|direction| direction.try_normalize(0.5)).collect()
}

fn expand(mut difference: Difference<'_>, mut polytope: Polytope) -> Witness {
    let pair = difference.pair;
    let tolerance = 1e-10 * pair.size;
    let mut best: Option<(f64, Vector3<f64>)> = None;
    for _ in 0..MAX_EXPANSIONS {
        let lowest = polytope.alive().min_by(|(_, f), (_, g)| f.offset.total_cmp(&g.offset));
        let Some((index, offset, normal)) = lowest.map(|(index, face)| (index, face.offset, face.normal)) else {
            break;
        };
        let point = difference.sample(&normal);
        let height = normal.dot(&point);
        if best.is_none_or(|(least, ..)| height < least) {
            best = Some((height, normal));
        }
        polytope.points.push(point);
        let newest = polytope.points.len() - 1;
        if height - offset <= tolerance || polytope.insert(newest, index) == Insertion::Refused {
            break;
        }
    }
    let Some((height, normal)) = best else { return flat_witness(pair, &[]) };
    let mut witness = Witness { normal, on_a: Vector3::zeros(), on_b: Vector3::zeros() };
    for (corner, weight) in corners_at(&polytope, &(normal * height)) {
        let (on_a, on_b) = difference.sources[corner];
        witness.on_a += on_a * weight;
        witness.on_b += on_b * weight;
    }
    witness
}

/// The corners of the face that is nearest to a point, with the weights of its nearest point. Of several triangles in one plane it
/// is the one that holds the point: the one whose normal was found first need not.
fn corners_at(polytope: &Polytope, point: &Vector3<f64>) -> Vec<(usize, f64)> {
    let corners = |vertices: [usize; 3]| vertices.map(|vertex| polytope.points[vertex] - point);
    let weights = |vertices: [usize; 3]| {
        let [a, b, c] = corners(vertices);
        triangle_weights(&a, &b, &c)
    };
    let distance = |vertices: [usize; 3]| {
        let weighted = corners(vertices).into_iter().zip(weights(vertices)).map(|(corner, weight)| corner * weight);
        weighted.sum::<Vector3<f64>>().norm_squared()
    };
    let faces = polytope.alive().map(|(_, face)| face.vertices);
    let nearest = faces.min_by(|one, other| distance(*one).total_cmp(&distance(*other)));
    nearest.map_or_else(Vec::new, |vertices| vertices.into_iter().zip(weights(vertices)).collect())
}

/// Witness of a difference without volume: the bodies touch along a plane, or their difference is a line or a point.
fn flat_witness(pair: &CorePair<'_>, points: &[Point3<f64>]) -> Witness {
    let directions =
        PointFrame::new(points).map_or([Vector3::x(), Vector3::y(), Vector3::z()], |frame| frame.directions());
    let candidates = directions.into_iter().flat_map(|n| [n, -n]);
    let best = candidates.max_by(|n, m| pair.gap(n).total_cmp(&pair.gap(m)));
    let normal = best.unwrap_or_else(|| any_perpendicular(&Vector3::x()));
    let (on_a, on_b) = pair.supports(&normal);
    Witness { normal, on_a, on_b }
}
