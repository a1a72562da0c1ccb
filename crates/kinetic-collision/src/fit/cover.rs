//! Sphere covers for a budget or for an excess.

use kinetic_core::Shape;
use kinetic_core::error::Result;
use kinetic_core::rng::SeededRng;
use kinetic_robot::mesh::TriangleMesh;
use nalgebra::{Isometry3, Point3, Vector3};

use super::capsule;
use super::clusters::clusters;
use super::config::SphereGenConfig;
use super::greedy::{Choices, Coverage};
use super::polish::{Ball, polish, worst};
use super::samples::Samples;
use super::solid::Solid;
use crate::aabb::Aabb;
use crate::ball::Sphere;
use crate::tolerance::RADIUS_ROUNDING_M;

/// Spheres that contain a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Cover {
    /// Balls whose union contains the solid, in the frame of the link or mesh.
    pub spheres: Vec<Sphere>,
    /// No point of the union is farther from the solid than this, m. Exact or an upper bound, never sampled.
    pub excess: f64,
}

/// A solid prepared for covers of any size.
#[derive(Debug, Clone)]
pub struct Covering(CoverKind);

#[derive(Debug, Clone)]
enum CoverKind {
    Nothing,
    /// A capsule alone has a closed form.
    Capsule {
        link_from_shape: Isometry3<f64>,
        radius: f64,
        half_height: f64,
    },
    Solid(Box<Prepared>),
}

#[derive(Debug, Clone)]
struct Prepared {
    solid: Solid,
    samples: Samples,
    coverage: Coverage,
}

impl Covering {
    /// The union of shapes, each at its `link_from_shape`.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a half-space,
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite) for a pose or vertices with NaN or infinity.
    pub fn from_shapes(shapes: &[(Isometry3<f64>, &Shape)]) -> Result<Self> {
        if shapes.is_empty() {
            return Ok(Self(CoverKind::Nothing));
        }
        if let [(link_from_shape, Shape::Capsule { radius, half_height })] = shapes {
            let (link_from_shape, radius, half_height) = (*link_from_shape, *radius, *half_height);
            return Ok(Self(CoverKind::Capsule { link_from_shape, radius, half_height }));
        }
        Ok(Self::new(Solid::from_shapes(shapes)?))
    }

    /// A mesh: every triangle, those without area included, and every point around which the mesh winds.
    ///
    /// Excess is measured from the mesh together with what it encloses up to holes of a 48th of its length. Holes that
    /// are larger leave the inside open: it need not be covered, and balls that fill it are counted as excess.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) without triangles or for an index beyond the
    /// vertices, [`NotFinite`](kinetic_core::KineticError::NotFinite) for NaN or infinity.
    pub fn from_mesh(mesh: &TriangleMesh) -> Result<Self> {
        Ok(Self::new(Solid::from_mesh(mesh)?))
    }

    fn new(solid: Solid) -> Self {
        let samples = Samples::new(&solid);
        let coverage = Coverage::new(&samples);
        Self(CoverKind::Solid(Box::new(Prepared { solid, samples, coverage })))
    }

    /// A cover within the budget: with few spheres that reach the target, else with the least excess found.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a configuration outside its domain.
    pub fn fit(&self, config: &SphereGenConfig) -> Result<Cover> {
        config.check()?;
        let SphereGenConfig { max_spheres, target_excess } = *config;
        let mut choices = Choices::default();
        let Some(likely) = self.likely(target_excess, max_spheres, &mut choices) else {
            return Ok(self.polished(max_spheres, 0.0, &mut choices));
        };
        // The estimate ignores the gain of refinement and the solid between the samples, so that counts are tried
        // upwards in growing steps, then downwards by bisection. Whether a count suffices is known before its cover is
        // fully refined.
        let is_enough =
            |count: usize, choices: &mut Choices| self.polished(count, target_excess, choices).excess <= target_excess;
        let (mut failed, mut count) = (likely.max(3) / 3 - 1, likely);
        while !is_enough(count, &mut choices) {
            if count == max_spheres {
                return Ok(self.polished(count, 0.0, &mut choices));
            }
            failed = count;
            count = (count + 1 + count / 4).min(max_spheres);
        }
        while failed + 1 < count {
            let middle = usize::midpoint(failed, count);
            if is_enough(middle, &mut choices) { count = middle } else { failed = middle }
        }
        Ok(self.polished(count, 0.0, &mut choices))
    }

    /// A cover by at most `count` spheres.
    pub fn with_count(&self, count: usize) -> Cover {
        self.polished(count, 0.0, &mut Choices::default())
    }

    /// A cover by at most `count` spheres: as good as it gets, or known to have no more excess than is enough, or to have
    /// more.
    fn polished(&self, count: usize, enough: f64, choices: &mut Choices) -> Cover {
        match &self.0 {
            CoverKind::Nothing => Cover::none(),
            CoverKind::Capsule { link_from_shape, radius, half_height } => {
                let balls = capsule::balls(*radius, *half_height, count).into_iter();
                let excess = balls.clone().map(|ball| ball.radius - radius).fold(0.0, f64::max) + RADIUS_ROUNDING_M;
                let place = |ball: Sphere| Sphere::new(link_from_shape * ball.center, ball.radius + RADIUS_ROUNDING_M);
                Cover { spheres: balls.map(place).collect(), excess }
            }
            CoverKind::Solid(prepared) => {
                let Prepared { solid, samples, coverage } = prepared.as_ref();
                let starts = [coverage.best(count, choices), clusters(&samples.points, count)];
                Cover::new(&polish(solid, &starts, enough - RADIUS_ROUNDING_M))
            }
        }
    }

    /// Volume of a cover's union over that of the solid, estimated from 20 000 points.
    ///
    /// Infinite for a solid without volume.
    pub fn volume_ratio(&self, cover: &Cover) -> f64 {
        let boxes = cover.spheres.iter().map(|ball| Aabb::symmetric(ball.center, Vector3::repeat(ball.radius)));
        let Some(bounds) = boxes.reduce(|a, b| a.union(&b)) else { return f64::INFINITY };
        let mut rng = SeededRng::new(0);
        let (mut inside, mut covered) = (0_u32, 0_u32);
        for _ in 0..20_000 {
            let share = Vector3::from_fn(|_, _| rng.unit());
            let point = bounds.min + (bounds.max - bounds.min).component_mul(&share);
            if cover.spheres.iter().any(|ball| ball.contains(&point)) {
                covered += 1;
                inside += u32::from(self.signed_distance(&point) <= 0.0);
            }
        }
        f64::from(covered) / f64::from(inside)
    }

    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        match &self.0 {
            CoverKind::Nothing => f64::INFINITY,
            CoverKind::Capsule { link_from_shape, radius, half_height } => {
                let local = link_from_shape.inverse_transform_point(point);
                local.x.hypot(local.y).hypot((local.z.abs() - half_height).max(0.0)) - radius
            }
            CoverKind::Solid(prepared) => prepared.solid.signed_distance(point),
        }
    }

    /// Number of spheres that a given excess is likely to need, m; the true number differs by one or two.
    pub fn likely_count(&self, excess: f64, most: usize) -> Option<usize> {
        self.likely(excess, most, &mut Choices::default())
    }

    fn likely(&self, excess: f64, most: usize, choices: &mut Choices) -> Option<usize> {
        match &self.0 {
            CoverKind::Nothing => Some(0),
            CoverKind::Capsule { .. } => (1..=most).find(|count| self.with_count(*count).excess <= excess),
            CoverKind::Solid(prepared) => prepared.coverage.count(excess, most, choices),
        }
    }
}

impl Cover {
    fn none() -> Self {
        Self { spheres: Vec::new(), excess: 0.0 }
    }

    pub(super) fn new(balls: &[Ball]) -> Self {
        let spheres =
            balls.iter().map(|ball| Sphere::new(ball.sphere.center, ball.sphere.radius + RADIUS_ROUNDING_M)).collect();
        Self { spheres: without_contained(spheres), excess: worst(balls).max(0.0) + RADIUS_ROUNDING_M }
    }
}

/// Leaves out balls that lie inside another ball; of equal ones the first stays.
fn without_contained(spheres: Vec<Sphere>) -> Vec<Sphere> {
    let is_inside =
        |inner: &Sphere, outer: &Sphere| (inner.center - outer.center).norm() + inner.radius <= outer.radius;
    let is_kept = |index: usize| {
        let contains_it = |other: usize| {
            let (one, two) = (&spheres[index], &spheres[other]);
            other != index && is_inside(one, two) && (other < index || !is_inside(two, one))
        };
        !(0..spheres.len()).any(contains_it)
    };
    (0..spheres.len()).filter(|index| is_kept(*index)).map(|index| spheres[index]).collect()
}
