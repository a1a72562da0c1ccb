//! Proximity predicates: whether placed bodies are nearer than a bound, which proofs need and which is cheaper than a
//! distance.

use kinetic_collision::exact;
use kinetic_collision_simd::{SelfPair, Separated};
use nalgebra::Point3;

use super::{CollisionItem, PlacedModel, isometry, perhaps};
use crate::continuous::DistanceQueries;

/// The slack of an item relative to a cutoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// The slack exceeds the cutoff.
    Clear,
    /// The slack is positive and at most the cutoff.
    Undecided,
    /// The slack is not positive: the required clearance is violated.
    Blocked,
}

impl Nearness {
    fn of(is_near: bool, is_blocked: impl FnOnce() -> bool) -> Self {
        match (is_near, is_near && is_blocked()) {
            (false, _) => Self::Clear,
            (true, false) => Self::Undecided,
            (true, true) => Self::Blocked,
        }
    }
}

impl PlacedModel {
    /// Classifies an item. Of all but the least over a body's obstacles it takes no distance: whether hulls are closer than a bound is
    /// decided in a tenth of the time of measuring their distance by [`DistanceQueries::slack`].
    pub(super) fn nearness(&mut self, item: u32, cutoff: f64) -> Nearness {
        if let CollisionItem::World(_) = self.decode(item) {
            let slack = self.slack(item, cutoff);
            return Nearness::of(slack <= cutoff, || slack <= 0.0);
        }
        let margin = self.margin(item);
        let is_near = self.is_within_bound(item, cutoff + margin);
        Nearness::of(is_near, || cutoff <= 0.0 || self.is_blocked(item, margin))
    }

    /// True when the slack of a finest item is at most `cutoff`.
    pub(super) fn is_nearer(&mut self, item: u32, cutoff: f64) -> bool {
        let bound = cutoff + self.margin(item);
        self.is_within_bound(item, bound)
    }

    /// Whether an item is within `bound`: by its spheres where these are the bodies, else by its pieces.
    fn is_within_bound(&mut self, item: u32, bound: f64) -> bool {
        self.spheres_within(item, bound).unwrap_or_else(|| match self.separated(item, bound) {
            Separated::Yes => false,
            Separated::No => true,
            Separated::Perhaps => self.is_near(item, bound),
        })
    }

    /// As [`is_within_bound`](Self::is_within_bound), for an item whose covering spheres are near.
    fn is_blocked(&mut self, item: u32, margin: f64) -> bool {
        self.spheres_within(item, margin).unwrap_or_else(|| match self.separated(item, margin) {
            Separated::Yes => false,
            Separated::No => true,
            Separated::Perhaps => self.are_pieces_near(item, margin),
        })
    }

    /// Whether an item is within `bound`, where spheres are the bodies.
    fn spheres_within(&mut self, item: u32, bound: f64) -> Option<bool> {
        match self.decode(item) {
            CollisionItem::Obstacle(body, obstacle) if self.model.bodies[body].spheres_are_exact => {
                Some(self.spheres_near_obstacle(body, obstacle, bound))
            }
            CollisionItem::SelfPair(pair) if self.has_exact_spheres(pair) => {
                Some(self.spheres_near_themselves(pair, bound))
            }
            _ => None,
        }
    }

    /// Whether an item is within `bound` in double precision.
    fn is_near(&mut self, item: u32, bound: f64) -> bool {
        let is_covered = match self.decode(item) {
            CollisionItem::Obstacle(body, obstacle) => self.covers_obstacle(body, obstacle, bound),
            CollisionItem::SelfPair(pair) => self.covers_itself(pair, bound),
            CollisionItem::World(_) => false,
        };
        is_covered && self.are_pieces_near(item, bound)
    }

    fn are_pieces_near(&mut self, item: u32, bound: f64) -> bool {
        match self.decode(item) {
            CollisionItem::Obstacle(body, obstacle) => self.pieces_near(body, obstacle, bound),
            CollisionItem::SelfPair(pair) => self.pieces_near_itself(pair, bound),
            CollisionItem::World(_) => false,
        }
    }

    fn has_exact_spheres(&self, pair: SelfPair) -> bool {
        self.model.bodies[pair.a].spheres_are_exact && self.model.bodies[pair.b].spheres_are_exact
    }

    /// True when some covering sphere of a body is within `bound` of an obstacle.
    fn covers_obstacle(&mut self, body: usize, obstacle: u32, bound: f64) -> bool {
        self.spheres_near_obstacle(body, obstacle, perhaps(bound))
    }

    /// True when some sphere of a body is within `bound` of an obstacle.
    fn spheres_near_obstacle(&mut self, body: usize, obstacle: u32, bound: f64) -> bool {
        self.place_body(body);
        let ball = Point3::from(self.centers[body]);
        if !self.model.world[obstacle as usize].shape.is_within(&ball, self.model.bodies[body].radius + bound) {
            return false;
        }
        self.place_spheres(body);
        let (shape, first) = (&self.model.world[obstacle as usize].shape, self.first_sphere[body]);
        self.model.bodies[body]
            .spheres
            .iter()
            .enumerate()
            .any(|(index, (_, radius))| shape.is_within(&Point3::from(self.spheres[first + index]), radius + bound))
    }

    /// True when some piece of a body is within `bound` of an obstacle.
    fn pieces_near(&mut self, body: usize, obstacle: u32, bound: f64) -> bool {
        let frame = isometry(&self.frames[self.model.bodies[body].frame]);
        let count = self.model.bodies[body].pieces.len();
        (0..count).any(|index| {
            // A single piece has been tested before.
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
        self.spheres_near_themselves(pair, perhaps(bound))
    }

    /// True when some spheres of two bodies are within `bound` of each other.
    fn spheres_near_themselves(&mut self, pair: SelfPair, bound: f64) -> bool {
        self.place_body(pair.a);
        self.place_body(pair.b);
        let apart = (self.centers[pair.a] - self.centers[pair.b]).norm();
        apart - self.model.bodies[pair.a].radius - self.model.bodies[pair.b].radius <= bound
            && self.sphere_distance(pair.a, pair.b, bound).is_some()
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
    /// As [`finest_items`](Self::finest_items), with only those self-collision pairs that are checked.
    pub(crate) fn fine_items(&self) -> Vec<u32> {
        let proven = (self.model.bodies.len() + self.model.checked_pairs) as u32
            ..(self.model.bodies.len() + self.model.pairs.len()) as u32;
        self.finest_items().into_iter().filter(|item| !proven.contains(item)).collect()
    }

    /// Whether the spheres of an item violate its required clearance in the box around the placed configuration, by the
    /// motion bound, and whether they do at the configuration itself.
    pub(crate) fn spheres_near(&mut self, item: u32) -> (bool, bool) {
        let (margin, motion_bound) = (self.margin(item), self.motion_bound(item));
        let mut is_near = |bound| match self.decode(item) {
            CollisionItem::SelfPair(pair) => self.covers_itself(pair, bound),
            CollisionItem::Obstacle(body, obstacle) => self.covers_obstacle(body, obstacle, bound),
            CollisionItem::World(_) => false,
        };
        (is_near(margin + motion_bound), is_near(margin))
    }
}
