//! Signed distances of placed bodies, to obstacles and to each other.

use kinetic_collision::exact;
use kinetic_collision_simd::{CollisionModel, ObstacleGroup, SelfPair, Separated};
use nalgebra::Point3;

use super::{PlacedModel, isometry, perhaps};

impl PlacedModel {
    /// Signed distance of a body to one obstacle; `None` when it is more than `cutoff`.
    pub(super) fn obstacle_distance(&mut self, body: usize, obstacle: u32, cutoff: f64) -> Option<f64> {
        self.place_body(body);
        let shape = &self.model.world[obstacle as usize].shape;
        let this = &self.model.bodies[body];
        if !shape.is_within(&Point3::from(self.centers[body]), this.radius + cutoff) {
            return None;
        }
        self.place_spheres(body);
        let (this, shape) = (&self.model.bodies[body], &self.model.world[obstacle as usize].shape);
        let first = self.first_sphere[body];
        let mut best = f64::INFINITY;
        for (index, (_, radius)) in this.spheres.iter().enumerate() {
            best = best.min(shape.signed_distance(&Point3::from(self.spheres[first + index])) - radius);
        }
        if this.spheres_are_exact {
            return (best <= cutoff).then_some(best);
        }
        if best > perhaps(cutoff) { None } else { self.exact_obstacle_distance(body, obstacle, cutoff) }
    }

    /// As [`obstacle_distance`](Self::obstacle_distance) on the convex pieces.
    fn exact_obstacle_distance(&mut self, body: usize, obstacle: u32, cutoff: f64) -> Option<f64> {
        let frame = isometry(&self.frames[self.model.bodies[body].frame]);
        let mut best = None;
        let mut limit = cutoff;
        for index in 0..self.model.bodies[body].pieces.len() {
            if self.piece_separated_from((body, index), obstacle, limit) == Separated::Yes {
                continue;
            }
            let (piece, other) = (&self.model.bodies[body].pieces[index], &self.model.world[obstacle as usize]);
            let world_from_piece = frame * piece.frame_from_piece;
            let found = exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, limit);
            if let Some(found) = found {
                (best, limit) = (Some(found.distance), found.distance);
            }
        }
        best
    }

    /// Least slack of a body from its obstacles, and that obstacle; `None` when it is more than `cutoff`.
    pub(crate) fn world_slack(&mut self, body: usize, cutoff: f64) -> Option<(f64, u32)> {
        self.least_over(body, cutoff, |group| group.margin)
    }

    /// As [`world_slack`](Self::world_slack), with the paddings alone as required clearance.
    pub(crate) fn padded_world_distance(&mut self, body: usize, cutoff: f64) -> Option<(f64, u32)> {
        self.least_over(body, cutoff, |group| group.padding)
    }

    fn least_over(&mut self, body: usize, cutoff: f64, offset: fn(&ObstacleGroup) -> f64) -> Option<(f64, u32)> {
        let (mut best, mut limit) = (None, cutoff);
        for group in 0..self.model.bodies[body].world.len() {
            let offset = offset(&self.model.bodies[body].world[group]);
            // The query reports distances strictly below its bound; one ulp more includes the bound.
            if let Some((distance, obstacle)) = self.group_distance(body, group, (limit + offset).next_up()) {
                limit = distance - offset;
                best = Some((limit, obstacle));
            }
        }
        best
    }

    /// Signed distance of a body to the nearest obstacle of one of its groups; `None` when it is `cutoff` or more.
    fn group_distance(&mut self, body: usize, group: usize, cutoff: f64) -> Option<(f64, u32)> {
        self.place_body(body);
        let center = Point3::from(self.centers[body]);
        let this = &self.model.bodies[body];
        let obstacles = &self.model.sets[this.world[group].set];
        if !obstacles.has_within(&center, this.radius, cutoff) {
            return None;
        }
        self.place_spheres(body);
        let this = &self.model.bodies[body];
        let obstacles = &self.model.sets[this.world[group].set];
        let mut best = None;
        let mut limit = if this.spheres_are_exact { cutoff } else { perhaps(cutoff) };
        for (index, (_, radius)) in this.spheres.iter().enumerate() {
            let center = Point3::from(self.spheres[self.first_sphere[body] + index]);
            if let Some(found) = obstacles.min_distance(&center, *radius, limit) {
                (best, limit) = (Some(found), found.0);
            }
        }
        if this.spheres_are_exact { best } else { best.and_then(|_| self.exact_group_distance(body, group, cutoff)) }
    }

    /// As [`group_distance`](Self::group_distance) on the convex pieces.
    fn exact_group_distance(&mut self, body: usize, group: usize, cutoff: f64) -> Option<(f64, u32)> {
        let Self { model: CollisionModel { bodies, world, sets, .. }, frames, separation, .. } = self;
        let this = &bodies[body];
        let obstacles = &sets[this.world[group].set];
        let frame = &frames[this.frame];
        let root_from_frame = isometry(frame);
        let mut best = None;
        let mut limit = cutoff;
        for (index, piece) in this.pieces.iter().enumerate() {
            let center = Point3::from(frame.point(&piece.center));
            let number = separation.piece(body, index);
            let world_from_piece = root_from_frame * piece.frame_from_piece;
            obstacles.for_each_id_within(&center, piece.radius + cutoff, |id| {
                if separation.separated((separation.obstacle(id), None), (number, frame), limit) == Separated::Yes {
                    return;
                }
                let other = &world[id as usize];
                let found = exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, limit);
                if let Some(found) = found.filter(|found| found.distance < limit) {
                    (best, limit) = (Some((found.distance, id)), found.distance);
                }
            });
        }
        best
    }

    /// Signed distance of two bodies; `None` when it is more than `cutoff`.
    pub(crate) fn self_distance(&mut self, pair: SelfPair, cutoff: f64) -> Option<f64> {
        let SelfPair { a, b, .. } = pair;
        self.place_body(a);
        self.place_body(b);
        let coarse =
            (self.centers[a] - self.centers[b]).norm() - self.model.bodies[a].radius - self.model.bodies[b].radius;
        if coarse > cutoff {
            return None;
        }
        if self.model.bodies[a].spheres_are_exact && self.model.bodies[b].spheres_are_exact {
            return self.sphere_distance(a, b, cutoff);
        }
        let spheres = self.sphere_distance(a, b, perhaps(cutoff));
        spheres.and_then(|_| self.exact_self_distance(a, b, cutoff))
    }

    /// Least distance between the spheres of two bodies. The larger body's spheres are culled by the smaller body's
    /// bounding sphere.
    pub(super) fn sphere_distance(&mut self, a: usize, b: usize, cutoff: f64) -> Option<f64> {
        self.place_spheres(a);
        self.place_spheres(b);
        let (small, large) = if self.model.bodies[a].radius <= self.model.bodies[b].radius { (a, b) } else { (b, a) };
        let mut best = f64::INFINITY;
        for (i, (_, r_large)) in self.model.bodies[large].spheres.iter().enumerate() {
            let p = &self.spheres[self.first_sphere[large] + i];
            let limit = cutoff.min(best);
            if (p - self.centers[small]).norm() - r_large - self.model.bodies[small].radius > limit {
                continue;
            }
            for (j, (_, r_small)) in self.model.bodies[small].spheres.iter().enumerate() {
                let q = &self.spheres[self.first_sphere[small] + j];
                best = best.min((p - q).norm() - r_large - r_small);
            }
        }
        (best <= cutoff).then_some(best)
    }

    fn exact_self_distance(&mut self, a: usize, b: usize, cutoff: f64) -> Option<f64> {
        let [frame_a, frame_b] = [a, b].map(|body| self.frames[self.model.bodies[body].frame]);
        let (root_from_a, root_from_b) = (isometry(&frame_a), isometry(&frame_b));
        let mut best = None;
        let mut limit = cutoff;
        for i in 0..self.model.bodies[a].pieces.len() {
            let piece_a = &self.model.bodies[a].pieces[i];
            let (center_a, pose_a) = (frame_a.point(&piece_a.center), root_from_a * piece_a.frame_from_piece);
            for j in 0..self.model.bodies[b].pieces.len() {
                let (piece_a, piece_b) = (&self.model.bodies[a].pieces[i], &self.model.bodies[b].pieces[j]);
                let apart = (center_a - frame_b.point(&piece_b.center)).norm() - piece_a.radius - piece_b.radius;
                if apart > limit || self.pieces_separated((a, i), (b, j), limit) == Separated::Yes {
                    continue;
                }
                let (piece_a, piece_b) = (&self.model.bodies[a].pieces[i], &self.model.bodies[b].pieces[j]);
                let pose_b = root_from_b * piece_b.frame_from_piece;
                if let Some(found) = exact::distance(&piece_a.body, &pose_a, &piece_b.body, &pose_b, limit) {
                    (best, limit) = (Some(found.distance), found.distance);
                }
            }
        }
        best
    }
}
