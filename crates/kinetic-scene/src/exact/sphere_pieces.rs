//! The pieces that a proximity query measures. Of a body that is its spheres, as sphere models are, the nearest sphere is known
//! from distances of centres; witness points are looked for on that one alone.

use std::ops::Range;

use nalgebra::Point3;

use super::PlacedModel;

impl PlacedModel {
    /// The pieces of a body among which the nearest to an obstacle is, at the placed frames.
    pub(crate) fn pieces_near_obstacle(&mut self, body: usize, obstacle: u32) -> Range<usize> {
        if !self.is_its_spheres(body) {
            return 0..self.model.bodies[body].pieces.len();
        }
        self.place_spheres(body);
        let (shape, first) = (&self.model.world[obstacle as usize].shape, self.first_sphere[body]);
        let (mut least, mut nearest) = (f64::INFINITY, 0);
        for (index, (_, radius)) in self.model.bodies[body].spheres.iter().enumerate() {
            let distance = shape.signed_distance(&Point3::from(self.spheres[first + index])) - radius;
            if distance < least {
                (least, nearest) = (distance, index);
            }
        }
        nearest..nearest + 1
    }

    /// As [`pieces_near_obstacle`](Self::pieces_near_obstacle), of two bodies.
    pub(crate) fn pieces_near_each_other(&mut self, a: usize, b: usize) -> [Range<usize>; 2] {
        if !(self.is_its_spheres(a) && self.is_its_spheres(b)) {
            return [a, b].map(|body| 0..self.model.bodies[body].pieces.len());
        }
        self.place_spheres(a);
        self.place_spheres(b);
        let (mut least, mut nearest) = (f64::INFINITY, [0, 0]);
        for (i, (_, radius_a)) in self.model.bodies[a].spheres.iter().enumerate() {
            let center = &self.spheres[self.first_sphere[a] + i];
            for (j, (_, radius_b)) in self.model.bodies[b].spheres.iter().enumerate() {
                let distance = (center - self.spheres[self.first_sphere[b] + j]).norm() - radius_a - radius_b;
                if distance < least {
                    (least, nearest) = (distance, [i, j]);
                }
            }
        }
        nearest.map(|index| index..index + 1)
    }

    /// Whether the pieces of a body are its spheres, one by one.
    fn is_its_spheres(&self, body: usize) -> bool {
        let this = &self.model.bodies[body];
        this.spheres_are_exact && this.pieces.len() == this.spheres.len()
    }
}
