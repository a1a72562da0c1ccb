//! Proofs about the tool along a timed curve: how far from its path, and how fast.
//!
//! Between two moments `h` apart the difference of two curves is at most the larger one at both, and `h²/8` times the bound of
//! its second derivative (the error of linear interpolation); a speed is at most the larger one at both, and `h/2` times the bound
//! of the acceleration or `h²/8` times that of the jerk. Arc lengths of the path are chosen at the moments and interpolated between them: any choice is a bound.

use kinetic_core::{Control, PiecewisePolynomial, Result};
use kinetic_ik::path::tool_path::METRES_PER_RADIAN;
use kinetic_ik::{FreedPath, PathTolerance};
use kinetic_kinematics::jacobian::fill;
use kinetic_kinematics::{KinematicChain, Rigid};
use nalgebra::Vector3;

use super::motion_bounds::{MotionBoundsOf, ToolBounds};
use super::outside::{Derivatives, IntervalMotion, Relative, outside_between};

/// Part of a tolerance that the error of interpolation may take, along paths that leave nothing free and along others.
const INTERPOLATION_RATIOS: [f64; 2] = [0.05, 0.2];
/// Newton steps to the nearest arc length at most, and the step after which there are no more: the next one would be shorter by far.
const NEWTON_STEPS: usize = 3;
const LAST_NEWTON_STEP_M: f64 = 1e-6;
/// Parts of a piece at most.
const MOST_PARTS: f64 = 20_000.0;
/// Speeds are bounded up to this part, or up to these where there is hardly any, m/s and rad/s.
const SPEED_RATIO: f64 = 5e-4;
const SPEED_FLOORS: [f64; 2] = [5e-4, 2e-3];
/// Part of a limit up to which speeds are bounded at least.
const LIMIT_FLOOR_RATIO: f64 = 0.02;
/// Intervals are halved this often for a bound on speeds.
const MOST_SPEED_HALVINGS: usize = 40;
/// Moments between looks at the clock.
const MOMENTS_PER_LOOK: usize = 256;

/// The tool at a moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// s.
    pub(crate) time: f64,
    /// Where on the path it is nearest, m.
    pub(crate) arc_length: f64,
    /// Distance from the path there, or from what it leaves free, m.
    away: f64,
    /// Frobenius norm of the difference of the rotation matrices, or what it is for the angle outside of what the path leaves free.
    turned: f64,
    /// The tool as seen from the path, where that leaves something free.
    relative: Option<Relative>,
}

/// What is proven about a motion along a path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tracked {
    /// Bound on the distance, m.
    pub(crate) deviation: f64,
    /// Bound on the angle, rad.
    pub(crate) angle: f64,
    /// The moments that were looked at.
    pub(crate) moments: Vec<Moment>,
}

impl Tracked {
    /// The arc length of the first moment at which the tool is beyond its tolerances (m and rad), or nearest to it, and the deviation
    /// that is larger beside its tolerance, with that.
    pub(crate) fn first_off(&self, tolerances: [f64; 2]) -> (f64, [f64; 2]) {
        let share = |moment: &Moment| (moment.away / tolerances[0]).max(angle(moment.turned) / tolerances[1]);
        let by_share = |a: &&Moment, b: &&Moment| share(a).total_cmp(&share(b));
        let first = self.moments.iter().find(|moment| !(share(moment) <= 1.0));
        let moment = first.or_else(|| self.moments.iter().max_by(by_share));
        let arc_length = moment.map_or(0.0, |moment| moment.arc_length);
        let kind = usize::from(self.angle / tolerances[1] > self.deviation / tolerances[0]);
        (arc_length, [[self.deviation, self.angle][kind], tolerances[kind]])
    }
}

/// A chain whose tool follows a path.
pub(crate) struct Tracker<'a> {
    chain: &'a KinematicChain,
    path: &'a FreedPath<'a>,
    tolerance: Option<PathTolerance>,
    bounds: MotionBoundsOf<'a>,
    frames: Vec<Rigid>,
    jacobian: Vec<f64>,
    positions: Vec<f64>,
    rates: Vec<f64>,
    control: &'a Control,
}

impl<'a> Tracker<'a> {
    /// `tolerance`: what the path leaves free, from which deviations are counted.
    pub(crate) fn new(
        chain: &'a KinematicChain,
        path: &'a FreedPath<'a>,
        tolerance: Option<PathTolerance>,
        control: &'a Control,
    ) -> Self {
        Self {
            chain,
            path,
            tolerance,
            bounds: MotionBoundsOf::new(chain),
            frames: chain.frame_buffer(),
            jacobian: vec![0.0; 6 * chain.dof()],
            positions: vec![0.0; chain.dof()],
            rates: vec![0.0; chain.dof()],
            control,
        }
    }

    /// How the tool moves on every piece of a curve at most.
    ///
    /// # Errors
    /// What the control says.
    pub(crate) fn piece_bounds(&mut self, curve: &PiecewisePolynomial) -> Result<Vec<ToolBounds>> {
        let on = |piece: usize| {
            self.look_at_clock(piece)?;
            Ok(self.bounds.on(curve, piece, [0.0, curve.piece_duration(piece)]))
        };
        (0..curve.pieces()).map(on).collect()
    }

    /// Asks the control at every so many moments.
    fn look_at_clock(&self, moment: usize) -> Result<()> {
        if moment.is_multiple_of(MOMENTS_PER_LOOK) { self.control.check(0) } else { Ok(()) }
    }

    /// Bounds how far the tool is from the path between arc lengths `ends`, along all of a curve with these bounds on its pieces.
    /// `tolerances`: m and rad, from which the distance of the moments follows.
    ///
    /// # Errors
    /// What the control says.
    pub(crate) fn track(
        &mut self,
        (curve, pieces): (&PiecewisePolynomial, &[ToolBounds]),
        ends: [f64; 2],
        tolerances: [f64; 2],
    ) -> Result<Tracked> {
        let mut tracked = Tracked::default();
        let interpolation = INTERPOLATION_RATIOS[usize::from(self.tolerance.is_some())];
        let (mut last, mut rate) = (self.moment(curve, 0.0, ends[0], ends), 0.0);
        (tracked.deviation, tracked.angle) = (last.away, angle(last.turned));
        tracked.moments.push(last);
        // A curve that goes nowhere has no pieces.
        for (piece, bounds) in pieces.iter().enumerate() {
            self.control.check(0)?;
            let duration = curve.piece_duration(piece);
            let needed = (bounds.acceleration / tolerances[0])
                .max(bounds.matrix_acceleration() / (std::f64::consts::SQRT_2 * tolerances[1]));
            // The path bends about as the tool does: twice that.
            let parts = (duration * (2.0 * needed / (8.0 * interpolation)).sqrt()).ceil().clamp(1.0, MOST_PARTS);
            let mut part = 0.0;
            while part < parts {
                part += 1.0;
                let time = curve.knots()[piece] + duration * (part / parts);
                // About as fast as between the two moments before.
                let near = (last.arc_length + rate * (time - last.time)).clamp(ends[0], ends[1]);
                let next = self.moment(curve, time, near, ends);
                rate = (next.arc_length - last.arc_length) / (time - last.time).max(f64::MIN_POSITIVE);
                self.add(&mut tracked, bounds, [&last, &next]);
                tracked.moments.push(next);
                last = next;
                self.look_at_clock(tracked.moments.len())?;
            }
        }
        Ok(tracked)
    }

    /// Raises the bounds by those between two moments.
    fn add(&self, tracked: &mut Tracked, bounds: &ToolBounds, [a, b]: [&Moment; 2]) {
        let h = b.time - a.time;
        let path = self.path.path().bounds_between(a.arc_length.min(b.arc_length), a.arc_length.max(b.arc_length));
        // What the arc lengths do between the moments: an even motion.
        let step = (b.arc_length - a.arc_length).abs();
        let way = step * step;
        if let (Some(tolerance), Some(from), Some(to)) = (&self.tolerance, &a.relative, &b.relative) {
            let tool = Derivatives {
                speed: h * bounds.speed,
                acceleration: h * h * bounds.acceleration,
                turning: h * bounds.turning,
                turning_rate: h * h * bounds.turning_acceleration,
            };
            let target = Derivatives {
                speed: step * path.speed,
                acceleration: way * path.acceleration,
                turning: step * path.turning,
                turning_rate: way * path.turning_rate,
            };
            let [away, angle] = outside_between(tolerance, [from, to], &IntervalMotion { tool, target });
            tracked.deviation = tracked.deviation.max(away);
            tracked.angle = tracked.angle.max(angle);
            return;
        }
        let bend = 0.125 * (h * h * bounds.acceleration + way * path.acceleration);
        let path_turn = std::f64::consts::SQRT_2 * (path.turning_rate + path.turning * path.turning);
        let turn = 0.125 * (h * h * bounds.matrix_acceleration() + way * path_turn);
        tracked.deviation = tracked.deviation.max(a.away.max(b.away) + bend);
        tracked.angle = tracked.angle.max(angle(a.turned.max(b.turned) + turn));
    }

    /// The tool at a moment, and the arc length nearest to it from `near` on.
    fn moment(&mut self, curve: &PiecewisePolynomial, time: f64, near: f64, [begin, end]: [f64; 2]) -> Moment {
        curve.sample_into(time, 0, &mut self.positions);
        let tool = self.chain.tip_rigid(&self.positions, &mut self.frames);
        let pose = tool.to_pose();
        let rotation = pose.rotation();
        // Where a run begins the path is the move that follows: the one before may lead elsewhere, or back.
        let point_at = |arc_length: f64| self.path.point_at(arc_length.max(begin.next_up()));
        let mut arc_length = near;
        for _ in 0..NEWTON_STEPS {
            let point = point_at(arc_length);
            let turning = point.turning * METRES_PER_RADIAN;
            let off = (point.rotation.inverse() * rotation).scaled_axis() * METRES_PER_RADIAN;
            let slope = point.velocity.norm_squared() + turning.norm_squared();
            let along = (tool.translation - point.position).dot(&point.velocity) + off.dot(&turning);
            let step = along / slope.max(f64::MIN_POSITIVE);
            arc_length = (arc_length + step).clamp(begin, end);
            if step.abs() <= LAST_NEWTON_STEP_M {
                break;
            }
        }
        if let Some(tolerance) = &self.tolerance {
            let target = self.path.path().point_at(arc_length.max(begin.next_up()));
            let (target, tool) = ((&target.position, &target.rotation), (&tool.translation, &rotation));
            let relative = Relative::new(tolerance, target, tool);
            let [away, angle] = relative.outside(tolerance);
            let turned = 2.0 * std::f64::consts::SQRT_2 * (0.5 * angle).sin();
            return Moment { time, arc_length, away, turned, relative: Some(relative) };
        }
        let point = point_at(arc_length);
        let wanted = point.rotation.to_rotation_matrix().into_inner();
        Moment {
            time,
            arc_length,
            away: (tool.translation - point.position).norm(),
            turned: (rotation.to_rotation_matrix().into_inner() - wanted).norm(),
            relative: None,
        }
    }

    /// Whether the path translates at an arc length by at least this part of its length.
    pub(crate) fn translates(&self, arc_length: f64, part: f64) -> bool {
        self.path.path().point_at(arc_length).velocity.norm() >= part
    }

    /// Linear and angular speed of the tool.
    pub(crate) fn speeds(&mut self, curve: &PiecewisePolynomial, time: f64) -> [f64; 2] {
        curve.sample_into(time, 0, &mut self.positions);
        let tip = self.chain.tip_rigid(&self.positions, &mut self.frames).translation;
        fill(self.chain, &self.frames, &tip, &mut self.jacobian);
        curve.sample_into(time, 1, &mut self.rates);
        let mut twist = [Vector3::zeros(), Vector3::zeros()];
        for (column, rate) in self.jacobian.chunks_exact(6).zip(&self.rates) {
            twist[0] += Vector3::new(column[0], column[1], column[2]) * *rate;
            twist[1] += Vector3::new(column[3], column[4], column[5]) * *rate;
        }
        twist.map(|part| part.norm())
    }

    /// Arc lengths of the path at the knots of a curve, between arc lengths `ends`.
    pub(crate) fn knot_arc_lengths(&mut self, curve: &PiecewisePolynomial, ends: [f64; 2]) -> Vec<f64> {
        let mut arc_length = ends[0];
        let mut next = |time: &f64| {
            arc_length = self.moment(curve, *time, arc_length, ends).arc_length;
            arc_length
        };
        curve.knots().iter().map(&mut next).collect()
    }

    /// Bounds on the largest linear and angular speed of the tool on every piece of a curve with these bounds on its pieces, by branch
    /// and bound; `limits` that there are for them. The largest of all is close; others are no larger than they have to be for that.
    ///
    /// # Errors
    /// What the control says.
    pub(crate) fn largest_speeds(
        &mut self,
        (curve, pieces): (&PiecewisePolynomial, &[ToolBounds]),
        limits: [Option<f64>; 2],
    ) -> Result<Vec<[f64; 2]>> {
        let floor = |kind: usize| {
            let of_limit = limits[kind].map_or(f64::INFINITY, |limit| LIMIT_FLOOR_RATIO * limit);
            SPEED_FLOORS[kind].min(of_limit)
        };
        let at_knot = |(moment, knot): (usize, &f64)| {
            self.look_at_clock(moment)?;
            Ok(self.speeds(curve, *knot))
        };
        let at_knots: Vec<[f64; 2]> = curve.knots().iter().enumerate().map(at_knot).collect::<Result<_>>()?;
        let met = at_knots.iter().copied().fold([0.0; 2], larger);
        let mut search = SpeedSearch { curve, floors: [floor(0), floor(1)], met, open: Vec::new(), looked_at: 0 };
        let ends = at_knots.windows(2).map(|pair| [pair[0], pair[1]]);
        pieces
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(piece, (on, ends))| self.speeds_on(&mut search, piece, on, ends))
            .collect()
    }

    /// Bounds on the largest speeds on a piece, from those at its ends.
    fn speeds_on(
        &mut self,
        search: &mut SpeedSearch<'_>,
        piece: usize,
        on_piece: &ToolBounds,
        ends: [[f64; 2]; 2],
    ) -> Result<[f64; 2]> {
        let (curve, mut bounds) = (search.curve, [0.0; 2]);
        search.open.push(SpeedInterval { from: 0.0, to: curve.piece_duration(piece), ends, depth: 0 });
        while let Some(SpeedInterval { from, to, ends, depth }) = search.open.pop() {
            search.looked_at += 1;
            self.look_at_clock(search.looked_at)?;
            let on = if depth == 0 { *on_piece } else { self.bounds.on(curve, piece, [from, to]) };
            let most = on.speeds_between(to - from, larger(ends[0], ends[1]));
            if search.is_close(most) || depth == MOST_SPEED_HALVINGS {
                bounds = larger(bounds, most);
                continue;
            }
            let middle = f64::midpoint(from, to);
            let there = self.speeds(curve, curve.knots()[piece] + middle);
            search.met = larger(search.met, there);
            search.open.push(SpeedInterval { from, to: middle, ends: [ends[0], there], depth: depth + 1 });
            search.open.push(SpeedInterval { from: middle, to, ends: [there, ends[1]], depth: depth + 1 });
        }
        Ok(bounds)
    }
}

/// A search for the largest linear and angular speeds on a curve.
struct SpeedSearch<'c> {
    curve: &'c PiecewisePolynomial,
    /// Speeds so small need not be told apart.
    floors: [f64; 2],
    /// The largest speeds that were met so far.
    met: [f64; 2],
    open: Vec<SpeedInterval>,
    looked_at: usize,
}

impl SpeedSearch<'_> {
    /// Whether bounds are close enough to what was met, or to nothing.
    fn is_close(&self, most: [f64; 2]) -> bool {
        (0..2).all(|kind| most[kind] <= (self.met[kind] * (1.0 + SPEED_RATIO)).max(self.floors[kind]))
    }
}

/// A part of a piece of a curve, in its own time, with the speeds at its ends.
struct SpeedInterval {
    from: f64,
    to: f64,
    ends: [[f64; 2]; 2],
    /// How often the piece was halved for it.
    depth: usize,
}

/// The larger ones of two linear and two angular speeds.
fn larger(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}

/// The angle of two rotations whose matrices differ by this Frobenius norm, `2√2 sin(angle / 2)`.
fn angle(difference: f64) -> f64 {
    2.0 * (difference / (2.0 * std::f64::consts::SQRT_2)).min(1.0).asin()
}
