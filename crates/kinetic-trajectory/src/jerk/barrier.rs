//! The fastest squared speed x(s) over a grid under limits of velocity, acceleration and jerk.
//!
//! With x = ṡ² a joint's velocity, acceleration and jerk are
//!
//! ```text
//! γ′ √x        γ″ x + ½ γ′ x′        (γ‴ x + 3/2 γ″ x′ + ½ γ′ x″) √x
//! ```
//!
//! x is a quadratic spline with continuous slope, so that jerk is bounded; from and to rest the motion is a cubic of
//! time, which fixes the slope at the spline's ends: x′ = 4x / 3s. The time ∫ ds/√x is convex in the coefficients of the
//! spline, and the limits of velocity and acceleration are linear (Verscheure et al. 2009, *Time-Optimal Path Tracking
//! for Robots: A Convex Optimization Approach*). That of jerk is not convex; its barrier is followed with the part of
//! its curvature that is (Gauss–Newton), which is the tangent of j/√x, a bound from the safe side. Newton's method on a
//! logarithmic barrier; each coefficient meets its two neighbours only, so that a step takes linear time.

use super::grid::{Grid, Row, Side};
use super::newton::{Local, Map, Newton, Point};

/// Newton steps at most.
const STEPS: usize = 80;

/// The barrier's weight shrinks by this factor.
const SHRINK: f64 = 0.2;

/// The barrier's weight shrinks when a step promises to gain less than this multiple of what the barrier costs.
const CENTRED: f64 = 3.0;

/// A step is taken when the slope at its end is at most this part of the slope at its beginning, upwards.
const OVERSHOOT: f64 = 0.5;

/// Part of a step that is tried next, and how often.
const BACKTRACK: f64 = 0.5;
const ATTEMPTS: usize = 30;

/// Largest ratio of neighbouring values at the start.
const STEEPEST_START: f64 = 1.8;

/// Rounds of scaling at the start.
const SCALINGS: usize = 20;

/// Part of each limit that is used at the start, without and with a guess.
const START: [f64; 2] = [0.7, 0.98];

/// The optimum as a spline over the grid.
pub(crate) struct Spline<'a> {
    grid: &'a Grid,
    c: Vec<f64>,
    /// Of every interval.
    maps: Vec<Map>,
}

impl<'a> Spline<'a> {
    /// Spline of the fastest motion, or `None` when no motion can be represented. `guess` are coefficients of a motion
    /// that is nearly as fast; the barrier's cost goes from part `gaps[0]` of the time to `gaps[1]`.
    pub(crate) fn fastest(grid: &'a Grid, guess: Option<Vec<f64>>, gaps: [f64; 2]) -> Option<Self> {
        let start = START[usize::from(guess.is_some())];
        let mut spline = Self { grid, c: guess.unwrap_or_default(), maps: maps(&grid.nodes) };
        if spline.c.is_empty() {
            spline.start();
        }
        spline.scale_inside(start)?;
        let mut newton = Newton::new(spline.unknowns());
        let mut time = spline.derivatives(&mut newton)?;
        // What the barrier costs at its optimum is about its weight times the number of nodes.
        let mut gap = gaps[0] * time;
        let mut before = gap;
        for _ in 0..STEPS {
            if grid.watch.is_over() {
                return None;
            }
            let weights = [gap, before].map(|gap| gap / grid.sides.len() as f64);
            let Some((gain, reached)) = spline.step(&mut newton, weights) else { break };
            time = reached;
            before = gap;
            let target = gaps[1] * time;
            if gain > CENTRED * gap.max(target) {
                continue;
            }
            if gap <= target {
                break;
            }
            gap = (gap * SHRINK).max(target);
        }
        Some(spline)
    }

    /// The coefficients, as a guess for a similar grid.
    pub(crate) fn into_coefficients(self) -> Vec<f64> {
        self.c
    }

    fn intervals(&self) -> usize {
        self.grid.sides.len()
    }

    /// Free coefficients: those at the ends come in fixed proportion.
    fn unknowns(&self) -> usize {
        self.intervals()
    }

    /// Unknown that a coefficient follows, and its factor.
    fn unknown(&self, coefficient: usize) -> (usize, f64) {
        let (n, nodes, ramps) = (self.intervals(), &self.grid.nodes, self.grid.ramps);
        match coefficient {
            0 => (0, 1.0),
            1 => (0, 1.0 + 2.0 * (nodes[1] - nodes[0]) / (3.0 * ramps[0])),
            last if last == n + 1 => (n - 1, 1.0),
            last if last == n => (n - 1, 1.0 + 2.0 * (nodes[n] - nodes[n - 1]) / (3.0 * ramps[1])),
            inner => (inner - 1, 1.0),
        }
    }

    /// A slow motion that holds every limit: the local limits of speed, smoothed by the grid itself, scaled down.
    fn start(&mut self) {
        let n = self.intervals();
        let mut nodes = self.grid.fastest.clone();
        for (interval, sides) in self.grid.sides.iter().enumerate() {
            for (node, side) in [(interval, &sides[0]), (interval + 1, &sides[1])] {
                let range = side.first..side.first + side.count;
                for (a, j) in self.grid.acceleration[range.clone()].iter().zip(&self.grid.jerk[range]) {
                    nodes[node] = nodes[node].min(0.5 / a[1].abs()).min(0.5 * j[2].abs().powf(-2.0 / 3.0));
                }
            }
        }
        self.limit_growth(&mut nodes);
        let node = |coefficient: usize| nodes[coefficient.min(n)].min(nodes[coefficient.saturating_sub(1)]);
        self.c = (0..n + 2).map(node).collect();
        self.follow_ends();
    }

    /// Scales the motion until it uses about the part of the limits that it starts with.
    fn scale_inside(&mut self, start: f64) -> Option<()> {
        // Velocity and acceleration are linear in x, jerk grows with its power 3/2: a few rounds meet the largest ratio.
        for _ in 0..SCALINGS {
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
        let rise = |k: usize| {
            let steepest = |side: &Side| {
                let rows = &self.grid.acceleration[side.first..side.first + side.count];
                rows.iter().fold(0.0_f64, |most, row| most.max(row[0].abs()))
            };
            let steepest = steepest(&self.grid.sides[k][0]).max(steepest(&self.grid.sides[k][1]));
            (self.grid.nodes[k + 1] - self.grid.nodes[k]) * 0.5 / steepest
        };
        for k in 0..n {
            x[k + 1] = x[k + 1].min(x[k] + rise(k)).min(x[k] * STEEPEST_START);
        }
        for k in (0..n).rev() {
            x[k] = x[k].min(x[k + 1] + rise(k)).min(x[k + 1] * STEEPEST_START);
        }
    }

    fn follow_ends(&mut self) {
        let n = self.intervals();
        let (first, last) = (self.unknown(1).1, self.unknown(n).1);
        self.c[0] = self.c[0].min(self.c[1] / first);
        self.c[n + 1] = self.c[n + 1].min(self.c[n] / last);
        self.c[1] = first * self.c[0];
        self.c[n] = last * self.c[n + 1];
    }

    /// x, x′ at both ends of an interval and x″ on it.
    pub(crate) fn interval(&self, k: usize) -> ([f64; 2], [f64; 2], f64) {
        let (map, c) = (&self.maps[k], &self.c[k..k + 3]);
        let value = |row: &[f64; 3]| row[0] * c[0] + row[1] * c[1] + row[2] * c[2];
        ([value(&map[0]), value(&map[2])], [value(&map[1]), value(&map[3])], value(&map[4]))
    }

    /// Largest ratio of a limit that is used: of squared velocity, acceleration and jerk.
    fn worst(&self) -> f64 {
        let mut worst = 0.0_f64;
        for k in 0..self.intervals() {
            let (x, slope, bend) = self.interval(k);
            for end in 0..2 {
                let side = &self.grid.sides[k][end];
                let speed = x[end].sqrt();
                worst = worst.max(x[end] / self.grid.fastest[k + end]);
                for index in side.first..side.first + side.count {
                    let a = accelerate(&self.grid.acceleration[index], x[end], slope[end]);
                    let j = jerk(&self.grid.jerk[index], x[end], slope[end], bend) * speed;
                    worst = worst.max(a.abs()).max(j.abs());
                }
                if !(x[end] > 0.0) {
                    return f64::INFINITY;
                }
            }
        }
        worst
    }

    /// One step of Newton's method; what it promised to gain and the time that it reached, or `None` when there is no
    /// better point in its direction.
    fn step(&mut self, newton: &mut Newton, [weight, before]: [f64; 2]) -> Option<(f64, f64)> {
        let slope = newton.direction(weight, before)?;
        let origin = self.c.clone();
        let mut length = 1.0;
        for _ in 0..ATTEMPTS {
            if self.grid.watch.is_over() {
                break;
            }
            self.go(&origin, &newton.step, length);
            newton.clear();
            if let Some(time) = self.derivatives(newton)
                && newton.slope(weight) <= -OVERSHOOT * slope
            {
                return Some((-slope, time));
            }
            length *= BACKTRACK;
        }
        self.c = origin;
        None
    }

    fn go(&mut self, origin: &[f64], direction: &[f64], length: f64) {
        for coefficient in 0..origin.len() {
            let (unknown, factor) = self.unknown(coefficient);
            self.c[coefficient] = origin[coefficient] + length * factor * direction[unknown];
        }
    }

    /// Adds gradients and curvatures of time and barrier to a cleared system; the time by Simpson's rule, or `None`
    /// outside the limits and when the work is over.
    fn derivatives(&self, newton: &mut Newton) -> Option<f64> {
        let mut time = self.add_ramps(newton);
        for k in 0..self.intervals() {
            self.grid.watch.check_at(k).ok()?;
            time += self.add_interval(k, newton)?;
        }
        time.is_finite().then_some(time)
    }

    fn add_ramps(&self, newton: &mut Newton) -> f64 {
        let last = self.unknowns() - 1;
        let ends = [(0, self.grid.ramps[0], self.c[0]), (last, self.grid.ramps[1], self.c[last + 2])];
        let mut sum = 0.0;
        for (unknown, ramp, c) in ends {
            let time = 3.0 * ramp / c.sqrt();
            newton.time.gradient[unknown] -= 0.5 * time / c;
            newton.time.matrix[unknown][0] += 0.75 * time / (c * c);
            sum += time;
        }
        sum
    }

    fn add_interval(&self, k: usize, newton: &mut Newton) -> Option<f64> {
        let map = &self.maps[k];
        let (x, slope, bend) = self.interval(k);
        let h = self.grid.nodes[k + 1] - self.grid.nodes[k];
        let eighth = h * h / 8.0;
        let middle = 0.5 * (x[0] + x[1]) - eighth * bend;
        if !(x[0] > 0.0 && x[1] > 0.0 && middle > 0.0) {
            return None;
        }
        let speeds = x.map(f64::sqrt);
        let mut limits = Local::default();
        for end in 0..2 {
            let point = self.point(&self.grid.sides[k][end], k + end, [x[end], slope[end], bend], speeds[end])?;
            limits.add_point(&point, map, end);
        }
        let mut times = Local::default();
        let between: [f64; 3] = std::array::from_fn(|i| 0.5 * (map[0][i] + map[2][i]) - eighth * map[4][i]);
        let mut time = 0.0;
        for (share, x, speed, row) in
            [(1.0, x[0], speeds[0], &map[0]), (4.0, middle, middle.sqrt(), &between), (1.0, x[1], speeds[1], &map[2])]
        {
            let part = share * h / (6.0 * speed);
            let per_x = part / x;
            times.add(row, -0.5 * per_x, 0.75 * per_x / x);
            time += part;
        }
        let unknowns = [0, 1, 2].map(|i| self.unknown(k + i));
        newton.barrier.add(&limits, &unknowns);
        newton.time.add(&times, &unknowns);
        Some(time)
    }

    /// The limits at one end of an interval; `None` outside.
    fn point(&self, side: &Side, node: usize, [x, slope, bend]: [f64; 3], speed: f64) -> Option<Point> {
        let room = self.grid.fastest[node] - x;
        let mut inside = room > 0.0;
        let mut point = Point::default();
        point.add_speed(room);
        let half = 0.5 / speed;
        let range = side.first..side.first + side.count;
        for (row, other) in self.grid.acceleration[range.clone()].iter().zip(&self.grid.jerk[range]) {
            inside &= point.add_ratio(accelerate(row, x, slope), [row[1], row[0], 0.0]);
            let j = jerk(other, x, slope, bend);
            let gradient = [other[2] * speed + half * j, other[1] * speed, other[0] * speed];
            inside &= point.add_ratio(j * speed, gradient);
        }
        inside.then_some(point)
    }
}

/// x, x′ at both ends and x″ of all intervals, from the coefficients.
fn maps(nodes: &[f64]) -> Vec<Map> {
    let last = nodes.len() - 1;
    let length = |k: usize| nodes[k + 1] - nodes[k];
    let map = |k: usize| {
        let before = if k == 0 { 0.0 } else { length(k - 1) };
        let after = if k + 1 == last { 0.0 } else { length(k + 1) };
        let h = length(k);
        let (left, right) = (2.0 / (before + h), 2.0 / (h + after));
        [
            [h / (before + h), before / (before + h), 0.0],
            [-left, left, 0.0],
            [0.0, after / (h + after), h / (h + after)],
            [0.0, -right, right],
            [left / h, -(left + right) / h, right / h],
        ]
    };
    (0..last).map(map).collect()
}

fn accelerate(row: &Row, x: f64, slope: f64) -> f64 {
    row[1] * x + row[0] * slope
}

/// Jerk by √x.
fn jerk(row: &Row, x: f64, slope: f64, bend: f64) -> f64 {
    row[2] * x + row[1] * slope + row[0] * bend
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
    fn derivatives_of_time_are_differences_of_time() {
        let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
        let run = corners();
        let grid = Grid::new(&run, &limits, &[20.0, 20.0]);
        let mut spline = Spline::fastest(&grid, None, [1.0, 0.1]).unwrap();
        let mut newton = Newton::new(spline.unknowns());
        spline.derivatives(&mut newton).unwrap();
        let (gradient, matrix) = (newton.time.gradient.clone(), newton.time.matrix.clone());
        let origin = spline.c.clone();
        for unknown in 0..spline.unknowns() {
            let mut step = vec![0.0; spline.unknowns()];
            step[unknown] = 1.0;
            let h = 1e-4 * origin[unknown + 1];
            let [before, now, after] = [-h, 0.0, h].map(|length| {
                spline.go(&origin, &step, length);
                newton.clear();
                spline.derivatives(&mut newton).unwrap()
            });
            let (slope, bend) = ((after - before) / (2.0 * h), (after - 2.0 * now + before) / (h * h));
            assert!((slope - gradient[unknown]).abs() < 1e-6 * (1.0 + slope.abs()), "{unknown}: {slope}");
            assert!((bend - matrix[unknown][0]).abs() < 1e-3 * (1.0 + bend.abs()), "{unknown}: {bend}");
        }
    }

    #[test]
    fn a_tighter_gap_is_faster_and_stays_inside_every_limit() {
        let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
        let run = corners();
        let grid = Grid::new(&run, &limits, &[20.0, 20.0]);
        let times = [0.1, 0.01, 1e-3].map(|gap| {
            let spline = Spline::fastest(&grid, None, [1.0, gap]).unwrap();
            assert!(spline.worst() < 1.0);
            spline.derivatives(&mut Newton::new(spline.unknowns())).unwrap()
        });
        assert!(times[0] > times[1] && times[1] > times[2], "{times:?}");
        // What the barrier may cost.
        assert!(times[1] < 1.02 * times[2], "{times:?}");
    }
}
