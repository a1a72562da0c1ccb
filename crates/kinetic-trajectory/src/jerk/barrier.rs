//! The fastest squared speed x(s) over a grid under limits of velocity, acceleration and jerk.
//!
//! The unknown is x = ṡ², on which limits depend as `rows` says. x is a quadratic spline with continuous slope, so that jerk is bounded; from and to rest the motion is a cubic of
//! time, which fixes the slope at the spline's ends: x′ = 4x / 3s. The time ∫ ds/√x is convex in the coefficients of the
//! spline, and the limits of velocity and acceleration are linear (Verscheure et al. 2009, *Time-Optimal Path Tracking
//! for Robots: A Convex Optimization Approach*). That of jerk is not convex; its barrier is followed with the part of
//! its curvature that is (Gauss–Newton), which is the tangent of j/√x, a bound from the safe side. Newton's method on a
//! logarithmic barrier; each coefficient meets its two neighbours only, so that a step takes linear time.

use super::grid::NodeGrid;
use super::newton::Newton;
use super::rows::BarrierBlock;
use super::spline::{Spline, maps};
use crate::lanes::Lanes;

/// Newton steps at most.
const MAX_BARRIER_NEWTON_STEPS: usize = 80;

/// The barrier's weight shrinks by this factor.
const BARRIER_WEIGHT_DECREASE: f64 = 0.2;

/// The barrier's weight shrinks when a step promises to gain less than this multiple of what the barrier costs.
const CENTRED_DECREMENT_RATIO: f64 = 3.0;

/// A step is taken when the slope at its end is at most this part of the slope at its beginning, upwards.
const MAX_FINAL_SLOPE_RATIO: f64 = 0.5;

/// Part of a step that is tried next, and how often.
const BACKTRACKING_FACTOR: f64 = 0.5;
const MAX_BACKTRACKS: usize = 30;

/// Largest ratio of neighbouring values at the start.
const MAX_START_GROWTH: f64 = 1.8;

/// Rounds of scaling at the start.
const MAX_START_SCALINGS: usize = 20;

/// Part of each limit that is used at the start, without and with a guess.
const START: [f64; 2] = [0.7, 0.995];

impl<'a> Spline<'a> {
    /// Spline of the fastest motion, or `None` when no motion can be represented. `guess` are coefficients of a motion
    /// that is nearly as fast; the barrier's cost goes from part `gaps[0]` of the time to `gaps[1]`.
    pub(crate) fn fastest(grid: &'a NodeGrid, guess: Option<Vec<f64>>, gaps: [f64; 2]) -> Option<Self> {
        // With one interval both ends would rule the same coefficients.
        if grid.intervals.len() < 2 {
            return None;
        }
        let start = START[usize::from(guess.is_some())];
        let mut spline = Self { grid, c: guess.unwrap_or_default(), maps: maps(&grid.nodes) };
        if spline.c.is_empty() {
            spline.start();
        }
        spline.scale_inside(start)?;
        let mut newton = Newton::new(spline.c.len());
        let mut time = spline.derivatives(&mut newton)?;
        // What the barrier costs at its optimum is about its weight times the number of nodes.
        let mut gap = gaps[0] * time;
        let mut before = gap;
        for _ in 0..MAX_BARRIER_NEWTON_STEPS {
            if grid.watch.is_over() {
                return None;
            }
            let weights = [gap, before].map(|gap| gap / grid.intervals.len() as f64);
            let Some((gain, reached)) = spline.step(&mut newton, weights) else { break };
            time = reached;
            before = gap;
            let target = gaps[1] * time;
            if gain > CENTRED_DECREMENT_RATIO * gap.max(target) {
                continue;
            }
            if gap <= target {
                break;
            }
            gap = (gap * BARRIER_WEIGHT_DECREASE).max(target);
        }
        Some(spline)
    }

    /// A slow motion that holds every limit: the local limits of speed, smoothed by the grid itself, scaled down.
    fn start(&mut self) {
        let n = self.intervals();
        let mut nodes: Vec<f64> = self.grid.intervals.iter().map(|interval| interval.fastest[0]).collect();
        nodes.push(self.grid.last_fastest);
        for k in 0..n {
            let [left, right, middle] = self.grid.blocks(k).map(most_by_curvature);
            nodes[k] = nodes[k].min(left).min(middle).min(self.grid.intervals[k].fastest[1]);
            nodes[k + 1] = nodes[k + 1].min(right).min(middle);
        }
        self.limit_growth(&mut nodes);
        let node = |coefficient: usize| nodes[coefficient.min(n)].min(nodes[coefficient.saturating_sub(1)]);
        self.c = (0..n + 2).map(node).collect();
        self.follow_ends();
    }

    /// Scales the motion until it uses about the part of the limits that it starts with.
    fn scale_inside(&mut self, start: f64) -> Option<()> {
        // Velocity and acceleration are linear in x, jerk grows with its power 3/2: a few rounds meet the largest ratio.
        for _ in 0..MAX_START_SCALINGS {
            self.grid.watch.check().ok()?;
            let worst = self.worst();
            if !(worst.is_finite() && worst > 0.0) {
                return None;
            }
            if worst <= start && worst > 0.5 * start {
                break;
            }
            let factor = (start / worst).powf(if worst > start { 1.0 } else { 2.0 / 3.0 });
            self.c.iter_mut().for_each(|c| *c *= factor);
        }
        (self.worst() < 1.0).then_some(())
    }

    /// Lets neighbouring nodes differ by what half of the acceleration allows, and by no more than a factor.
    fn limit_growth(&self, x: &mut [f64]) {
        let n = self.intervals();
        let steepest = |block: &BarrierBlock| block.acceleration[0].abs().largest();
        let rise = |k: usize| {
            let [left, right, _] = self.grid.blocks(k);
            let steepest = left.iter().chain(right).map(steepest).fold(0.0, f64::max);
            self.grid.intervals[k].length * 0.5 / steepest
        };
        for k in 0..n {
            x[k + 1] = x[k + 1].min(x[k] + rise(k)).min(x[k] * MAX_START_GROWTH);
        }
        for k in (0..n).rev() {
            x[k] = x[k].min(x[k + 1] + rise(k)).min(x[k + 1] * MAX_START_GROWTH);
        }
    }

    fn follow_ends(&mut self) {
        let n = self.intervals();
        let [first, last] = self.proportions();
        self.c[0] = self.c[0].min(self.c[1] / first);
        self.c[n + 1] = self.c[n + 1].min(self.c[n] / last);
        self.c[1] = first * self.c[0];
        self.c[n] = last * self.c[n + 1];
    }

    /// One step of Newton's method; what it promised to gain and the time that it reached, or `None` when there is no
    /// better point in its direction.
    fn step(&mut self, newton: &mut Newton, [weight, before]: [f64; 2]) -> Option<(f64, f64)> {
        let slope = newton.direction(weight, before)?;
        let origin = self.c.clone();
        let mut length = 1.0;
        for _ in 0..MAX_BACKTRACKS {
            if self.grid.watch.is_over() {
                break;
            }
            self.go(&origin, &newton.step, length);
            newton.clear();
            if let Some(time) = self.derivatives(newton)
                && newton.slope(weight) <= -MAX_FINAL_SLOPE_RATIO * slope
            {
                return Some((-slope, time));
            }
            length *= BACKTRACKING_FACTOR;
        }
        self.c = origin;
        None
    }

    pub(super) fn go(&mut self, origin: &[f64], direction: &[f64], length: f64) {
        let n = self.intervals();
        for (index, (c, step)) in self.c[1..].iter_mut().zip(direction).enumerate() {
            *c = origin[index + 1] + length * step;
        }
        let [first, last] = self.proportions();
        let ends = [origin[0] + length * direction[0], origin[n + 1] + length * direction[n - 1]];
        (self.c[0], self.c[1]) = (ends[0], first * ends[0]);
        (self.c[n + 1], self.c[n]) = (ends[1], last * ends[1]);
    }
}

/// Largest x that the bends of a place allow, about.
fn most_by_curvature(blocks: &[BarrierBlock]) -> f64 {
    let steepest =
        |of: fn(&BarrierBlock) -> Lanes| blocks.iter().map(|block| of(block).abs().largest()).fold(0.0, f64::max);
    let (curvature, third) = (steepest(|block| block.acceleration[1]), steepest(|block| block.jerk[2]));
    f64::min(0.5 / curvature, 0.5 * third.powf(-2.0 / 3.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use kinetic_core::Limits;

    use super::*;
    use crate::geometry::PathGeometry;
    use crate::jerk::Run;

    /// A path with two corners.
    fn corners() -> Run {
        let path = kinetic_core::Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.5]]).unwrap();
        let geometry = PathGeometry::polyline(&path).unwrap().rounded(0.05, &mut |_| true).unwrap();
        geometry.runs().unwrap().remove(0)
    }

    #[test]
    fn a_tighter_gap_is_faster_and_stays_inside_every_limit() {
        let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
        let run = corners();
        let grid = NodeGrid::new(&run, &limits, &[20.0, 20.0]);
        let times = [0.1, 0.01, 1e-3].map(|gap| {
            let spline = Spline::fastest(&grid, None, [1.0, gap]).unwrap();
            assert!(spline.worst() < 1.0);
            spline.derivatives(&mut Newton::new(spline.c.len())).unwrap()
        });
        assert!(times[0] > times[1] && times[1] > times[2], "{times:?}");
        // What the barrier may cost.
        assert!(times[1] < 1.02 * times[2], "{times:?}");
    }
}
