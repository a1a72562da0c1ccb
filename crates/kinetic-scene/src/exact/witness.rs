//! Witness points: the closest points of two bodies, or the deepest ones.

use kinetic_collision::exact::{self, Separation};
use nalgebra::Point3;

use super::{CollisionItem, PlacedModel, isometry};

impl PlacedModel {
    /// Distance and witness points of a finest item, in the root; `None` when the bodies are more than `cutoff` apart.
    pub(crate) fn separation(&self, item: u32, cutoff: f64) -> Option<Separation> {
        match self.decode(item) {
            CollisionItem::SelfPair(pair) => self.separation_of_bodies(pair.a, pair.b, cutoff),
            CollisionItem::Obstacle(body, obstacle) => self.separation_from_obstacle(body, obstacle, cutoff),
            CollisionItem::World(_) => None,
        }
    }

    /// Distance and witness points of a body and an obstacle, checked or not.
    pub(crate) fn separation_from_obstacle(&self, body: usize, obstacle: u32, cutoff: f64) -> Option<Separation> {
        let (this, other) = (&self.model.bodies[body], &self.model.world[obstacle as usize]);
        let frame = isometry(&self.frames[this.frame]);
        let mut best: Option<Separation> = None;
        for piece in &this.pieces {
            let limit = best.map_or(cutoff, |best| best.distance);
            let world_from_piece = frame * piece.frame_from_piece;
            let found = exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, limit);
            best = nearer(best, found);
        }
        best
    }

    /// Distance and witness points of two bodies, checked or not.
    pub(crate) fn separation_of_bodies(&self, a: usize, b: usize, cutoff: f64) -> Option<Separation> {
        let (root_from_a, root_from_b) =
            (isometry(&self.frames[self.model.bodies[a].frame]), isometry(&self.frames[self.model.bodies[b].frame]));
        let mut best: Option<Separation> = None;
        for piece_a in &self.model.bodies[a].pieces {
            let pose_a = root_from_a * piece_a.frame_from_piece;
            for piece_b in &self.model.bodies[b].pieces {
                let limit = best.map_or(cutoff, |best| best.distance);
                let pose_b = root_from_b * piece_b.frame_from_piece;
                best = nearer(best, exact::distance(&piece_a.body, &pose_a, &piece_b.body, &pose_b, limit));
            }
        }
        best
    }

    /// Signed distance from the covering spheres of a body to an obstacle.
    pub(crate) fn sphere_gap_to_obstacle(&mut self, body: usize, obstacle: u32) -> f64 {
        self.place_spheres(body);
        let (shape, first) = (&self.model.world[obstacle as usize].shape, self.first_sphere[body]);
        let gap =
            |(index, radius): (usize, f64)| shape.signed_distance(&Point3::from(self.spheres[first + index])) - radius;
        self.model.bodies[body].spheres.iter().map(|sphere| sphere.1).enumerate().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// Signed distance between the covering spheres of two bodies.
    pub(crate) fn sphere_gap_of_bodies(&mut self, a: usize, b: usize) -> f64 {
        self.place_body(a);
        self.place_body(b);
        self.sphere_distance(a, b, f64::INFINITY).unwrap_or(f64::INFINITY)
    }
}

fn nearer(best: Option<Separation>, found: Option<Separation>) -> Option<Separation> {
    match (best, found) {
        (Some(best), Some(found)) if found.distance >= best.distance => Some(best),
        (best, None) => best,
        (_, found) => found,
    }
}
