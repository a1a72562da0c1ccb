//! Combination of Riemannian motion policies: the pull-back of every policy, and their sum.
//!
//! Ratliff et al. 2018, eqs. (9) and (14), with the curvature of Cheng et al. 2018 ("`RMPflow`", eq. (5)): the sum of policies is
//! `q̈ = (Σ Jᵀ M J)⁺ Σ Jᵀ M (a − J̇ q̇)`, the least-squares solution of `J q̈ + J̇ q̇ = a` of all policies in their metrics.

use super::task_space::TaskSpaces;

/// Smallest diagonal value that is added to the normal equations, relative to their largest: a pseudo-inverse whose solutions stay
/// continuous where one that cuts singular values off would jump.
const RELATIVE_DAMPING: f64 = 1e-12;
/// What is added where no policy says anything.
const LEAST_DAMPING: f64 = 1e-12;

/// `A = Σ Jᵀ M J` and `b = Σ Jᵀ M (a − J̇ q̇)`.
#[derive(Debug, Clone, Default)]
pub struct NormalEquations {
    dof: usize,
    /// `A`, dof × dof, symmetric and positive semidefinite.
    pub matrix: Vec<f64>,
    /// `b`.
    pub vector: Vec<f64>,
    /// `M J`, row after row.
    scratch: Vec<f64>,
}

impl NormalEquations {
    /// Sums the policies of a cycle.
    pub fn sum(&mut self, spaces: &TaskSpaces, dof: usize) {
        self.dof = dof;
        self.matrix.clear();
        self.matrix.resize(dof * dof, 0.0);
        self.vector.clear();
        self.vector.resize(dof, 0.0);
        for space in spaces.iter() {
            self.scratch.clear();
            self.scratch.resize(space.rows * dof, 0.0);
            for row in 0..space.rows {
                for other in 0..space.rows {
                    let weight = space.metric[row * space.rows + other];
                    if weight == 0.0 {
                        continue;
                    }
                    let wanted = weight * (space.acceleration[other] - space.curvature[other]);
                    let jacobian = &space.jacobian[other * dof..(other + 1) * dof];
                    let weighted = &mut self.scratch[row * dof..(row + 1) * dof];
                    for (weighted, value) in weighted.iter_mut().zip(jacobian) {
                        *weighted += weight * value;
                    }
                    let own = &space.jacobian[row * dof..(row + 1) * dof];
                    for (sum, value) in self.vector.iter_mut().zip(own) {
                        *sum += value * wanted;
                    }
                }
            }
            self.add_products(space.jacobian, dof);
        }
    }

    /// Adds `Jᵀ (M J)`.
    fn add_products(&mut self, jacobian: &[f64], dof: usize) {
        for (jacobian, weighted) in jacobian.chunks_exact(dof).zip(self.scratch.chunks_exact(dof)) {
            for (row, value) in self.matrix.chunks_exact_mut(dof).zip(jacobian) {
                if *value != 0.0 {
                    for (sum, weighted) in row.iter_mut().zip(weighted) {
                        *sum += value * weighted;
                    }
                }
            }
        }
    }

    /// Whether every value is finite.
    pub fn is_finite(&self) -> bool {
        self.matrix.iter().chain(&self.vector).all(|value| value.is_finite())
    }

    /// Makes the matrix positive definite: directions that no policy counts get no acceleration.
    pub fn damp(&mut self) {
        let diagonal = (0..self.dof).map(|index| self.matrix[index * self.dof + index]);
        let damping = RELATIVE_DAMPING * diagonal.fold(0.0, f64::max) + LEAST_DAMPING;
        for index in 0..self.dof {
            self.matrix[index * self.dof + index] += damping;
        }
    }
}
