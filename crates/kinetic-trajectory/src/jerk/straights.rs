//! Motion along straights, by phases of constant jerk.

use kinetic_core::Limits;
use kinetic_core::curve::Coefficients;

use super::piece::JerkPiece;
use crate::corners::wide::CurveSegment;
use crate::state::{AxisLimits, AxisState, Phases, line_motion};

/// A straight from rest to rest.
pub(super) fn straight_pieces(segment: &CurveSegment, limits: &Limits) -> Vec<JerkPiece> {
    let target = AxisState { position: segment.length, ..AxisState::default() };
    let motion = line_motion(&target, &limits_along(segment.shape.iter().map(|row| row[1]), limits));
    forwards(&motion, 0.0, &segment.shape)
}

/// Limits of the path parameter in a direction.
pub(super) fn limits_along(direction: impl Iterator<Item = f64> + Clone, limits: &Limits) -> AxisLimits {
    let along = |limits: &[f64]| {
        let ratio = |(direction, limit): (f64, &f64)| limit / direction.abs();
        direction.clone().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
    };
    let jerk = along(limits.jerk.as_deref().unwrap_or(&[]));
    AxisLimits::symmetric(along(&limits.velocity), along(&limits.acceleration), jerk)
}

/// The pieces of a motion that begins at `offset` of its run; `shape` is the path from there.
pub(super) fn forwards(motion: &Phases, offset: f64, shape: &[Coefficients]) -> Vec<JerkPiece> {
    let piece = |(duration, jerk, state): (f64, f64, AxisState)| {
        let law = [state.position, state.velocity, state.acceleration / 2.0, jerk / 6.0, 0.0, 0.0];
        straight_piece(duration, law, state.after(duration, jerk).position, (offset, shape))
    };
    motion.iter().map(piece).collect()
}

/// The pieces of a motion run backwards, so that it ends where it began: `displacement` after `offset`, from where `shape` is the path.
pub(super) fn backwards(motion: &Phases, displacement: f64, offset: f64, shape: &[Coefficients]) -> Vec<JerkPiece> {
    let piece = |(duration, jerk, state): (f64, f64, AxisState)| {
        let end = state.after(duration, jerk);
        let law = [displacement - end.position, end.velocity, -end.acceleration / 2.0, jerk / 6.0, 0.0, 0.0];
        straight_piece(duration, law, displacement - state.position, (offset, shape))
    };
    let mut pieces: Vec<JerkPiece> = motion.iter().map(piece).collect();
    pieces.reverse();
    pieces
}

fn straight_piece(duration: f64, law: Coefficients, end: f64, (offset, shape): (f64, &[Coefficients])) -> JerkPiece {
    let row = |shape: &Coefficients| {
        let mut row = law.map(|value| shape[1] * value);
        row[0] += shape[0];
        row
    };
    let rows = shape.iter().map(row).collect();
    let offsets = [offset + law[0], offset + end];
    let mut law = law;
    law[0] += offset;
    JerkPiece { duration, offsets, law, rows, is_straight: true }
}
