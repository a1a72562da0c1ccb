//! Gradient and curvature of the time and of the barrier with respect to the coefficients of x(s).
//!
//! Every interval knows three coefficients, so that the matrix of a step has two bands beside its diagonal. Time and
//! barrier are kept apart: another weight of the barrier needs no new derivatives.

use super::band::{Band, solve};

/// x and x′ at the left end, x and x′ at the right end, and x″ of an interval, each as factors of three coefficients.
pub(crate) type Map = [[f64; 3]; 5];

/// Gradient and curvature of one point's limits with respect to x, x′ and x″; the lower half of the matrix.
#[derive(Default)]
pub(crate) struct Point {
    gradient: [f64; 3],
    matrix: [f64; 6],
}

impl Point {
    /// − ln (limit − x), without its constant.
    pub(crate) fn add_speed(&mut self, room: f64) {
        let inverse = 1.0 / room;
        self.gradient[0] += inverse;
        self.matrix[0] += inverse * inverse;
    }

    /// − ln (1 − ratio²) of a ratio with this gradient; false outside.
    #[inline]
    pub(crate) fn add_ratio(&mut self, ratio: f64, [x, slope, bend]: [f64; 3]) -> bool {
        let room = 1.0 - ratio * ratio;
        let inverse = 1.0 / room;
        let first = 2.0 * ratio * inverse;
        let second = 2.0 * inverse + first * first;
        let (by_x, by_slope, by_bend) = (second * x, second * slope, second * bend);
        for (sum, value) in self.gradient.iter_mut().zip([first * x, first * slope, first * bend]) {
            *sum += value;
        }
        let products = [by_x * x, by_slope * x, by_slope * slope, by_bend * x, by_bend * slope, by_bend * bend];
        for (sum, value) in self.matrix.iter_mut().zip(products) {
            *sum += value;
        }
        room > 0.0
    }
}

/// Gradient and curvature, lower half, with respect to the three coefficients of an interval.
#[derive(Default)]
pub(crate) struct Local {
    gradient: [f64; 3],
    matrix: [f64; 6],
}

impl Local {
    /// A function of one value with first and second derivative; `row` are the value's factors.
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

    /// The limits of a point at an end of the interval.
    pub(crate) fn add_point(&mut self, point: &Point, map: &Map, end: usize) {
        let rows = [&map[2 * end], &map[2 * end + 1], &map[4]];
        let [xx, sx, ss, bx, bs, bb] = point.matrix;
        let full = [[xx, sx, bx], [sx, ss, bs], [bx, bs, bb]];
        let mut place = 0;
        for i in 0..3 {
            let half = full.map(|line| line[0] * rows[0][i] + line[1] * rows[1][i] + line[2] * rows[2][i]);
            self.gradient[i] += (0..3).map(|l| rows[l][i] * point.gradient[l]).sum::<f64>();
            for j in 0..=i {
                self.matrix[place] += half[0] * rows[0][j] + half[1] * rows[1][j] + half[2] * rows[2][j];
                place += 1;
            }
        }
    }
}

/// Gradient and curvature with respect to all unknowns.
pub(crate) struct System {
    pub(crate) gradient: Vec<f64>,
    pub(crate) matrix: Band,
}

impl System {
    fn new(unknowns: usize) -> Self {
        Self { gradient: vec![0.0; unknowns], matrix: vec![[0.0; 3]; unknowns] }
    }

    fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.matrix.fill([0.0; 3]);
    }

    /// Adds an interval; `unknowns` are the places of its coefficients, in ascending order, and their factors.
    pub(crate) fn add(&mut self, local: &Local, unknowns: &[(usize, f64); 3]) {
        let mut at = 0;
        for i in 0..3 {
            let (place, factor) = unknowns[i];
            self.gradient[place] += factor * local.gradient[i];
            for (j, (other, other_factor)) in unknowns[..=i].iter().enumerate() {
                // Two coefficients that follow one unknown meet off the diagonal of the interval, twice.
                let twice = if *other == place && j < i { 2.0 } else { 1.0 };
                self.matrix[place][place - other] += twice * factor * other_factor * local.matrix[at];
                at += 1;
            }
        }
    }
}

/// The systems of a point, and the step from it.
pub(crate) struct Newton {
    pub(crate) time: System,
    pub(crate) barrier: System,
    matrix: Band,
    pub(crate) step: Vec<f64>,
}

impl Newton {
    pub(crate) fn new(unknowns: usize) -> Self {
        let (time, barrier) = (System::new(unknowns), System::new(unknowns));
        Self { time, barrier, matrix: vec![[0.0; 3]; unknowns], step: vec![0.0; unknowns] }
    }

    pub(crate) fn clear(&mut self) {
        self.time.clear();
        self.barrier.clear();
    }

    /// Finds the step for a weight of the barrier; answers with the slope of time and barrier along it.
    ///
    /// `before` is the weight for which this point is near the optimum. Where the weight shrinks, curvature is that of the
    /// barrier before: that step follows the path of optima, whose distances to limits shrink in proportion to the weight,
    /// while curvature with the new weight would lead far out of them.
    pub(crate) fn direction(&mut self, weight: f64, before: f64) -> Option<f64> {
        let pairs = self.time.matrix.iter().zip(&self.barrier.matrix);
        for (sum, (time, barrier)) in self.matrix.iter_mut().zip(pairs) {
            *sum = std::array::from_fn(|band| time[band] + before * barrier[band]);
        }
        let pairs = self.time.gradient.iter().zip(&self.barrier.gradient);
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
        let pairs = self.time.gradient.iter().zip(&self.barrier.gradient).zip(&self.step);
        pairs.map(|((time, barrier), step)| (time + weight * barrier) * step).sum()
    }
}
