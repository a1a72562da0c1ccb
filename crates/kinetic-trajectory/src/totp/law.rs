//! Time-optimal parameterisation of one path geometry: first grid, profile, and the curve in time.

use kinetic_core::curve::evaluate;
use kinetic_core::{KineticError, Limits, Result, TimedTrajectory};

use super::ID;
use super::parts::first_parts;
use super::pieces::StagePieces;
use super::reachability::{Blocked, END_SPEED_TOLERANCE};
use super::refine::{MeasuredProfile, refined_profile};
use super::stage::{PathConstraints, Stage, StageGrid};
use crate::curve_element::CurveElement;
use crate::geometry::{PathCurve, PathGeometry};
use crate::ratios::{holds, limit_ratios_watched};
use crate::trapezoid::{
    IntervalPart, Phase, SHORTEST_PHASE_RATIO, STAGES_PER_BLEND, knot_after, trapezoid, usable, waypoint_times,
};

/// Parts of velocity and acceleration limits that are left unused, tried in this order: the first covers the change of
/// acceleration by composition, the others the rounding of pieces near the resolution of the clock.
const EXACT_RESERVE: [f64; 2] = [1e-9, 1e-9];
const RESERVES: [[f64; 2]; 4] = [[1e-9, 1e-6], [1e-6, 1e-5], [1e-4, 1e-4], [1e-2, 1e-2]];

/// What errors call the ends.
const END_NAMES: [&str; 2] = ["start", "end"];

/// Stages for a turn of the tangent before speeds are known, in resolutions.
const FIRST_STAGES_PER_TURN: f64 = 0.6;

/// Part of the time that may be lost by the estimate, times the resolution: 0.55 % where that is 16. Along parabolas it is this
/// part of that.
const ALLOWED_TIME_LOSS: f64 = 0.088;
const PARABOLA_TIME_LOSS_RATIO: f64 = 0.23;

/// A shape of a path and what limits it.
pub(super) struct Law<'a> {
    geometry: &'a PathGeometry,
    elements: &'a [CurveElement],
    deviation: f64,
    /// Of each element.
    degrees: Vec<usize>,
    limits: &'a Limits,
    resolution: usize,
}

/// A first grid, and what is found on it.
pub(super) struct Start<'a> {
    grid: StageGrid<'a>,
    pub(super) found: std::result::Result<MeasuredProfile, Blocked>,
    /// Roughly the time of the path.
    time: f64,
}

impl<'a> Law<'a> {
    pub(super) fn new(
        geometry: &'a PathGeometry,
        shape: &'a PathCurve<'_>,
        limits: &'a Limits,
        resolution: usize,
    ) -> Self {
        let degrees = shape.elements.iter().map(CurveElement::degree).collect();
        Self { geometry, elements: &shape.elements, deviation: shape.deviation, degrees, limits, resolution }
    }

    /// The path in time, from what a first grid says of it, if that is known already.
    pub(super) fn timed(
        &self,
        mut start: Option<Start<'_>>,
        mut constraints: Option<&mut PathConstraints<'_>>,
    ) -> Result<TimedTrajectory> {
        let mut met = None;
        for reserve in self.reserves() {
            let begun = match start.take() {
                Some(start) => start,
                None => self.start(reserve, constraints.as_deref_mut())?,
            };
            let timed = self.finish(begun, constraints.is_some())?;
            self.geometry.watch.check()?;
            if holds(timed.curve(), self.limits) {
                return Ok(timed);
            }
            met = Some(limit_ratios_watched(timed.curve(), self.limits, &self.geometry.watch)?);
        }
        let given = format!("{met:?} of the limits");
        Err(KineticError::invalid("rounding of times under these limits", given, "limits and lengths of closer sizes"))
    }

    /// True where nothing is composed, so that it changes no acceleration.
    fn is_exact(&self) -> bool {
        self.degrees.iter().all(|degree| *degree <= 2)
    }

    fn reserves(&self) -> impl Iterator<Item = [f64; 2]> {
        self.is_exact().then_some(EXACT_RESERVE).into_iter().chain(RESERVES)
    }

    /// Part of the time that may be lost. On parabolas few stages lose little.
    fn allowed_loss(&self) -> f64 {
        let loss = ALLOWED_TIME_LOSS / self.resolution as f64;
        if self.is_exact() { PARABOLA_TIME_LOSS_RATIO * loss } else { loss }
    }

    pub(super) fn first_start(&self) -> Result<Start<'_>> {
        self.start(self.reserves().next().unwrap_or(EXACT_RESERVE), None)
    }

    /// A coarse grid and its profile; with path constraints a fine one.
    fn start(
        &self,
        [velocity, acceleration]: [f64; 2],
        constraints: Option<&mut PathConstraints<'_>>,
    ) -> Result<Start<'_>> {
        let time = self.time_estimate();
        let limits = usable(self.limits, time).scaled(1.0 - velocity, 1.0 - acceleration)?;
        let mut grid = self.grid(limits, constraints.is_some());
        if let Some(constraints) = constraints {
            // They are looked at where stages meet, and nowhere else: the grid is fine everywhere.
            grid.add_constraints(constraints)?;
        }
        let found = MeasuredProfile::new(&grid, self.ends());
        Ok(Start { grid, found, time })
    }

    /// Squared path speeds at both ends.
    fn ends(&self) -> [f64; 2] {
        self.geometry.end_speeds.map(|speed| speed * speed)
    }

    fn finish(&self, Start { mut grid, found, time }: Start<'_>, is_fine: bool) -> Result<TimedTrajectory> {
        let found = if is_fine { found } else { refined_profile(&mut grid, found, self.ends(), self.allowed_loss()) };
        let x = found.map_err(|blocked| self.error(blocked, &grid))?.profile.squares;
        self.geometry.watch.check()?;
        let phases = self.phases(&grid, &x, SHORTEST_PHASE_RATIO * time);
        self.geometry.watch.check()?;
        let end = phases.last().map_or(0.0, |phase| phase.end);
        if !(end > 0.0 && end.is_finite()) {
            return Err(KineticError::invalid(
                "duration of the path under these limits",
                end,
                "a positive finite time",
            ));
        }
        let times = waypoint_times(self.geometry.waypoint_arc_lengths(), &phases);
        let (curve, change) = StagePieces::new(self.elements, &self.degrees, self.limits).curve(&phases)?;
        TimedTrajectory::new(curve, times, self.deviation + change, ID)
    }

    /// Roughly the time of the path: that with a stop between all elements.
    fn time_estimate(&self) -> f64 {
        let time = |element: &CurveElement| {
            let slowest = |limits: &[f64]| {
                let ratio = |(row, limit): (&[f64; 6], &f64)| {
                    let end = evaluate(row, 1, element.length);
                    limit / row[1].abs().max(end.abs())
                };
                element.shape.iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
            };
            element.length / slowest(&self.limits.velocity)
                + 2.0 * (element.length / slowest(&self.limits.acceleration)).sqrt()
        };
        self.elements.iter().map(time).sum()
    }

    fn grid(&self, limits: Limits, is_fine: bool) -> StageGrid<'_> {
        let mut grid = StageGrid {
            elements: self.elements,
            degrees: &self.degrees,
            limits,
            stages: Vec::new(),
            constraints: Vec::new(),
            watch: &self.geometry.watch,
        };
        let per_turn = self.resolution as f64 * if is_fine { 1.0 } else { FIRST_STAGES_PER_TURN };
        for (index, element) in self.elements.iter().enumerate() {
            match self.degrees[index] {
                0 | 1 if !is_fine => grid.push_straight(index),
                0 | 1 => grid.push_bend(index, [0.0, element.length], self.resolution),
                2 if !is_fine => grid.push_bend(index, [0.0, element.length], STAGES_PER_BLEND),
                _ => {
                    let parts = first_parts(element, self.limits, per_turn);
                    grid.push_bend(index, [0.0, element.length], parts);
                }
            }
        }
        grid
    }

    pub(super) fn check_end_velocities(&self) -> Result<()> {
        for end in [0, 1] {
            for (joint, velocity) in self.end_velocity(end).into_iter().enumerate() {
                let limit = self.limits.velocity[joint];
                if !(velocity.abs() <= limit * (1.0 + END_SPEED_TOLERANCE)) {
                    let name = format!("{} velocity of joint {joint}", END_NAMES[end]);
                    return Err(KineticError::invalid(name, velocity, format!("at most {limit}")));
                }
            }
        }
        Ok(())
    }

    fn end_velocity(&self, end: usize) -> Vec<f64> {
        let (element, offset) = match end {
            0 => (&self.elements[0], 0.0),
            _ => (&self.elements[self.elements.len() - 1], self.elements[self.elements.len() - 1].length),
        };
        let tangent = |row| evaluate(row, 1, offset);
        element.shape.iter().map(|row| tangent(row) * self.geometry.end_speeds[end]).collect()
    }

    /// What to say when there is no profile: the joint that moves fastest stands for the velocity.
    fn error(&self, blocked: Blocked, grid: &StageGrid<'_>) -> KineticError {
        let fastest = |end: usize| {
            let velocity = self.end_velocity(end);
            let joint = (0..velocity.len()).max_by(|a, b| velocity[*a].abs().total_cmp(&velocity[*b].abs()));
            joint.map_or((0, 0.0), |joint| (joint, velocity[joint]))
        };
        match blocked {
            Blocked::Over => self.geometry.watch.error_or(|| KineticError::Cancelled { elapsed: 0.0, iterations: 0 }),
            Blocked::Start([low, high]) => {
                let (joint, velocity) = fastest(0);
                let part = |square: f64| velocity * square.sqrt() / self.geometry.end_speeds[0];
                let wanted = format!(
                    "between {:.9} and {:.9}, from which the limits can be held to the end of the path",
                    part(low),
                    part(high)
                );
                KineticError::invalid(format!("start velocity of joint {joint}"), velocity, wanted)
            }
            Blocked::Stage(index) if index + 1 == grid.stages.len() && self.geometry.end_speeds[1] > 0.0 => {
                let (joint, velocity) = fastest(1);
                KineticError::invalid(format!("end velocity of joint {joint}"), velocity, "one that the limits allow")
            }
            Blocked::Stage(index) => {
                let stage = &grid.stages[index];
                let arc_length = self.elements[stage.element].arc_length + stage.offset;
                KineticError::invalid(
                    format!("path speeds at {arc_length:.6} of the path"),
                    "none",
                    "limits that leave some",
                )
            }
        }
    }

    /// Segments with one path acceleration.
    fn phases(&self, grid: &StageGrid<'_>, x: &[f64], shortest: f64) -> Vec<Phase> {
        let straights = grid.stages.iter().filter(|stage| stage.acceleration.is_finite()).count();
        let mut phases = Vec::with_capacity(grid.stages.len() + 2 * straights);
        let mut time = 0.0;
        for (index, stage) in grid.stages.iter().enumerate() {
            let whole = (stage.length, x[index], x[index + 1]);
            if !stage.acceleration.is_finite() {
                time = self.push_phase(&mut phases, stage, (stage.offset, whole), time);
                continue;
            }
            let (parts, count) = trapezoid(whole, stage.acceleration, stage.fastest, shortest);
            let mut offset = stage.offset;
            for part in parts.into_iter().take(count) {
                time = self.push_phase(&mut phases, stage, (offset, part), time);
                offset += part.0;
            }
        }
        phases
    }

    /// Adds a part of a stage; returns when it ends.
    #[inline]
    fn push_phase(
        &self,
        phases: &mut Vec<Phase>,
        stage: &Stage,
        (offset, (length, start, end)): (f64, IntervalPart),
        time: f64,
    ) -> f64 {
        let (speed, duration) = (start.sqrt(), 2.0 * length / (start.sqrt() + end.sqrt()));
        // Clamped, since the difference of nearly equal squares over a short length is mostly rounding.
        let acceleration = ((end - start) / (2.0 * length)).clamp(-stage.acceleration, stage.acceleration);
        let arc_length = self.elements[stage.element].arc_length + offset;
        let end = knot_after(time, duration);
        // Below the resolution of the clock nothing moves.
        if end > time {
            phases.push(Phase { element: stage.element, offset, arc_length, speed, acceleration, time, end });
            return end;
        }
        time
    }
}
