//! Duration, barrier and their derivatives, summed over the intervals.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use pulp::{Arch, NullaryFnOnce};

use super::newton::{Map, Newton, Quadratic};
use super::rows::{Barrier, NodeState};
use super::spline::Spline;
use crate::lanes::Lanes;

impl Spline<'_> {
    /// x, x′ at both ends of an interval and x″ on it.
    #[inline(always)]
    pub(crate) fn interval(&self, k: usize) -> ([f64; 2], [f64; 2], f64) {
        let (map, c) = (&self.maps[k], &self.c[k..k + 3]);
        let value = |row: &[f64; 3]| row[0] * c[0] + row[1] * c[1] + row[2] * c[2];
        ([value(&map[0]), value(&map[2])], [value(&map[1]), value(&map[3])], value(&map[4]))
    }

    /// The left end of an interval, its right end and its middle; `None` where x is not positive.
    #[inline(always)]
    fn states(&self, k: usize) -> Option<[NodeState; 3]> {
        let ([left, right], slopes, bend) = self.interval(k);
        let middle = 0.5 * (left + right) - eighth(self.grid.intervals[k].length) * bend;
        let state = |x: f64, slope: f64| NodeState::new(x, slope, bend);
        let is_positive = left > 0.0 && right > 0.0 && middle > 0.0;
        is_positive
            .then(|| [state(left, slopes[0]), state(right, slopes[1]), state(middle, 0.5 * (slopes[0] + slopes[1]))])
    }

    /// Largest ratio of a limit that is used: of squared velocity, acceleration and jerk.
    pub(super) fn worst(&self) -> f64 {
        Arch::new().dispatch(Worst(self))
    }

    #[inline(always)]
    fn worst_of(&self, k: usize) -> Option<f64> {
        let [left, right, middle] = self.states(k)?;
        let [left_blocks, right_blocks, middle_blocks] = self.grid.blocks(k);
        let fastest = self.grid.intervals[k].fastest;
        let mut worst = Lanes::splat((left.x / fastest[0]).max(middle.x / fastest[1]));
        for (blocks, state) in [(left_blocks, &left), (middle_blocks, &middle)] {
            for block in blocks {
                worst = worst.max(block.acceleration(state).abs()).max(block.jerk(state).abs());
            }
        }
        for block in right_blocks {
            worst = worst.max(block.jerk(&right).abs());
        }
        let end = if k + 1 == self.intervals() { right.x / self.grid.last_fastest } else { 0.0 };
        Some(worst.largest().max(end))
    }

    /// Adds gradients and curvatures of time and barrier to a cleared system; the time by Simpson's rule, or `None`
    /// outside the limits and when the work is over.
    pub(super) fn derivatives(&self, newton: &mut Newton) -> Option<f64> {
        let time = self.add_ramps(newton) + Arch::new().dispatch(Derivatives { spline: self, newton })?;
        newton.fold(self.proportions());
        time.is_finite().then_some(time)
    }

    fn add_ramps(&self, newton: &mut Newton) -> f64 {
        let mut sum = 0.0;
        for (coefficient, ramp) in [0, self.c.len() - 1].into_iter().zip(self.grid.ramps) {
            let c = self.c[coefficient];
            let time = 3.0 * ramp / c.sqrt();
            newton.time.gradient[coefficient] -= 0.5 * time / c;
            newton.time.matrix[coefficient][0] += 0.75 * time / (c * c);
            sum += time;
        }
        sum
    }

    #[inline(always)]
    fn add_interval(&self, k: usize, newton: &mut Newton) -> Option<f64> {
        let states = self.states(k)?;
        let (map, length) = (&self.maps[k], self.grid.intervals[k].length);
        let limits = self.limits(k, &states)?.of_coefficients([&map[0], &map[1], &map[4]]);
        let mut times = Quadratic::default();
        let mut time = 0.0;
        let [left, right, middle] = states;
        for (share, state, row) in
            [(1.0, left, &map[0]), (4.0, middle, &middle_row(map, length)), (1.0, right, &map[2])]
        {
            let part = share * length / 6.0 * state.slowness;
            let (inverse, half) = (state.slowness * state.slowness, -0.5 * part);
            times.add(row, half * inverse, -1.5 * half * inverse * inverse);
            time += part;
        }
        newton.barrier.add(k, &limits);
        newton.time.add(k, &times);
        Some(time)
    }

    /// The barrier of an interval with respect to x, x′ and x″ at its left end; `None` outside.
    #[inline(always)]
    fn limits(&self, k: usize, [left, right, middle]: &[NodeState; 3]) -> Option<Quadratic> {
        let [left_blocks, right_blocks, middle_blocks] = self.grid.blocks(k);
        let (length, fastest) = (self.grid.intervals[k].length, self.grid.intervals[k].fastest);
        let mut barrier = Barrier::new();
        for block in left_blocks {
            barrier.add_acceleration(block, left);
            barrier.add_jerk(block, left);
        }
        if !middle_blocks.is_empty() {
            let mut inside = Barrier::new();
            for block in middle_blocks {
                inside.add_acceleration(block, middle);
                inside.add_jerk(block, middle);
            }
            barrier.add(&inside.moved(0.5 * length));
        }
        let mut end = Barrier::new();
        for block in right_blocks {
            end.add_jerk(block, right);
        }
        barrier.add(&end.moved(length));
        let mut limits = barrier.sums()?;
        let slacks = [fastest[0] - left.x, fastest[1] - middle.x, self.grid.last_fastest - right.x];
        let is_last = k + 1 == self.intervals();
        limits.add_slack(&[1.0, 0.0, 0.0], slacks[0]);
        limits.add_slack(&[1.0, 0.5 * length, eighth(length)], slacks[1]);
        if is_last {
            limits.add_slack(&[1.0, length, 0.5 * length * length], slacks[2]);
        }
        (slacks[0] > 0.0 && slacks[1] > 0.0 && !(is_last && slacks[2] <= 0.0)).then_some(limits)
    }
}

/// x in the middle of an interval, as factors of its coefficients.
#[inline(always)]
fn middle_row(map: &Map, length: f64) -> [f64; 3] {
    let (mut row, eighth) = ([0.0; 3], eighth(length));
    for i in 0..3 {
        row[i] = 0.5 * (map[0][i] + map[2][i]) - eighth * map[4][i];
    }
    row
}

/// By this multiple of x″ its mean at both ends of an interval is above x in the middle.
#[inline(always)]
fn eighth(length: f64) -> f64 {
    length * length / 8.0
}

/// The largest ratio of all intervals.
struct Worst<'a, 'b>(&'a Spline<'b>);

impl NullaryFnOnce for Worst<'_, '_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        (0..self.0.intervals()).map(|k| self.0.worst_of(k).unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
    }
}

/// The derivatives of all intervals.
struct Derivatives<'a, 'b> {
    spline: &'a Spline<'b>,
    newton: &'a mut Newton,
}

impl NullaryFnOnce for Derivatives<'_, '_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn call(self) -> Option<f64> {
        let mut time = 0.0;
        for k in 0..self.spline.intervals() {
            self.spline.grid.watch.check_at(k).ok()?;
            time += self.spline.add_interval(k, self.newton)?;
        }
        Some(time)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use kinetic_core::Limits;

    use super::*;
    use crate::geometry::PathGeometry;
    use crate::jerk::Run;
    use crate::jerk::grid::NodeGrid;

    /// A path with two corners.
    fn corners() -> Run {
        let path = kinetic_core::Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.5]]).unwrap();
        let geometry = PathGeometry::polyline(&path).unwrap().rounded(0.05, &mut |_| true).unwrap();
        geometry.runs().unwrap().remove(0)
    }

    /// The barrier joint by joint, as it is defined: accelerations at the left end and in the middle of every interval, jerks at
    /// its right end too. On straights one joint rules, and the middle tells of speed alone.
    fn barrier(spline: &Spline<'_>, run: &Run, limits: &Limits, most_jerk: f64) -> f64 {
        let mut sum = 0.0;
        for (k, interval) in spline.grid.intervals.iter().enumerate() {
            let ([x, _], [slope, _], bend) = spline.interval(k);
            let side = interval.sides[0];
            assert_eq!(side.segment, interval.sides[1].segment, "this path has no close breaks");
            let segment = &run[side.segment];
            for part in [0.0, 0.5, 1.0] {
                let s = part * interval.length;
                let (x, slope) = (x + s * (slope + 0.5 * s * bend), slope + s * bend);
                let rates = [0, 1].map(|joint| segment.derivatives(joint, side.offset + s));
                let ruling = usize::from(rates[1][1].abs() > rates[0][1].abs());
                let rows = rates.iter().enumerate().filter(|(joint, _)| !segment.is_straight() || *joint == ruling);
                for (_, [_, tangent, curvature, third]) in rows.filter(|_| part != 0.5 || !segment.is_straight()) {
                    let acceleration = (curvature * x + 0.5 * tangent * slope) / limits.acceleration[0];
                    let jerk = (third * x + 1.5 * curvature * slope + 0.5 * tangent * bend) * x.sqrt() / most_jerk;
                    sum -= if part < 1.0 { (1.0 - acceleration * acceleration).ln() } else { 0.0 };
                    sum -= (1.0 - jerk * jerk).ln();
                }
                let is_last = k + 1 == spline.grid.intervals.len();
                let fastest = match part {
                    0.0 => interval.fastest[0],
                    0.5 => interval.fastest[1],
                    _ => spline.grid.last_fastest,
                };
                sum -= if part < 1.0 || is_last { (fastest - x).ln() } else { 0.0 };
            }
        }
        sum
    }

    #[test]
    fn derivatives_are_differences_of_time_and_barrier() {
        let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
        let run = corners();
        let grid = NodeGrid::new(&run, &limits, &[20.0, 20.0]);
        let mut spline = Spline::fastest(&grid, None, [1.0, 0.1]).unwrap();
        let mut newton = Newton::new(spline.c.len());
        spline.derivatives(&mut newton).unwrap();
        let origin = spline.c.clone();
        let (gradient, matrix, slopes) =
            (newton.time.gradient.clone(), newton.time.matrix.clone(), newton.barrier.gradient.clone());
        for unknown in 0..grid.intervals.len() {
            let mut step = vec![0.0; grid.intervals.len()];
            step[unknown] = 1.0;
            let h = 1e-4 * origin[unknown + 1];
            let mut at = |length: f64| {
                spline.go(&origin, &step, length);
                newton.clear();
                (spline.derivatives(&mut newton).unwrap(), barrier(&spline, &run, &limits, 20.0))
            };
            let [before, now, after] = [-h, 0.0, h].map(&mut at);
            let (slope, bend) = ((after.0 - before.0) / (2.0 * h), (after.0 - 2.0 * now.0 + before.0) / (h * h));
            assert!((slope - gradient[unknown + 1]).abs() < 1e-6 * (1.0 + slope.abs()), "{unknown}: {slope}");
            assert!((bend - matrix[unknown + 1][0]).abs() < 1e-3 * (1.0 + bend.abs()), "{unknown}: {bend}");
            let [before, after] = [-0.01 * h, 0.01 * h].map(&mut at);
            let slope = (after.1 - before.1) / (0.02 * h);
            assert!((slope - slopes[unknown + 1]).abs() < 1e-5 * (1.0 + slope.abs()), "{unknown}: {slope}");
        }
    }
}
