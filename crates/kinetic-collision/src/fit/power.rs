//! Power diagram (Aurenhammer 1987): partition of a solid by spheres.
//!
//! Every point goes to the ball whose power `|x − c|² − r²` is least there. The parts are cut by planes, so what a ball
//! has to contain are finitely many corners: those of the clipped facets, and those of its cell that are inside the
//! solid. If the balls covered the solid before, each part lies inside its own ball (a point of it is in some ball, and
//! its own ball's power is lower still): a ball around a part is never larger than the one that made it.

use nalgebra::{Point3, Vector3};

use super::cell::PolyhedronCell;
use super::samples::SolidSample;
use super::solid::{Facet, Solid, box_corners};
use crate::ball::Sphere;
use crate::hull::convex_hull;

/// Corners of the part of each ball; the ball's part is inside their hull, enlarged by their rounding.
pub(super) fn parts(solid: &Solid, balls: &[Sphere]) -> Vec<Vec<SolidSample>> {
    let diagram = Diagram::new(balls);
    let mut parts = vec![Vec::new(); balls.len()];
    for facet in &solid.facets {
        diagram.distribute(facet, &mut parts);
    }
    let Some(whole) = surrounding(solid) else { return parts };
    for (own, part) in parts.iter_mut().enumerate() {
        let corners = cell(&whole, balls, own).map_or_else(Vec::new, |cell| cell.corners);
        let inside = |point: Point3<f64>| solid.rounding_inside(&point).map(|rounding| SolidSample { point, rounding });
        part.extend(corners.into_iter().filter_map(inside));
    }
    parts
}

/// A box around a solid that none of its points touches.
fn surrounding(solid: &Solid) -> Option<PolyhedronCell> {
    let center = nalgebra::center(&solid.aabb.min, &solid.aabb.max);
    let half = (solid.aabb.max - solid.aabb.min) * 0.5;
    let half = half.add_scalar(half.norm().max(1e-3));
    let corners: Vec<Point3<f64>> = box_corners(&half).iter().map(|corner| center + corner.coords).collect();
    convex_hull(&corners).ok().map(|hull| PolyhedronCell::new(&hull))
}

/// The part of a polytope where ball `own` has the least power.
fn cell(whole: &PolyhedronCell, balls: &[Sphere], own: usize) -> Option<PolyhedronCell> {
    let Sphere { center, radius } = balls[own];
    // Near neighbours first: what they leave, most others do not cut any more.
    let mut order: Vec<(f64, usize)> =
        balls.iter().enumerate().map(|(index, ball)| ((ball.center - center).norm(), index)).collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let mut cell = whole.clone();
    for (distance, index) in order {
        let other = balls[index];
        if distance >= 1e-12 {
            // |x - center|² - radius² ≤ |x - other|² - other_radius²
            let squares = other.center.coords.norm_squared() - center.coords.norm_squared();
            let offset = 0.5 * (squares + radius * radius - other.radius * other.radius) / distance;
            let normal = (other.center - center) / distance;
            if cell.corners.iter().all(|corner| normal.dot(&corner.coords) <= offset) {
                continue;
            }
            cell = cell.below(&normal, offset)?;
        } else if index != own && (radius, index) < (other.radius, own) {
            // Concentric balls: the larger takes all, of equals the first.
            return None;
        }
    }
    Some(cell)
}

/// Powers of points, up to what is the same for all balls.
struct Diagram {
    /// Per ball `-2 c` and `|c|² − r²`.
    terms: Vec<(Vector3<f64>, f64)>,
}

impl Diagram {
    fn new(balls: &[Sphere]) -> Self {
        let term = |ball: &Sphere| {
            let center = ball.center.coords;
            (center * -2.0, center.norm_squared() - ball.radius * ball.radius)
        };
        Self { terms: balls.iter().map(term).collect() }
    }

    fn power(&self, ball: usize, point: &Point3<f64>) -> f64 {
        let (linear, constant) = self.terms[ball];
        linear.dot(&point.coords) + constant
    }

    /// Ball of least power at a point; the first of equals.
    fn owner(&self, point: &Point3<f64>) -> usize {
        let powers = (0..self.terms.len()).map(|ball| (ball, self.power(ball, point)));
        powers.fold((0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best }).0
    }

    /// Gives each ball the corners of its part of a facet.
    fn distribute(&self, facet: &Facet, parts: &mut [Vec<SolidSample>]) {
        let sample = |point: Point3<f64>| SolidSample { point, rounding: facet.rounding };
        let owners = facet.corners.map(|corner| self.owner(&corner));
        // Cells are convex: a facet with all its corners in one is in it.
        if owners[0] == owners[1] && owners[0] == owners[2] {
            parts[owners[0]].extend(facet.corners.map(sample));
            return;
        }
        let mut polygon = Vec::with_capacity(12);
        let mut other = Vec::with_capacity(12);
        for (own, part) in parts.iter_mut().enumerate() {
            polygon.clear();
            polygon.extend(facet.corners);
            // The owners of the corners first: they take most facets away at once.
            for index in owners.into_iter().chain(0..self.terms.len()).filter(|index| *index != own) {
                self.clip(&polygon, own, index, &mut other);
                std::mem::swap(&mut polygon, &mut other);
                if polygon.is_empty() {
                    break;
                }
            }
            part.extend(polygon.iter().copied().map(sample));
        }
    }

    /// The part of a polygon where `own` has no more power than `other` (Sutherland and Hodgman 1974).
    fn clip(&self, polygon: &[Point3<f64>], own: usize, other: usize, kept: &mut Vec<Point3<f64>>) {
        kept.clear();
        let height = |point: &Point3<f64>| self.power(own, point) - self.power(other, point);
        let Some(mut from) = polygon.last().copied() else { return };
        let mut from_height = height(&from);
        for to in polygon {
            let to_height = height(to);
            if (from_height <= 0.0) != (to_height <= 0.0) {
                kept.push(from + (to - from) * (from_height / (from_height - to_height)));
            }
            if to_height <= 0.0 {
                kept.push(*to);
            }
            (from, from_height) = (*to, to_height);
        }
    }
}
