//! Limited-memory BFGS: the direction of a quasi-Newton step from the last changes of the variables and of the gradient.
//!
//! Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical Programming 1989; the two-loop
//! recursion is algorithm 7.4 of Nocedal and Wright, "Numerical Optimization", 2006.

/// Changes that are remembered.
const MEMORY: usize = 8;

/// Changes along which the curvature is less than this part of the lengths are forgotten.
const LEAST_CURVATURE: f64 = 1e-10;

/// The memory of a descent.
#[derive(Debug, Clone)]
pub(super) struct Lbfgs {
    size: usize,
    /// Changes of the variables, then of the gradient, a ring of [`MEMORY`].
    steps: Vec<f64>,
    differences: Vec<f64>,
    /// One over the product of the two.
    inverses: [f64; MEMORY],
    /// Where the next change is written, and how many are known.
    next: usize,
    known: usize,
    preconditioned: Vec<f64>,
}

impl Lbfgs {
    /// For so many variables.
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            steps: vec![0.0; MEMORY * size],
            differences: vec![0.0; MEMORY * size],
            inverses: [0.0; MEMORY],
            next: 0,
            known: 0,
            preconditioned: vec![0.0; size],
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        (self.next, self.known) = (0, 0);
    }

    /// Remembers a change of the variables and of the gradient, where the curvature along it is positive.
    pub(super) fn push(&mut self, step: &[f64], difference: &[f64]) {
        let curvature = dot(step, difference);
        if !(curvature > LEAST_CURVATURE * (dot(step, step) * dot(difference, difference)).sqrt()) {
            return;
        }
        let place = self.next * self.size..(self.next + 1) * self.size;
        self.steps[place.clone()].copy_from_slice(step);
        self.differences[place].copy_from_slice(difference);
        self.inverses[self.next] = 1.0 / curvature;
        self.next = (self.next + 1) % MEMORY;
        self.known = (self.known + 1).min(MEMORY);
    }

    /// Writes the direction `−H g`; `precondition` multiplies by the initial inverse Hessian, up to its scale.
    pub(super) fn direction(
        &mut self,
        gradient: &[f64],
        mut precondition: impl FnMut(&mut [f64]),
        direction: &mut [f64],
    ) {
        direction.iter_mut().zip(gradient).for_each(|(to, from)| *to = -from);
        let mut shares = [0.0; MEMORY];
        for age in 1..=self.known {
            let slot = (self.next + MEMORY - age) % MEMORY;
            shares[slot] = self.inverses[slot] * dot(row(&self.steps, slot, self.size), direction);
            add(direction, -shares[slot], row(&self.differences, slot, self.size));
        }
        let scale = self.scale(&mut precondition);
        precondition(direction);
        for value in &mut *direction {
            *value *= scale;
        }
        for age in (1..=self.known).rev() {
            let slot = (self.next + MEMORY - age) % MEMORY;
            let back = self.inverses[slot] * dot(row(&self.differences, slot, self.size), direction);
            add(direction, shares[slot] - back, row(&self.steps, slot, self.size));
        }
    }

    /// The scale of the initial inverse Hessian that fits the last change; 1 where none is known.
    fn scale(&mut self, precondition: &mut impl FnMut(&mut [f64])) -> f64 {
        if self.known == 0 {
            return 1.0;
        }
        let slot = (self.next + MEMORY - 1) % MEMORY;
        let difference = row(&self.differences, slot, self.size);
        self.preconditioned.copy_from_slice(difference);
        precondition(&mut self.preconditioned);
        1.0 / (self.inverses[slot] * dot(difference, &self.preconditioned))
    }
}

fn row(rows: &[f64], slot: usize, size: usize) -> &[f64] {
    &rows[slot * size..(slot + 1) * size]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps with exact line searches on `½ xᵀ diag(h) x`; returns the norms of the gradient.
    fn on_a_quadratic(curvatures: &[f64], precondition: impl Fn(&mut [f64]) + Copy, steps: usize) -> Vec<f64> {
        let mut lbfgs = Lbfgs::new(curvatures.len());
        let mut x = vec![1.0; curvatures.len()];
        let mut direction = x.clone();
        let gradient_at = |x: &[f64]| x.iter().zip(curvatures).map(|(x, h)| x * h).collect::<Vec<f64>>();
        let mut norms = Vec::new();
        for _ in 0..steps {
            let gradient = gradient_at(&x);
            norms.push(dot(&gradient, &gradient).sqrt());
            lbfgs.direction(&gradient, precondition, &mut direction);
            let curvature = dot(&gradient_at(&direction), &direction);
            if curvature == 0.0 {
                break;
            }
            let length = -dot(&gradient, &direction) / curvature;
            let step: Vec<f64> = direction.iter().map(|value| length * value).collect();
            add(&mut x, 1.0, &step);
            let difference: Vec<f64> = gradient_at(&x).iter().zip(&gradient).map(|(a, b)| a - b).collect();
            lbfgs.push(&step, &difference);
        }
        norms
    }

    #[test]
    fn with_exact_line_searches_it_ends_after_as_many_steps_as_variables() {
        // As the method of conjugate gradients does (Nocedal and Wright 2006, theorem 6.4).
        let curvatures = [1.0, 3.0, 10.0, 30.0, 100.0];
        let norms = on_a_quadratic(&curvatures, |_| {}, 6);
        assert!(norms[4] > 1e-3 && norms[5] < 1e-8, "{norms:?}");
    }

    #[test]
    fn with_the_inverse_hessian_as_initial_one_it_ends_after_one_step() {
        let curvatures = [1.0, 3.0, 10.0, 30.0, 100.0];
        let newton = |rows: &mut [f64]| rows.iter_mut().zip(&curvatures).for_each(|(value, h)| *value /= h);
        let norms = on_a_quadratic(&curvatures, newton, 2);
        assert!(norms[1] < 1e-12, "{norms:?}");
    }

    #[test]
    fn changes_along_negative_curvature_are_not_remembered() {
        let mut lbfgs = Lbfgs::new(2);
        lbfgs.push(&[1.0, 0.0], &[-1.0, 0.0]);
        lbfgs.push(&[1.0, 0.0], &[0.0, 1.0]);
        assert_eq!(lbfgs.known, 0);
        let mut direction = [0.0; 2];
        lbfgs.direction(&[2.0, -3.0], |_| {}, &mut direction);
        assert_eq!(direction, [-2.0, 3.0]);
    }
}
