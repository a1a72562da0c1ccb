//! Whether placed bodies are farther apart than a bound, as far as single precision can tell.

use super::{Evaluation, Item, SelfPair};
use crate::lanes::Parted;

impl Evaluation {
    /// The same for all convex pieces of an item.
    pub(super) fn parted(&mut self, item: u32, bound: f64) -> Parted {
        match self.decode(item) {
            Item::Obstacle(body, obstacle) => self.parted_from(body, obstacle, bound),
            Item::Own(pair) => self.parted_itself(pair, bound),
            Item::World(_) => Parted::Perhaps,
        }
    }

    fn parted_from(&mut self, body: usize, obstacle: u32, bound: f64) -> Parted {
        let mut all = Parted::Yes;
        for piece in 0..self.bodies[body].pieces.len() {
            match self.piece_parted_from((body, piece), obstacle, bound) {
                Parted::Yes => {}
                Parted::No => return Parted::No,
                Parted::Perhaps => all = Parted::Perhaps,
            }
        }
        all
    }

    fn parted_itself(&mut self, SelfPair { a, b, .. }: SelfPair, bound: f64) -> Parted {
        let mut all = Parted::Yes;
        for piece_a in 0..self.bodies[a].pieces.len() {
            for piece_b in 0..self.bodies[b].pieces.len() {
                match self.pieces_parted((a, piece_a), (b, piece_b), bound) {
                    Parted::Yes => {}
                    Parted::No => return Parted::No,
                    Parted::Perhaps => all = Parted::Perhaps,
                }
            }
        }
        all
    }

    /// Of one piece, given by its body and its place there.
    pub(super) fn piece_parted_from(&mut self, (body, piece): (usize, usize), obstacle: u32, bound: f64) -> Parted {
        let (number, other) = (self.parting.piece(body, piece), self.parting.obstacle(obstacle));
        self.parting.parts((other, None), (number, &self.frames[self.bodies[body].frame]), bound)
    }

    /// Of two pieces.
    pub(super) fn pieces_parted(&mut self, a: (usize, usize), b: (usize, usize), bound: f64) -> Parted {
        let [first, second] = [a, b].map(|(body, piece)| self.parting.piece(body, piece));
        let [frame_a, frame_b] = [a.0, b.0].map(|body| &self.frames[self.bodies[body].frame]);
        self.parting.parts((first, Some(frame_a)), (second, frame_b), bound)
    }
}
