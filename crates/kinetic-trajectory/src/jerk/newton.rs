//! Gradient and curvature of the time and of the barrier with respect to the coefficients of x(s).
//!
//! Every interval knows three coefficients, so that the matrix of a step has two bands beside its diagonal. Time and
//! barrier are kept apart: another weight of the barrier needs no new derivatives.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use super::band::{Band, solve};

/// x and x′ at the left end, x and x′ at the right end, and x″ of an interval, each as factors of three coefficients.
pub(crate) type Map = [[f64; 3]; 5];

/// Gradient and curvature, lower half, with respect to three values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quadratic {
    pub(crate) gradient: [f64; 3],
    pub(crate) matrix: [f64; 6],
}

impl Quadratic {
    /// A function of one value with first and second derivative; `row` are the value's factors.
    #[inline(always)]
    pub(crate) fn add(&mut self, row: &[f64; 3], first: f64, second: f64) {
        let mut place = 0;
        for i in 0..3 {
            self.gradient[i] += first * row[i];
            for j in 0..=i {
                self.matrix[place] += second * row[i] * row[j];
                place += 1;
            }
        }
    }

    /// − ln `slack`, where that is a constant less a value with these factors.
    #[inline(always)]
    pub(crate) fn add_slack(&mut self, row: &[f64; 3], slack: f64) {
        let inverse = 1.0 / slack;
        self.add(row, inverse, inverse * inverse);
    }

    /// The same with respect to three coefficients; `rows` are those of the values.
    #[inline(always)]
    pub(crate) fn of_coefficients(&self, rows: [&[f64; 3]; 3]) -> Self {
        let ([x, s, b], [xx, sx, ss, bx, bs, bb]) = (self.gradient, self.matrix);
        let mut found = Self::default();
        let mut place = 0;
        for i in 0..3 {
            let [to_x, to_s, to_b] = [rows[0][i], rows[1][i], rows[2][i]];
            let half = [
                xx * to_x + sx * to_s + bx * to_b,
                sx * to_x + ss * to_s + bs * to_b,
                bx * to_x + bs * to_s + bb * to_b,
            ];
            found.gradient[i] = x * to_x + s * to_s + b * to_b;
            for j in 0..=i {
                found.matrix[place] = half[0] * rows[0][j] + half[1] * rows[1][j] + half[2] * rows[2][j];
                place += 1;
            }
        }
        found
    }
}

/// Gradient and curvature with respect to all coefficients.
pub(crate) struct System {
    pub(crate) gradient: Vec<f64>,
    pub(crate) matrix: Band,
}

impl System {
    fn new(coefficients: usize) -> Self {
        Self { gradient: vec![0.0; coefficients], matrix: vec![[0.0; 3]; coefficients] }
    }

    fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.matrix.fill([0.0; 3]);
    }

    /// Adds interval `k` by its three coefficients.
    #[inline(always)]
    pub(crate) fn add(&mut self, k: usize, interval: &Quadratic) {
        let (gradient, matrix) = (&mut self.gradient[k..k + 3], &mut self.matrix[k..k + 3]);
        let mut place = 0;
        for i in 0..3 {
            gradient[i] += interval.gradient[i];
            for j in 0..=i {
                matrix[i][i - j] += interval.matrix[place];
                place += 1;
            }
        }
    }

    /// Lets the two coefficients at each end follow one unknown, the outer ones; the inner ones are in these proportions to it.
    /// The unknowns are all but the outer places then.
    pub(crate) fn fold(&mut self, [first, last]: [f64; 2]) {
        let n = self.gradient.len() - 2;
        let (g, m) = (&mut self.gradient, &mut self.matrix);
        g[1] = g[0] + first * g[1];
        m[1][0] = m[0][0] + first * (2.0 * m[1][1] + first * m[1][0]);
        m[2][1] = first * m[2][1] + m[2][2];
        m[3][2] *= first;
        g[n] = last * g[n] + g[n + 1];
        m[n][0] = last * (last * m[n][0] + 2.0 * m[n + 1][1]) + m[n + 1][0];
        m[n][1] = last * m[n][1] + m[n + 1][2];
        m[n][2] *= last;
    }
}

/// The systems of a point, and the step from it, of all coefficients but the outer two.
pub(crate) struct Newton {
    pub(crate) time: System,
    pub(crate) barrier: System,
    matrix: Band,
    pub(crate) step: Vec<f64>,
}

impl Newton {
    pub(crate) fn new(coefficients: usize) -> Self {
        let (time, barrier) = (System::new(coefficients), System::new(coefficients));
        Self { time, barrier, matrix: vec![[0.0; 3]; coefficients - 2], step: vec![0.0; coefficients - 2] }
    }

    pub(crate) fn clear(&mut self) {
        self.time.clear();
        self.barrier.clear();
    }

    /// As [`System::fold`].
    pub(crate) fn fold(&mut self, factors: [f64; 2]) {
        self.time.fold(factors);
        self.barrier.fold(factors);
    }

    /// Finds the step for a weight of the barrier; answers with the slope of time and barrier along it.
    ///
    /// `before` is the weight for which this point is near the optimum. Where the weight shrinks, curvature is that of the
    /// barrier before: that step follows the path of optima, whose distances to limits shrink in proportion to the weight,
    /// while curvature with the new weight would lead far out of them.
    pub(crate) fn direction(&mut self, weight: f64, before: f64) -> Option<f64> {
        let pairs = self.time.matrix[1..].iter().zip(&self.barrier.matrix[1..]);
        for (sum, (time, barrier)) in self.matrix.iter_mut().zip(pairs) {
            *sum = std::array::from_fn(|band| time[band] + before * barrier[band]);
        }
        let pairs = self.time.gradient[1..].iter().zip(&self.barrier.gradient[1..]);
        for (step, (time, barrier)) in self.step.iter_mut().zip(pairs) {
            *step = -(time + weight * barrier);
        }
        if !solve(&mut self.matrix, &mut self.step) {
            return None;
        }
        let slope = self.slope(weight);
        (slope < 0.0).then_some(slope)
    }

    /// Slope of time and barrier along the last step, where the systems are now.
    pub(crate) fn slope(&self, weight: f64) -> f64 {
        let pairs = self.time.gradient[1..].iter().zip(&self.barrier.gradient[1..]).zip(&self.step);
        pairs.map(|((time, barrier), step)| (time + weight * barrier) * step).sum()
    }
}
