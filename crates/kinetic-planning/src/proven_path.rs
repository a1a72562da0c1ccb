//! Pieces of a timed curve that lie on segments of a proven path.
//!
//! A path that leaves the planner is proven, segment by segment. Its timed curve goes along the same configurations, but for
//! the corners that the time law rounds: these alone remain to be proven. That a piece lies on a segment is worked out from its
//! coefficients; what the time law says about it is not believed.

use kinetic_core::curve::{Coefficients, enclosure};
use kinetic_core::{PiecewisePolynomial, TimedTrajectory, Trajectory};
use kinetic_scene::Checker;

/// A piece may stray from its segment by this much in every joint, rad or m: far above the rounding of coefficients, and worth
/// less than a nanometre of any arm.
const SEGMENT_TOLERANCE_RAD_M: f64 = 1e-11;

/// Proves the pieces of a curve that leave `path`, of which it is the timing. The path is free; of a curve that goes nowhere that
/// is all there is to know.
pub(crate) fn is_free_off_path(trajectory: &TimedTrajectory, path: &Trajectory, checker: &mut Checker) -> bool {
    let pieces = pieces_off_path(trajectory, path);
    pieces.is_empty() || checker.pieces_contact(trajectory.curve(), &pieces).is_none()
}

/// The pieces of a curve that do not lie on `path`, of which the curve is the timing.
fn pieces_off_path(trajectory: &TimedTrajectory, path: &Trajectory) -> Vec<usize> {
    let (curve, times) = (trajectory.curve(), trajectory.waypoint_times());
    let is_off = |piece: &usize| {
        let middle = curve.knots()[*piece] + 0.5 * curve.piece_duration(*piece);
        let segment = times.partition_point(|time| *time <= middle);
        let is_known = times.len() == path.len() && (1..path.len()).contains(&segment);
        !(is_known && is_on_segment(curve, *piece, path.positions(segment - 1), path.positions(segment)))
    };
    (0..curve.pieces()).filter(is_off).collect()
}

/// True when a piece is `from + σ(t) (to − from)` for some σ inside [0, 1].
fn is_on_segment(curve: &PiecewisePolynomial, piece: usize, from: &[f64], to: &[f64]) -> bool {
    let along: Vec<f64> = from.iter().zip(to).map(|(from, to)| to - from).collect();
    let square: f64 = along.iter().map(|part| part * part).sum();
    if !(square > 0.0) {
        return false;
    }
    let duration = curve.piece_duration(piece);
    let (mut progress, mut stray, mut scale) = (Coefficients::default(), 0.0, 1.0);
    for (power, progress) in progress.iter_mut().enumerate() {
        let term = |joint: usize| {
            let start = if power == 0 { from[joint] } else { 0.0 };
            (curve.coefficients(piece, joint)[power] - start) * scale
        };
        *progress = (0..along.len()).map(|joint| term(joint) * along[joint]).sum::<f64>() / square;
        stray += (0..along.len()).map(|joint| (term(joint) - *progress * along[joint]).abs()).fold(0.0, f64::max);
        scale *= duration;
    }
    let (low, high) = enclosure(&progress, 0, 0.0, 1.0);
    let beyond = (-low).max(high - 1.0).max(0.0) * square.sqrt();
    // NaN is no proof.
    stray + beyond <= SEGMENT_TOLERANCE_RAD_M
}

#[cfg(test)]
mod tests {
    use kinetic_core::Result;

    use super::*;

    const FROM: [f64; 2] = [1.0, -2.0];
    const TO: [f64; 2] = [4.0, 2.0];

    /// A piece of duration `duration` that follows the segment by `progress`, strayed by `stray` in one coefficient.
    fn piece(duration: f64, progress: Coefficients, (power, stray): (usize, f64)) -> Result<PiecewisePolynomial> {
        let row = |joint: usize| {
            let mut row = progress.map(|part| part * (TO[joint] - FROM[joint]));
            row[0] += FROM[joint];
            if joint == 1 {
                row[power] += stray;
            }
            row
        };
        PiecewisePolynomial::new(2, vec![0.0, duration], vec![row(0), row(1)])
    }

    fn is_on(duration: f64, progress: Coefficients, stray: (usize, f64)) -> Result<bool> {
        Ok(is_on_segment(&piece(duration, progress, stray)?, 0, &FROM, &TO))
    }

    #[test]
    fn a_piece_is_on_its_segment_between_the_ends_alone() -> Result<()> {
        let rest = [0.0, 0.0, 0.75, -0.25, 0.0, 0.0];
        assert!(is_on(2.0, rest, (0, 0.0))?, "from end to end, at rest there");
        assert!(is_on(1.0, [1.0, 0.0, -0.5, 0.0, 0.0, 0.0], (0, 0.0))?, "back to the middle");
        assert!(!is_on(2.0, [1e-9, 0.0, 0.75, -0.25, 0.0, 0.0], (0, 0.0))?, "beyond the end");
        assert!(!is_on(2.0, [-1e-9, 0.0, 0.75, -0.25, 0.0, 0.0], (0, 0.0))?, "before the start");
        for power in 0..6 {
            assert!(is_on(2.0, rest, (power, 1e-15))?, "rounding of coefficient {power}");
            assert!(!is_on(2.0, rest, (power, 1e-10))?, "coefficient {power}");
        }
        assert!(!is_on(2.0, rest, (1, f64::INFINITY)).unwrap_or(false));
        let still = piece(1.0, Coefficients::default(), (0, 0.0))?;
        assert!(!is_on_segment(&still, 0, &FROM, &FROM), "a segment without length has no direction");
        Ok(())
    }

    #[test]
    fn every_piece_off_the_path_is_found() -> Result<()> {
        let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])?;
        let line = |from: [f64; 2], by: [f64; 2]| [0, 1].map(|joint| [from[joint], by[joint], 0.0, 0.0, 0.0, 0.0]);
        let bow = |from: [f64; 2], by: [f64; 2]| [0, 1].map(|joint| [from[joint], by[joint], 0.5, -0.5, 0.0, 0.0]);
        let rows = [
            bow([0.0, 0.0], [1.0, 0.0]),
            line([1.0, 0.0], [0.0, 1.0]),
            bow([1.0, 1.0], [0.0, -1.0]),
            bow([1.0, 0.0], [0.0, 1.0]),
        ];
        let curve = PiecewisePolynomial::new(2, vec![0.0, 1.0, 2.0, 3.0, 4.0], rows.concat())?;
        let timed = |times: Vec<f64>| TimedTrajectory::new(curve.clone(), times, 0.0, "x");
        assert_eq!(pieces_off_path(&timed(vec![0.0, 1.0, 4.0])?, &path), [0, 2, 3]);
        // Where waypoints are not those of the path, nothing is known.
        assert_eq!(pieces_off_path(&timed(vec![0.0, 1.0, 2.0, 4.0])?, &path), [0, 1, 2, 3]);
        Ok(())
    }
}
