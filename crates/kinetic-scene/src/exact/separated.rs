//! Separation tests of placed bodies in single precision, before double precision is tried.

use kinetic_collision_simd::{PieceDistance, SelfPair, Separated};

use super::{CollisionItem, PlacedModel};

impl PlacedModel {
    /// Tests whether all convex pieces of an item are farther apart than `bound`.
    pub(super) fn separated(&mut self, item: u32, bound: f64) -> Separated {
        match self.decode(item) {
            CollisionItem::Obstacle(body, obstacle) => self.separated_from(body, obstacle, bound),
            CollisionItem::SelfPair(pair) => self.separated_itself(pair, bound),
            CollisionItem::World(_) => Separated::Perhaps,
        }
    }

    fn separated_from(&mut self, body: usize, obstacle: u32, bound: f64) -> Separated {
        let mut all = Separated::Yes;
        for piece in 0..self.model.bodies[body].pieces.len() {
            match self.piece_separated_from((body, piece), obstacle, bound) {
                Separated::Yes => {}
                Separated::No => return Separated::No,
                Separated::Perhaps => all = Separated::Perhaps,
            }
        }
        all
    }

    fn separated_itself(&mut self, SelfPair { a, b, .. }: SelfPair, bound: f64) -> Separated {
        let mut all = Separated::Yes;
        for piece_a in 0..self.model.bodies[a].pieces.len() {
            for piece_b in 0..self.model.bodies[b].pieces.len() {
                match self.pieces_separated((a, piece_a), (b, piece_b), bound) {
                    Separated::Yes => {}
                    Separated::No => return Separated::No,
                    Separated::Perhaps => all = Separated::Perhaps,
                }
            }
        }
        all
    }

    /// Separation test of one piece, given by its body and its index there, from an obstacle.
    pub(super) fn piece_separated_from(
        &mut self,
        (body, piece): (usize, usize),
        obstacle: u32,
        bound: f64,
    ) -> Separated {
        let (number, other) = (self.separation.piece(body, piece), self.separation.obstacle(obstacle));
        self.separation.separated((other, None), (number, &self.frames[self.model.bodies[body].frame]), bound)
    }

    /// Separation test of two pieces.
    pub(super) fn pieces_separated(&mut self, a: (usize, usize), b: (usize, usize), bound: f64) -> Separated {
        let [first, second] = [a, b].map(|(body, piece)| self.separation.piece(body, piece));
        let [frame_a, frame_b] = [a.0, b.0].map(|body| &self.frames[self.model.bodies[body].frame]);
        self.separation.separated((first, Some(frame_a)), (second, frame_b), bound)
    }

    /// Distance of a piece from an obstacle in single precision; the obstacle is the first of the two.
    pub(crate) fn piece_to_obstacle(
        &mut self,
        (body, piece): (usize, usize),
        obstacle: u32,
        cutoff: f64,
    ) -> PieceDistance {
        let (number, other) = (self.separation.piece(body, piece), self.separation.obstacle(obstacle));
        self.separation.distance((other, None), (number, &self.frames[self.model.bodies[body].frame]), cutoff)
    }

    /// Distance of two pieces in single precision.
    pub(crate) fn piece_to_piece(&mut self, a: (usize, usize), b: (usize, usize), cutoff: f64) -> PieceDistance {
        let [first, second] = [a, b].map(|(body, piece)| self.separation.piece(body, piece));
        let [frame_a, frame_b] = [a.0, b.0].map(|body| &self.frames[self.model.bodies[body].frame]);
        self.separation.distance((first, Some(frame_a)), (second, frame_b), cutoff)
    }
}
