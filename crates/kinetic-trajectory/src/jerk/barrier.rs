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

use super::band::{Band, solve};
use super::grid::{Grid, Row, Side};

/// Newton steps at most.
const STEPS: usize = 80;

/// The barrier's weight shrinks by this factor.
const SHRINK: f64 = 0.1;

/// The barrier's weight shrinks when a step promises to gain less than this part of what the barrier costs.
const CENTRED: f64 = 0.5;

/// It ends when the barrier can cost this part of the time.
const ACCURACY: f64 = 5e-3;

/// Part of the time that the barrier may cost at the beginning when there is a guess.
const WARM: f64 = 0.05;

/// Largest ratio of neighbouring values at the start.
const STEEPEST_START: f64 = 1.8;

/// Rounds of scaling at the start.
const SCALINGS: usize = 20;

/// Part of each limit that is used at the start.
const START: f64 = 0.7;

/// The optimum as a spline over the grid.
pub(crate) struct Spline<'a> {
    grid: &'a Grid,
    c: Vec<f64>,
}

impl<'a> Spline<'a> {
    /// Spline of the fastest motion, or `None` when no motion can be represented. `guess` are coefficients of a motion
    /// that is nearly as fast.
    pub(crate) fn fastest(grid: &'a Grid, guess: Option<Vec<f64>>) -> Option<Self> {
        let share = if guess.is_some() { WARM } else { 1.0 };
        let mut spline = Self { grid, c: guess.unwrap_or_default() };
        if spline.c.is_empty() {
            spline.start();
        }
        spline.scale_inside()?;
        let mut newton = Newton::new(spline.unknowns());
        // What the barrier costs at its optimum is about its weight times the number of nodes.
        let mut gap = share * spline.time();
        let weight = |gap: f64| gap / grid.sides.len() as f64;
        let mut merit = spline.merit(weight(gap))?;
        for _ in 0..STEPS {
            let Some(gain) = spline.step(&mut newton, weight(gap), &mut merit) else { break };
            let target = ACCURACY * spline.time();
            if gain > CENTRED * gap.max(target) {
                continue;
            }
            if gap <= target {
                break;
            }
            gap = (gap * SHRINK).max(target);
            merit = spline.merit(weight(gap))?;
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
    fn scale_inside(&mut self) -> Option<()> {
        // Velocity and acceleration are linear in x, jerk grows with its power 3/2: a few rounds meet the largest ratio.
        for _ in 0..SCALINGS {
            let worst = self.worst();
            if !(worst.is_finite() && worst > 0.0) {
                return None;
            }
            if worst <= START && worst > 0.5 * START {
                break;
            }
            let factor = (START / worst).powf(if worst > START { 1.0 } else { 2.0 / 3.0 });
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
        let map = self.map(k);
        let value = |row: &[f64; 3]| (0..3).map(|i| row[i] * self.c[k + i]).sum::<f64>();
        ([value(&map[0]), value(&map[2])], [value(&map[1]), value(&map[3])], value(&map[4]))
    }

    /// x and x′ at the left end, x and x′ at the right end, and x″, each as factors of three coefficients.
    fn map(&self, k: usize) -> [[f64; 3]; 5] {
        let (nodes, n) = (&self.grid.nodes, self.intervals());
        let h = nodes[k + 1] - nodes[k];
        let before = if k == 0 { 0.0 } else { nodes[k] - nodes[k - 1] };
        let after = if k + 1 == n { 0.0 } else { nodes[k + 2] - nodes[k + 1] };
        let (left, right) = (2.0 / (before + h), 2.0 / (h + after));
        [
            [h / (before + h), before / (before + h), 0.0],
            [-left, left, 0.0],
            [0.0, after / (h + after), h / (h + after)],
            [0.0, -right, right],
            [left / h, -(left + right) / h, right / h],
        ]
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

    /// Time of the motion, by Simpson's rule.
    fn time(&self) -> f64 {
        let mut time = 0.0;
        for k in 0..self.intervals() {
            let (x, _, bend) = self.interval(k);
            let h = self.grid.nodes[k + 1] - self.grid.nodes[k];
            let middle = 0.5 * (x[0] + x[1]) - h * h * bend / 8.0;
            time += h / 6.0 * (1.0 / x[0].sqrt() + 4.0 / middle.sqrt() + 1.0 / x[1].sqrt());
        }
        let ends = [self.c[0], self.c[self.c.len() - 1]];
        time + (0..2).map(|end| 3.0 * self.grid.ramps[end] / ends[end].sqrt()).sum::<f64>()
    }

    /// Time and barrier; `None` outside the limits.
    fn merit(&self, weight: f64) -> Option<f64> {
        let mut barrier = 0.0;
        for k in 0..self.intervals() {
            let (x, slope, bend) = self.interval(k);
            let h = self.grid.nodes[k + 1] - self.grid.nodes[k];
            let middle = 0.5 * (x[0] + x[1]) - h * h * bend / 8.0;
            if !(x[0] > 0.0 && x[1] > 0.0 && middle > 0.0) {
                return None;
            }
            for end in 0..2 {
                let side = &self.grid.sides[k][end];
                let speed = x[end].sqrt();
                let slack = 1.0 - x[end] / self.grid.fastest[k + end];
                let mut product = slack;
                let mut inside = slack > 0.0;
                for index in side.first..side.first + side.count {
                    let a = accelerate(&self.grid.acceleration[index], x[end], slope[end]);
                    let j = jerk(&self.grid.jerk[index], x[end], slope[end], bend) * speed;
                    inside &= a * a < 1.0 && j * j < 1.0;
                    product *= (1.0 - a * a) * (1.0 - j * j);
                }
                if !inside {
                    return None;
                }
                barrier -= product.max(f64::MIN_POSITIVE).ln();
            }
        }
        let merit = self.time() + weight * barrier;
        merit.is_finite().then_some(merit)
    }

    /// One step of Newton's method; what it promised to gain, or `None` when there is no better point in its direction.
    fn step(&mut self, newton: &mut Newton, weight: f64, merit: &mut f64) -> Option<f64> {
        newton.clear();
        for k in 0..self.intervals() {
            self.add_interval(k, weight, newton);
        }
        self.add_ramps(newton);
        let slope = newton.direction()?;
        let origin = self.c.clone();
        let mut length = 1.0;
        for attempt in 0..30 {
            self.go(&origin, &newton.gradient, length);
            if let Some(next) = self.merit(weight).filter(|next| *next <= *merit + 1e-4 * length * slope) {
                *merit = next;
                if attempt == 0 {
                    self.go_farther(&origin, &newton.gradient, weight, merit);
                }
                return Some(-slope);
            }
            length *= 0.6;
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

    /// Doubles a step as long as that pays: far below the optimum 1/√x makes Newton's steps short.
    fn go_farther(&mut self, origin: &[f64], direction: &[f64], weight: f64, merit: &mut f64) {
        let mut length = 1.0;
        for _ in 0..5 {
            self.go(origin, direction, 2.0 * length);
            match self.merit(weight) {
                Some(next) if next < *merit => *merit = next,
                _ => break,
            }
            length *= 2.0;
        }
        self.go(origin, direction, length);
    }

    fn add_ramps(&self, newton: &mut Newton) {
        let last = self.unknowns() - 1;
        for (unknown, ramp, c) in [(0, self.grid.ramps[0], self.c[0]), (last, self.grid.ramps[1], self.c[last + 2])] {
            let time = 3.0 * ramp / c.sqrt();
            newton.gradient[unknown] -= 0.5 * time / c;
            newton.matrix[unknown][0] += 0.75 * time / (c * c);
        }
    }

    fn add_interval(&self, k: usize, weight: f64, newton: &mut Newton) {
        let map = self.map(k);
        let (x, slope, bend) = self.interval(k);
        let h = self.grid.nodes[k + 1] - self.grid.nodes[k];
        // Derivatives with respect to x and x′ at the left end, the same at the right end, and x″.
        let mut local = Local::default();
        let middle = 0.5 * (x[0] + x[1]) - h * h * bend / 8.0;
        for (share, x, row) in [
            (1.0, x[0], [1.0, 0.0, 0.0, 0.0, 0.0]),
            (4.0, middle, [0.5, 0.0, 0.5, 0.0, -h * h / 8.0]),
            (1.0, x[1], [0.0, 0.0, 1.0, 0.0, 0.0]),
        ] {
            let time = share * h / 6.0 / x.sqrt();
            local.add(&row, -0.5 * time / x, 0.75 * time / (x * x));
        }
        for end in 0..2 {
            let side = &self.grid.sides[k][end];
            let (x, slope, speed) = (x[end], slope[end], x[end].sqrt());
            let mut point = Point::default();
            let room = 1.0 / (self.grid.fastest[k + end] - x);
            point.add([1.0, 0.0, 0.0], room, room * room);
            for index in side.first..side.first + side.count {
                let row = &self.grid.acceleration[index];
                point.add_ratio(accelerate(row, x, slope), [row[1], row[0], 0.0]);
                let row = &self.grid.jerk[index];
                let j = jerk(row, x, slope, bend);
                point.add_ratio(j * speed, [row[2] * speed + 0.5 * j / speed, row[1] * speed, row[0] * speed]);
            }
            local.add_point(&point, end, weight);
        }
        let unknowns = [0, 1, 2].map(|i| self.unknown(k + i));
        newton.add(&local, &map, unknowns);
    }
}

fn accelerate(row: &Row, x: f64, slope: f64) -> f64 {
    row[1] * x + row[0] * slope
}

/// Jerk by √x.
fn jerk(row: &Row, x: f64, slope: f64, bend: f64) -> f64 {
    row[2] * x + row[1] * slope + row[0] * bend
}

/// Gradient and curvature of the barrier with respect to x, x′ and x″ at one point.
#[derive(Default)]
struct Point {
    gradient: [f64; 3],
    matrix: [[f64; 3]; 3],
}

impl Point {
    fn add(&mut self, row: [f64; 3], first: f64, second: f64) {
        for i in 0..3 {
            self.gradient[i] += first * row[i];
            for j in 0..=i {
                self.matrix[i][j] += second * row[i] * row[j];
            }
        }
    }

    /// − ln (1 − ratio²).
    fn add_ratio(&mut self, ratio: f64, row: [f64; 3]) {
        let inverse = 1.0 / (1.0 - ratio * ratio);
        let first = 2.0 * ratio * inverse;
        self.add(row, first, 2.0 * inverse + first * first);
    }
}

/// The same with respect to x and x′ at the left end, x and x′ at the right end, and x″.
#[derive(Default)]
struct Local {
    gradient: [f64; 5],
    matrix: [[f64; 5]; 5],
}

impl Local {
    fn add(&mut self, row: &[f64; 5], first: f64, second: f64) {
        for i in 0..5 {
            self.gradient[i] += first * row[i];
            for j in 0..=i {
                self.matrix[i][j] += second * row[i] * row[j];
            }
        }
    }

    fn add_point(&mut self, point: &Point, end: usize, weight: f64) {
        let place = [2 * end, 2 * end + 1, 4];
        for i in 0..3 {
            self.gradient[place[i]] += weight * point.gradient[i];
            for j in 0..=i {
                self.matrix[place[i]][place[j]] += weight * point.matrix[i][j];
            }
        }
    }
}

/// The linear system of a step.
struct Newton {
    gradient: Vec<f64>,
    matrix: Band,
    descent: Vec<f64>,
}

impl Newton {
    fn new(unknowns: usize) -> Self {
        Self { gradient: vec![0.0; unknowns], matrix: vec![[0.0; 3]; unknowns], descent: vec![0.0; unknowns] }
    }

    fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.matrix.fill([0.0; 3]);
    }

    fn add(&mut self, local: &Local, map: &[[f64; 3]; 5], unknowns: [(usize, f64); 3]) {
        let mut half = [[0.0; 5]; 3];
        for (i, row) in half.iter_mut().enumerate() {
            for j in 0..5 {
                row[j] = (0..5).map(|l| map[l][i] * local.matrix[j.max(l)][j.min(l)]).sum();
            }
        }
        for i in 0..3 {
            let (place, factor) = unknowns[i];
            self.gradient[place] += factor * (0..5).map(|l| map[l][i] * local.gradient[l]).sum::<f64>();
            for j in 0..3 {
                let (other, other_factor) = unknowns[j];
                if other <= place {
                    let value: f64 = (0..5).map(|l| half[i][l] * map[l][j]).sum();
                    self.matrix[place][place - other] += factor * other_factor * value;
                }
            }
        }
    }

    /// Turns the gradient into the step; answers with the slope of the merit along it.
    fn direction(&mut self) -> Option<f64> {
        self.descent.copy_from_slice(&self.gradient);
        if !solve(&mut self.matrix, &mut self.gradient) {
            return None;
        }
        self.gradient.iter_mut().for_each(|value| *value = -*value);
        let slope: f64 = self.gradient.iter().zip(&self.descent).map(|(step, slope)| step * slope).sum();
        (slope < 0.0).then_some(slope)
    }
}
