//! An interior-point method for programmes of few variables, or of variables of which each is coupled with near ones alone: the matrix of
//! a step is a band matrix.
//!
//! The primal-dual path-following method of Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010), section 7, with
//! the scaling of Nesterov and Todd and the corrector of Mehrotra (SIAM Journal on Optimization 1992).

use super::band_matrix::BandMatrix;
use super::band_rows::BandRows;
use super::cone::{Cone, Scaling};
use super::sparse_rows::SparseRows;
use super::vector::{add_multiple, dot, norm};

/// Residuals and gaps, relative to what they belong to, at which a solution is accurate.
const SOLVER_ACCURACY: f64 = 1e-8;

/// How much less accurate a solution may be that rounding lets come no nearer.
const ALMOST_ACCURATE: f64 = 100.0;

/// Residuals of the multipliers at which it is: rounding leaves more of them than of the rows, and all that they say is how much less than
/// by the gap a solution may cost.
const DUAL_ACCURACY: f64 = 1e-6;

/// What rounding may add to these residuals in a step.
const ROUNDING: f64 = 1e-7;

/// Steps after which there is no solution to be expected: most programmes take a dozen.
const MOST_NEWTON_STEPS: usize = 60;

/// The part of the way to the boundary of the cones that is gone.
const STEP_FRACTION: f64 = 0.99;

/// Minimises `c · x` over the `x` for which `h − G x` lies in cones.
pub(super) struct InteriorPoint<'a> {
    objective: &'a [f64],
    rows: BandRows,
    offsets: &'a [f64],
    cones: &'a [Cone],
    degree: f64,
    x: Vec<f64>,
    slacks: Vec<f64>,
    multipliers: Vec<f64>,
    scaling: Scaling,
    hessian: BandMatrix,
    /// Values of a cone's rows, by variables.
    gathered: Vec<f64>,
}

/// How a search ended.
pub(super) enum Outcome {
    Solved(Vec<f64>),
    /// No point satisfies all rows.
    Infeasible,
    /// Rounding has ended it before.
    Stalled,
}

/// What is left to the conditions of optimality.
struct Residuals {
    /// `c + Gᵀ z`.
    dual: Vec<f64>,
    /// `G x + s − h`.
    primal: Vec<f64>,
    gap: f64,
}

/// What a step changes.
struct Direction {
    x: Vec<f64>,
    slacks: Vec<f64>,
    multipliers: Vec<f64>,
}

/// How linear systems are solved.
type Solve<'a> = fn(&InteriorPoint<'a>, &[f64], &[f64]) -> (Vec<f64>, Vec<f64>);

impl<'a> InteriorPoint<'a> {
    pub(super) fn new(objective: &'a [f64], rows: &'a SparseRows, offsets: &'a [f64], cones: &'a [Cone]) -> Self {
        let (variables, count) = (objective.len(), offsets.len());
        let rows = BandRows::new(rows);
        let bandwidth = cones.iter().map(|cone| rows.bandwidth(cone)).max().unwrap_or(0);
        Self {
            objective,
            rows,
            offsets,
            cones,
            degree: cones.iter().map(Cone::degree).sum::<usize>() as f64,
            x: vec![0.0; variables],
            slacks: vec![0.0; count],
            multipliers: vec![0.0; count],
            scaling: Scaling::new(count, cones),
            hessian: BandMatrix::zeros(variables, bandwidth),
            gathered: vec![0.0; variables],
        }
    }

    pub(super) fn minimum(mut self) -> Outcome {
        if self.begin().is_none() {
            return Outcome::Stalled;
        }
        for _ in 0..MOST_NEWTON_STEPS {
            let residuals = self.residuals();
            if self.is_accurate(&residuals, 1.0) {
                return Outcome::Solved(self.x);
            }
            if self.is_infeasible(&residuals) {
                return Outcome::Infeasible;
            }
            if !self.advance(&residuals) {
                let is_almost = self.is_accurate(&residuals, ALMOST_ACCURATE);
                return if is_almost { Outcome::Solved(self.x) } else { Outcome::Stalled };
            }
        }
        Outcome::Stalled
    }

    /// Begins at the least slacks and the least multipliers, moved into the cones.
    fn begin(&mut self) -> Option<()> {
        self.factorise()?;
        let nothing = vec![0.0; self.x.len()];
        let (x, missing) = self.solve(&nothing, self.offsets);
        self.x = x;
        self.slacks = missing.iter().map(|value| -value).collect();
        let negative: Vec<f64> = self.objective.iter().map(|value| -value).collect();
        let (_, multipliers) = self.solve(&negative, &vec![0.0; self.offsets.len()]);
        self.multipliers = multipliers;
        for v in [&mut self.slacks, &mut self.multipliers] {
            let shift = self.cones.iter().map(|cone| cone.least_shift(v)).fold(f64::NEG_INFINITY, f64::max);
            if shift >= -SOLVER_ACCURACY {
                self.cones.iter().for_each(|cone| cone.add_identity(v, 1.0 + shift.max(0.0)));
            }
        }
        Some(())
    }

    fn residuals(&self) -> Residuals {
        let (mut dual, mut primal) = (self.objective.to_vec(), self.slacks.clone());
        self.rows.add_transposed(&self.multipliers, &mut dual);
        self.rows.add_product(&self.x, &mut primal);
        add_multiple(-1.0, self.offsets, &mut primal);
        Residuals { dual, primal, gap: dot(&self.slacks, &self.multipliers) }
    }

    /// Whether residuals and gap are at most so many times what an accurate solution has.
    fn is_accurate(&self, Residuals { dual, primal, gap }: &Residuals, times: f64) -> bool {
        let cost = dot(self.objective, &self.x).abs();
        norm(dual) <= times * DUAL_ACCURACY * cost.max(1.0) * norm(self.objective).max(1.0)
            && norm(primal) <= times * SOLVER_ACCURACY * norm(self.offsets).max(1.0)
            && *gap <= times * SOLVER_ACCURACY * cost.max(1.0)
    }

    /// Whether the multipliers prove that no point satisfies all rows: `Gᵀ z = 0` and `h · z < 0`.
    fn is_infeasible(&self, residuals: &Residuals) -> bool {
        let proven = -dot(self.offsets, &self.multipliers);
        let of_rows = residuals.dual.iter().zip(self.objective).map(|(sum, of_objective)| sum - of_objective);
        proven > 0.0 && of_rows.map(|value| value * value).sum::<f64>().sqrt() <= SOLVER_ACCURACY * proven
    }

    /// The factor of `Gᵀ W⁻² G`.
    fn factorise(&mut self) -> Option<()> {
        self.hessian.set_zero();
        for (index, cone) in self.cones.iter().enumerate() {
            let (point, factor) = self.scaling.of(index, cone);
            match cone {
                Cone::Nonnegative(rows) => {
                    for (row, w) in rows.clone().zip(point) {
                        self.rows.add_square(row, 1.0 / (w * w), &mut self.hessian);
                    }
                }
                // W⁻² = (2 q qᵀ − J) / factor², where q is the point with its last part turned round.
                Cone::SecondOrder(rows) => {
                    let weight = 1.0 / (factor * factor);
                    let sign = |row: usize| if row == rows.start { 1.0 } else { -1.0 };
                    let of_row = |row: usize| sign(row) * point[row - rows.start];
                    self.rows.add_square_of_sum(rows, of_row, 2.0 * weight, &mut self.gathered, &mut self.hessian);
                    for row in rows.clone() {
                        self.rows.add_square(row, -sign(row) * weight, &mut self.hessian);
                    }
                }
            }
        }
        self.hessian.factorise().then_some(())
    }

    /// Solves `Gᵀ v = a`, `G x − W² v = b` for `x` and `v`.
    fn solve(&self, a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut v = b.to_vec();
        self.scaling.unscale_twice(self.cones, &mut v);
        let mut x = a.to_vec();
        self.rows.add_transposed(&v, &mut x);
        self.hessian.solve(&mut x);
        v.iter_mut().zip(b).for_each(|(value, b)| *value = -b);
        self.rows.add_product(&x, &mut v);
        self.scaling.unscale_twice(self.cones, &mut v);
        (x, v)
    }

    /// As [`solve`](Self::solve), once more for what rounding has left of `a`, where that is much.
    fn solve_refined(&self, a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut x, mut v) = self.solve(a, b);
        let mut left = a.iter().map(|value| -value).collect::<Vec<_>>();
        self.rows.add_transposed(&v, &mut left);
        if norm(&left) > ROUNDING * norm(self.objective).max(1.0) {
            let (of_x, of_v) = self.solve(&left, &vec![0.0; b.len()]);
            add_multiple(-1.0, &of_x, &mut x);
            add_multiple(-1.0, &of_v, &mut v);
        }
        (x, v)
    }

    /// The step of Newton towards the end of the central path, and by what it misses, towards its middle.
    fn direction(&self, residuals: &Residuals) -> Direction {
        let common = &self.scaling.common;
        let centre = residuals.gap / self.degree;
        let mut complementarity = vec![0.0; common.len()];
        self.cones.iter().for_each(|cone| cone.multiply(common, common, &mut complementarity));
        let predicted = self.newton(residuals, &complementarity, Self::solve);
        let [primal, dual] = self.steps(&predicted, 1.0);
        let centring = (1.0 - primal.min(dual)).powi(3);
        let (mut slacks, mut multipliers) = (predicted.slacks, predicted.multipliers);
        self.scaling.unscale(self.cones, &mut slacks);
        self.scaling.scale(self.cones, &mut multipliers);
        let mut second_order = vec![0.0; common.len()];
        for cone in self.cones {
            cone.multiply(&slacks, &multipliers, &mut second_order);
            cone.add_identity(&mut second_order, -centring * centre);
        }
        add_multiple(1.0, &second_order, &mut complementarity);
        self.newton(residuals, &complementarity, Self::solve_refined)
    }

    /// The direction that makes residuals and complementarity zero to first order.
    fn newton(&self, residuals: &Residuals, complementarity: &[f64], solve: Solve<'a>) -> Direction {
        let mut b: Vec<f64> = complementarity.to_vec();
        self.cones.iter().for_each(|cone| cone.divide(&self.scaling.common, &mut b));
        self.scaling.scale(self.cones, &mut b);
        add_multiple(-1.0, &residuals.primal, &mut b);
        let a: Vec<f64> = residuals.dual.iter().map(|value| -value).collect();
        let (x, multipliers) = solve(self, &a, &b);
        // Taken from the rows themselves, slacks leave no residual by the rounding of scalings.
        let mut slacks = residuals.primal.clone();
        self.rows.add_product(&x, &mut slacks);
        for value in &mut slacks {
            *value = -*value;
        }
        Direction { x, slacks, multipliers }
    }

    /// The longest steps along a direction, of slacks and of multipliers, up to 1, that go a part of the way to the boundary.
    fn steps(&self, direction: &Direction, part: f64) -> [f64; 2] {
        [(&self.slacks, &direction.slacks), (&self.multipliers, &direction.multipliers)]
            .map(|(at, along)| part / self.cones.iter().map(|cone| cone.step_bound(at, along)).fold(part, f64::max))
    }

    /// Takes a step; false where rounding leaves none.
    fn advance(&mut self, residuals: &Residuals) -> bool {
        if !self.scaling.update(self.cones, &self.slacks, &self.multipliers) || self.factorise().is_none() {
            return false;
        }
        let direction = self.direction(residuals);
        let [primal, dual] = self.steps(&direction, STEP_FRACTION);
        let (mut slacks, mut multipliers) = (self.slacks.clone(), self.multipliers.clone());
        add_multiple(primal, &direction.slacks, &mut slacks);
        add_multiple(dual, &direction.multipliers, &mut multipliers);
        let is_inside =
            self.cones.iter().all(|cone| cone.least_shift(&slacks).max(cone.least_shift(&multipliers)) < 0.0);
        if is_inside {
            add_multiple(primal, &direction.x, &mut self.x);
            (self.slacks, self.multipliers) = (slacks, multipliers);
        }
        is_inside
    }
}
