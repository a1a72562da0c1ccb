//! Closest points of the spheres of bodies in closed form: of bodies that are their spheres, as those of sphere models are, and
//! bounds for others.

use nalgebra::{Point3, Vector3};

use super::PlacedModel;

/// Signed distance of two bodies with a witness point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosestPoints {
    pub(crate) distance: f64,
    /// On the first body, root frame.
    pub(crate) point: Point3<f64>,
    /// Unit vector from the first to the second.
    pub(crate) normal: Vector3<f64>,
}

impl PlacedModel {
    /// Closest points of a body and an obstacle at the placed frames, where the body is its spheres and they are apart.
    pub(crate) fn spheres_to_obstacle(&mut self, body: usize, obstacle: u32) -> Option<ClosestPoints> {
        let are_exact = self.model.bodies[body].spheres_are_exact;
        if are_exact { self.nearest_sphere(body, obstacle).filter(|found| found.distance > 0.0) } else { None }
    }

    /// Of the spheres that contain a body, the one that is nearest to an obstacle, at the placed frames; `None` where these are not
    /// numbers.
    pub(crate) fn nearest_sphere(&mut self, body: usize, obstacle: u32) -> Option<ClosestPoints> {
        self.place_spheres(body);
        let (shape, first) = (&self.model.world[obstacle as usize].shape, self.first_sphere[body]);
        let (mut least, mut nearest) = (f64::INFINITY, (Point3::origin(), 0.0));
        for (index, (_, radius)) in self.model.bodies[body].spheres.iter().enumerate() {
            let center = Point3::from(self.spheres[first + index]);
            // Distances of what is no number can be numbers.
            if !center.coords.sum().is_finite() {
                return None;
            }
            let distance = shape.signed_distance(&center) - radius;
            if distance < least {
                (least, nearest) = (distance, (center, *radius));
            }
        }
        let (center, radius) = nearest;
        let normal = -shape.nearest(&center).gradient;
        least.is_finite().then(|| ClosestPoints { distance: least, point: center + normal * radius, normal })
    }

    /// Closest points of two bodies at the placed frames, where both are their spheres and they are apart.
    pub(crate) fn spheres_to_spheres(&mut self, a: usize, b: usize) -> Option<ClosestPoints> {
        if ![a, b].iter().all(|body| self.model.bodies[*body].spheres_are_exact) {
            return None;
        }
        self.place_spheres(a);
        self.place_spheres(b);
        let (mut least, mut nearest) = (f64::INFINITY, (Vector3::zeros(), Vector3::zeros(), 0.0));
        for (i, (_, radius_a)) in self.model.bodies[a].spheres.iter().enumerate() {
            let center = self.spheres[self.first_sphere[a] + i];
            for (j, (_, radius_b)) in self.model.bodies[b].spheres.iter().enumerate() {
                let apart = self.spheres[self.first_sphere[b] + j] - center;
                let distance = apart.norm() - radius_a - radius_b;
                if distance < least {
                    (least, nearest) = (distance, (center, apart, *radius_a));
                }
            }
        }
        let (center, apart, radius) = nearest;
        let normal = apart.normalize();
        (least > 0.0 && least.is_finite()).then(|| ClosestPoints {
            distance: least,
            point: (center + normal * radius).into(),
            normal,
        })
    }
}
