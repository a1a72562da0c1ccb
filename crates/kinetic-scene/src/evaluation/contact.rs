//! Where placed bodies are nearest to each other, or deepest in each other.

use kinetic_collision::exact::{self, Separation};

use super::{Evaluation, Part, SelfPair, isometry};

impl Evaluation {
    /// Nearest points of a body and every obstacle within `reach`, in the root frame, with the obstacle.
    pub(crate) fn world_separations(&self, body: usize, reach: f64) -> Vec<(Separation, u32)> {
        let this = &self.bodies[body];
        let frame = isometry(&self.frames[this.frame]);
        let mut found = Vec::new();
        for (id, _) in this.world.shapes() {
            let other = &self.world[*id as usize];
            let separation = |piece: &Part| {
                let world_from_piece = frame * piece.frame_from_piece;
                exact::distance(&piece.body, &world_from_piece, &other.body, &other.world_from_body, reach)
            };
            let nearest = this.pieces.iter().filter_map(separation).min_by(|a, b| a.distance.total_cmp(&b.distance));
            found.extend(nearest.map(|separation| (separation, *id)));
        }
        found
    }

    /// Nearest points of two bodies in the root frame; `None` when they are farther apart than `reach`.
    pub(crate) fn self_separation(&self, pair: SelfPair, reach: f64) -> Option<Separation> {
        let (a, b) = (&self.bodies[pair.a], &self.bodies[pair.b]);
        let (root_from_a, root_from_b) = (isometry(&self.frames[a.frame]), isometry(&self.frames[b.frame]));
        let pairs = a.pieces.iter().flat_map(|piece_a| b.pieces.iter().map(move |piece_b| (piece_a, piece_b)));
        let separation = |(piece_a, piece_b): (&Part, &Part)| {
            let pose_a = root_from_a * piece_a.frame_from_piece;
            let pose_b = root_from_b * piece_b.frame_from_piece;
            exact::distance(&piece_a.body, &pose_a, &piece_b.body, &pose_b, reach)
        };
        pairs.filter_map(separation).min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}
