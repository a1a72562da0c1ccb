//! Whether placed bodies are nearer than a bound: the question of proofs, cheaper to answer than how near.

use kinetic_collision::exact;
use kinetic_collision_simd::{SelfPair, Separated};
use nalgebra::Point3;

use super::{Item, PlacedModel, isometry, perhaps};
use crate::continuous::DistanceQueries;

/// How an item stands to its margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// Exceeds it by more than the cutoff.
    Clear,
    /// Exceeds it by at most the cutoff.
    Open,
    /// Misses it.
    Blocked,
}

impl Nearness {
    fn of(is_near: bool, is_blocked: impl FnOnce() -> bool) -> Self {
        match (is_near, is_near && is_blocked()) {
            (false, _) => Self::Clear,
            (true, false) => Self::Open,
            (true, true) => Self::Blocked,
        }
    }
}

impl PlacedModel {
    /// What [`DistanceQueries::excess`] would say, without the distance: deciding whether two hulls are closer than a bound
    /// takes a tenth of the time of measuring how far apart they are.
    pub(super) fn nearness(&mut self, item: u32, cutoff: f64) -> Nearness {
        if !self.is_decided_by_pieces(item) {
            let excess = self.excess(item, cutoff);
            return Nearness::of(excess <= cutoff, || excess <= 0.0);
        }
        let margin = self.margin(item);
        let is_near = self.is_within_bound(item, cutoff + margin);
        Nearness::of(is_near, || {
            cutoff <= 0.0
                || match self.separated(item, margin) {
                    Separated::Yes => false,
                    Separated::No => true,
                    Separated::Perhaps => self.are_pieces_near(item, margin),
                }
        })
    }

    /// True when a finest item exceeds its margin by at most `cutoff`.
    pub(super) fn is_nearer(&mut self, item: u32, cutoff: f64) -> bool {
        if self.is_decided_by_pieces(item) {
            let bound = cutoff + self.margin(item);
            self.is_within_bound(item, bound)
        } else {
            self.excess(item, cutoff) <= cutoff
        }
    }

    /// False where spheres are the bodies.
    fn is_decided_by_pieces(&self, item: u32) -> bool {
        match self.decode(item) {
            Item::Obstacle(body, _) => !self.model.bodies[body].spheres_are_exact,
            Item::Own(pair) => !self.has_exact_spheres(pair),
            Item::World(_) => false,
        }
    }

    /// Whether pieces of an item are within `bound`.
    fn is_within_bound(&mut self, item: u32, bound: f64) -> bool {
        match self.separated(item, bound) {
            Separated::Yes => false,
            Separated::No => true,
            Separated::Perhaps => self.is_near(item, bound),
        }
    }

    /// Whether an item is within `bound` in double precision.
    fn is_near(&mut self, item: u32, bound: f64) -> bool {
        let is_covered = match self.decode(item) {
            Item::Obstacle(body, obstacle) => self.covers_obstacle(body, obstacle, bound),
            Item::Own(pair) => self.covers_itself(pair, bound),
            Item::World(_) => false,
        };
        is_covered && self.are_pieces_near(item, bound)
    }

    fn are_pieces_near(&mut self, item: u32, bound: f64) -> bool {
        match self.decode(item) {
            Item::Obstacle(body, obstacle) => self.pieces_near(body, obstacle, bound),
            Item::Own(pair) => self.pieces_near_itself(pair, bound),
            Item::World(_) => false,
        }
    }

    fn has_exact_spheres(&self, pair: SelfPair) -> bool {
        self.model.bodies[pair.a].spheres_are_exact && self.model.bodies[pair.b].spheres_are_exact
    }

    /// True when some covering sphere of a body is within `bound` of an obstacle.
    fn covers_obstacle(&mut self, body: usize, obstacle: u32, bound: f64) -> bool {
        self.place_body(body);
        let ball = Point3::from(self.centers[body]);
        if !self.model.world[obstacle as usize].shape.is_within(&ball, self.model.bodies[body].radius + bound) {
            return false;
        }
        self.place_spheres(body);
        let (shape, first) = (&self.model.world[obstacle as usize].shape, self.first_sphere[body]);
        self.model.bodies[body].spheres.iter().enumerate().any(|(index, (_, radius))| {
            shape.is_within(&Point3::from(self.spheres[first + index]), radius + perhaps(bound))
        })
    }

    /// True when some piece of a body is within `bound` of an obstacle.
    fn pieces_near(&mut self, body: usize, obstacle: u32, bound: f64) -> bool {
        let frame = isometry(&self.frames[self.model.bodies[body].frame]);
        let count = self.model.bodies[body].pieces.len();
        (0..count).any(|index| {
            // A single piece has been asked about before.
            if count > 1 && self.piece_separated_from((body, index), obstacle, bound) == Separated::Yes {
                return false;
            }
            let (piece, other) = (&self.model.bodies[body].pieces[index], &self.model.world[obstacle as usize]);
            let world_from_piece = frame * piece.frame_from_piece;
            exact::intersects(&piece.body, &world_from_piece, &other.body, &other.world_from_body, bound)
        })
    }

    /// True when some covering spheres of two bodies are within `bound` of each other.
    fn covers_itself(&mut self, pair: SelfPair, bound: f64) -> bool {
        self.place_body(pair.a);
        self.place_body(pair.b);
        let apart = (self.centers[pair.a] - self.centers[pair.b]).norm();
        apart - self.model.bodies[pair.a].radius - self.model.bodies[pair.b].radius <= bound
            && self.sphere_distance(pair.a, pair.b, perhaps(bound)).is_some()
    }

    /// True when some pieces of two bodies are within `bound` of each other.
    fn pieces_near_itself(&mut self, SelfPair { a, b, .. }: SelfPair, bound: f64) -> bool {
        let [root_from_a, root_from_b] = [a, b].map(|body| isometry(&self.frames[self.model.bodies[body].frame]));
        let (of_a, of_b) = (self.model.bodies[a].pieces.len(), self.model.bodies[b].pieces.len());
        (0..of_a).any(|i| {
            let pose_a = root_from_a * self.model.bodies[a].pieces[i].frame_from_piece;
            (0..of_b).any(|j| {
                if of_a * of_b > 1 && self.pieces_separated((a, i), (b, j), bound) == Separated::Yes {
                    return false;
                }
                let (piece_a, piece_b) = (&self.model.bodies[a].pieces[i], &self.model.bodies[b].pieces[j]);
                let pose_b = root_from_b * piece_b.frame_from_piece;
                exact::intersects(&piece_a.body, &pose_a, &piece_b.body, &pose_b, bound)
            })
        })
    }
}

#[cfg(test)]
impl PlacedModel {
    /// As [`finest_items`](Self::finest_items), of the pairs those that are checked.
    pub(crate) fn fine_items(&self) -> Vec<u32> {
        let proven = (self.model.bodies.len() + self.model.checked_pairs) as u32
            ..(self.model.bodies.len() + self.model.pairs.len()) as u32;
        self.finest_items().into_iter().filter(|item| !proven.contains(item)).collect()
    }

    /// Whether the spheres of an item come within its margin in the box around the placed configuration, by the bound
    /// on the motion; and whether they do at the configuration itself.
    pub(crate) fn spheres_near(&mut self, item: u32) -> (bool, bool) {
        let (margin, reach) = (self.margin(item), self.motion_bound(item));
        let mut is_near = |bound| match self.decode(item) {
            Item::Own(pair) => self.covers_itself(pair, bound),
            Item::Obstacle(body, obstacle) => self.covers_obstacle(body, obstacle, bound),
            Item::World(_) => false,
        };
        (is_near(margin + reach), is_near(margin))
    }
}
