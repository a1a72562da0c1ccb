//! Sample points of a solid, for the search of its cover. Containment does not depend on them.

use kinetic_core::rng::SeededRng;
use nalgebra::{Point3, Vector3};

use super::solid::{Facet, Solid};
use crate::triangle_tree::Triangle;

/// Points on the surface.
const SURFACE_SAMPLES: usize = 900;
/// Directions in which the outermost corners are taken.
const EXTREME_DIRECTIONS: usize = 200;
/// Points of the grid over the box, of which those inside are kept.
const GRID_POINTS: f64 = 1000.0;
/// Points of the surface from which centres are sought inwards.
const INWARD_STARTS: usize = 250;
/// Depths per such point, as parts of the way to the medial axis.
const INWARD_DEPTH_RATIOS: [f64; 4] = [0.2, 0.45, 0.75, 1.0];

/// A point that must be covered with `rounding` around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolidSample {
    pub(super) point: Point3<f64>,
    pub(super) rounding: f64,
}

/// A place for a centre: a ball of radius `r` there has the excess `r + height`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) center: Point3<f64>,
    pub(super) height: f64,
}

/// Samples to cover and places for centres; the same solid gives the same ones.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    pub(super) points: Vec<SolidSample>,
    pub(super) candidates: Vec<Candidate>,
}

impl Samples {
    pub(super) fn new(solid: &Solid) -> Self {
        let mut rng = SeededRng::new(0);
        let surface = on_surface(&solid.facets, &mut rng);
        let mut points: Vec<SolidSample> = surface.iter().map(|(sample, _)| *sample).collect();
        points.extend(outermost(&solid.facets));
        let grid: Vec<Point3<f64>> = grid(solid).collect();
        for point in &grid {
            points.extend(solid.rounding_inside(point).map(|rounding| SolidSample { point: *point, rounding }));
        }
        let step = surface.len().div_ceil(INWARD_STARTS).max(1);
        let shots = surface.iter().step_by(step).flat_map(|(sample, normal)| inwards(solid, &sample.point, normal));
        let centers = shots.chain(grid);
        let candidate = |center: Point3<f64>, known: f64| {
            let height = solid.signed_distance_below(&center, known);
            Candidate { center, height }
        };
        let mut candidates: Vec<Candidate> = centers.map(|center| candidate(center, f64::MIN_POSITIVE)).collect();
        // A centre outside of the solid is never better than one on its surface.
        candidates.retain(|candidate| candidate.height <= 0.0);
        // Samples are in the solid or on it: how far rounding puts them outside is not worth a search.
        candidates.extend(points.iter().step_by(4).map(|sample| candidate(sample.point, -1.001 * sample.rounding)));
        Self { points, candidates }
    }
}

/// Points spread over the surface by area, with the normals of their facets; every facet without area has one.
fn on_surface(facets: &[Facet], rng: &mut SeededRng) -> Vec<(SolidSample, Vector3<f64>)> {
    let area = |[a, b, c]: &Triangle| 0.5 * (b - a).cross(&(c - a)).norm();
    let total: f64 = facets.iter().map(|facet| area(&facet.corners)).sum();
    let mut samples = Vec::with_capacity(SURFACE_SAMPLES + 16);
    // A sample for every step of area; the rest goes on to the next facet.
    let (step, mut due) = (total / SURFACE_SAMPLES as f64, 0.5);
    for Facet { corners, rounding } in facets {
        let [a, b, c] = corners;
        due += area(corners) / step;
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        if !due.is_finite() {
            // No facet has area.
            samples.push((SolidSample { point: *a, rounding: *rounding }, normal));
            continue;
        }
        while due >= 1.0 {
            due -= 1.0;
            let (root, v) = (rng.unit().sqrt(), rng.unit());
            let point = a + (b - a) * (root * (1.0 - v)) + (c - a) * (root * v);
            samples.push((SolidSample { point, rounding: *rounding }, normal));
        }
    }
    samples
}

/// Corners that lie outermost in one of many directions: what flat ends and tips are decided by.
fn outermost(facets: &[Facet]) -> Vec<SolidSample> {
    let corners =
        || facets.iter().flat_map(|facet| facet.corners.map(|point| SolidSample { point, rounding: facet.rounding }));
    let farthest = |direction: Vector3<f64>| {
        corners().max_by(|p, q| direction.dot(&p.point.coords).total_cmp(&direction.dot(&q.point.coords)))
    };
    let mut found: Vec<SolidSample> = spiral(EXTREME_DIRECTIONS).filter_map(farthest).collect();
    found.sort_by_key(|sample| key(&sample.point));
    found.dedup_by_key(|sample| key(&sample.point));
    found
}

fn key(point: &Point3<f64>) -> [u64; 3] {
    [point.x, point.y, point.z].map(f64::to_bits)
}

/// Directions spread evenly over the sphere along a golden spiral.
pub(super) fn spiral(count: usize) -> impl Iterator<Item = Vector3<f64>> {
    let turn = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |index| {
        let z = 1.0 - (2 * index + 1) as f64 / count as f64;
        let (sine, cosine) = (turn * index as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        Vector3::new(across * cosine, across * sine, z)
    })
}

/// Centres of cubes that fill the box.
fn grid(solid: &Solid) -> impl Iterator<Item = Point3<f64>> + '_ {
    let extent = solid.aabb.max - solid.aabb.min;
    // What is thin needs no more points than what is not.
    let size = extent.map(|side| side.max(0.05 * extent.max()).max(1e-6));
    let side = (size.product() / GRID_POINTS).cbrt();
    #[expect(clippy::cast_sign_loss, reason = "a quotient of positive lengths")]
    let counts = size.map(|length| (length / side).ceil().clamp(1.0, 200.0) as usize);
    let total = counts.product();
    (0..total).map(move |index| {
        let place = [index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y)];
        solid.aabb.min + Vector3::from_fn(|axis, _| extent[axis] * (place[axis] as f64 + 0.5) / counts[axis] as f64)
    })
}

/// Points below a point of the surface, down to the medial axis: as long as the way back is the shortest way out.
fn inwards(solid: &Solid, point: &Point3<f64>, normal: &Vector3<f64>) -> Vec<Point3<f64>> {
    let at = |depth: f64| point - normal * depth;
    let is_shortest = |depth: f64| solid.signed_distance_below(&at(depth), 0.0) <= -0.98 * depth;
    let mut deepest = 1e-4 * (solid.aabb.max - solid.aabb.min).norm();
    // A point or a segment has no side from which to go inwards.
    if *normal == Vector3::zeros() || deepest == 0.0 || !is_shortest(deepest) {
        return Vec::new();
    }
    // First in large steps, then in smaller ones; a few percent are exact enough for a candidate.
    for growth in [2.0, 1.2, 1.03] {
        while is_shortest(growth * deepest) {
            deepest *= growth;
        }
    }
    INWARD_DEPTH_RATIOS.map(|part| at(part * deepest)).to_vec()
}
