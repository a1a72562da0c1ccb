//! The ellipsoid of largest volume inside a polytope, by a barrier method.
//!
//! `{ c + L u : ‖u‖ ≤ 1 }` with a lower triangular `L` is inside `aᵢ · x ≤ bᵢ` where `‖Lᵀ aᵢ‖ ≤ bᵢ − aᵢ · c`, so that the largest volume
//! is a convex programme over second-order cones (Boyd and Vandenberghe 2004, sections 8.4.2 and 11.6). A primal-dual method with one
//! multiplier per face (Zhang and Gao 2003) solves systems as large as the number of faces, and does not converge in narrow places.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::largest_ball::largest_ball;
use super::polytope::Polytope;

/// How far the logarithm of the volume may be from the largest one.
const ACCURACY: f64 = 1e-3;

/// Newton steps after which it is given up; forty are usual.
const MOST_STEPS: usize = 500;

/// What the weight of the volume is multiplied by when the central path is reached.
const WEIGHT_FACTOR: f64 = 10.0;

/// The Newton decrement at which a point is on the central path.
const CENTERED: f64 = 0.1;

/// The part of the decrease that the gradient promises which a step has to reach, and the shortest step.
const SUFFICIENT_DECREASE: f64 = 0.1;
const SHORTEST_STEP: f64 = 1e-12;

/// An ellipsoid `{ c + L u : ‖u‖ ≤ 1 }`.
#[derive(Debug, Clone)]
pub(super) struct Ellipsoid {
    /// Centre.
    pub(super) center: DVector<f64>,
    /// `E = L Lᵀ`.
    pub(super) factor: Cholesky<f64, Dyn>,
}

impl Ellipsoid {
    /// A ball.
    pub(super) fn ball(center: &[f64], radius: f64) -> Option<Self> {
        let shape = DMatrix::identity(center.len(), center.len()) * (radius * radius);
        Some(Self { center: DVector::from_column_slice(center), factor: shape.cholesky()? })
    }

    /// Logarithm of the volume, up to a constant of the dimension.
    pub(super) fn log_volume(&self) -> f64 {
        self.factor.l().diagonal().iter().map(|value| value.ln()).sum()
    }

    /// `E⁻¹ (x − c)`, along which the distance from the centre in units of the ellipsoid grows, and that distance.
    pub(super) fn outward(&self, x: &[f64]) -> (DVector<f64>, f64) {
        let offset = DVector::from_column_slice(x) - &self.center;
        let outward = self.factor.solve(&offset);
        let distance = outward.dot(&offset).max(0.0).sqrt();
        (outward, distance)
    }
}

/// The largest ellipsoid in a polytope; the centre of its largest ball is far from all faces to begin at.
pub(super) fn largest_ellipsoid(polytope: &Polytope) -> Option<Ellipsoid> {
    let (inside, _) = largest_ball([polytope], polytope.dof())?;
    let (a, b) = polytope.matrices();
    inscribed_ellipsoid(&a, &b, &inside)
}

/// The largest ellipsoid inside `{ x : A x ≤ b }`, `A` with one row per face; `None` where `inside` is not in the interior, or the
/// polytope has no bounded ellipsoid of largest volume.
fn inscribed_ellipsoid(a: &DMatrix<f64>, b: &DVector<f64>, inside: &[f64]) -> Option<Ellipsoid> {
    let center = DVector::from_column_slice(inside);
    let slack = b - a * &center;
    let radius = slack.iter().zip(a.row_iter()).map(|(slack, row)| slack / row.norm()).fold(f64::INFINITY, f64::min);
    if !(radius > 0.0 && radius.is_finite()) {
        return None;
    }
    let factor = DMatrix::identity(inside.len(), inside.len()) * (0.5 * radius);
    let mut programme = Barrier { a, b, center, factor, weight: 1.0, steps: 0 };
    loop {
        while programme.step()? {}
        // Two per second-order cone (Boyd and Vandenberghe 2004, section 11.6.3).
        if 2.0 * (a.nrows() as f64) < ACCURACY * programme.weight {
            let shape = &programme.factor * programme.factor.transpose();
            return Some(Ellipsoid { center: programme.center, factor: shape.cholesky()? });
        }
        programme.weight *= WEIGHT_FACTOR;
    }
}

/// The programme at one point: minimise `−w log det L − Σ log ((bᵢ − aᵢ · c)² − ‖Lᵀ aᵢ‖²)`.
struct Barrier<'a> {
    a: &'a DMatrix<f64>,
    b: &'a DVector<f64>,
    center: DVector<f64>,
    factor: DMatrix<f64>,
    weight: f64,
    steps: usize,
}

impl Barrier<'_> {
    /// One Newton step; false where none is needed, `None` where it is given up.
    fn step(&mut self) -> Option<bool> {
        self.steps += 1;
        let (gradient, hessian) = self.derivatives();
        let step = -hessian.cholesky()?.solve(&gradient);
        let decrement = -gradient.dot(&step);
        if !decrement.is_finite() || self.steps > MOST_STEPS {
            return None;
        }
        if decrement < CENTERED * CENTERED {
            return Some(false);
        }
        let value = self.value(&self.center, &self.factor)?;
        let mut length = 1.0;
        while length > SHORTEST_STEP {
            let (center, factor) = self.moved(&step, length);
            let is_lower = |next: f64| next <= value - SUFFICIENT_DECREASE * length * decrement;
            if self.value(&center, &factor).is_some_and(is_lower) {
                (self.center, self.factor) = (center, factor);
                return Some(true);
            }
            length *= 0.5;
        }
        None
    }

    /// The point after a step: first the columns of the factor, from its diagonal down, then the centre.
    fn moved(&self, step: &DVector<f64>, length: f64) -> (DVector<f64>, DMatrix<f64>) {
        let dof = self.center.len();
        let (mut factor, mut entry) = (self.factor.clone(), 0);
        for column in 0..dof {
            for row in column..dof {
                factor[(row, column)] += length * step[entry];
                entry += 1;
            }
        }
        (&self.center + length * step.rows(entry, dof), factor)
    }

    /// The value of the barrier; `None` outside of its domain.
    fn value(&self, center: &DVector<f64>, factor: &DMatrix<f64>) -> Option<f64> {
        let (widths, slack) = (self.a * factor, self.b - self.a * center);
        let diagonal = factor.diagonal();
        let is_inside = |face: usize| slack[face] > 0.0 && slack[face].powi(2) > widths.row(face).norm_squared();
        if diagonal.iter().any(|value| !(*value > 0.0)) || !(0..slack.len()).all(is_inside) {
            return None;
        }
        let room = |face: usize| (slack[face].powi(2) - widths.row(face).norm_squared()).ln();
        let volume: f64 = diagonal.iter().map(|value| value.ln()).sum();
        Some(-self.weight * volume - (0..slack.len()).map(room).sum::<f64>())
    }

    /// Gradient and the lower triangle of the Hessian.
    fn derivatives(&self) -> (DVector<f64>, DMatrix<f64>) {
        let dof = self.center.len();
        let size = dof * (dof + 1) / 2 + dof;
        let (mut gradient, mut hessian) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let (widths, slack) = (self.a * &self.factor, self.b - self.a * &self.center);
        let mut slope = DVector::zeros(size);
        for face in 0..slack.len() {
            let room = slack[face].powi(2) - widths.row(face).norm_squared();
            let normal = self.a.row(face);
            let mut begin = 0;
            for column in 0..=dof {
                // The last block is that of the centre.
                let (first, share, sign) =
                    if column < dof { (column, widths[(face, column)], 1.0) } else { (0, slack[face], -1.0) };
                for row in first..dof {
                    let entry = begin + row - first;
                    slope[entry] = -2.0 * share * normal[row];
                    for other in first..=row {
                        hessian[(entry, begin + other - first)] += sign * 2.0 / room * normal[row] * normal[other];
                    }
                }
                begin += dof - first;
            }
            gradient.axpy(-1.0 / room, &slope, 1.0);
            hessian.syger(1.0 / (room * room), &slope, &slope, 1.0);
        }
        let mut begin = 0;
        for column in 0..dof {
            let value = self.factor[(column, column)];
            gradient[begin] -= self.weight / value;
            hessian[(begin, begin)] += self.weight / (value * value);
            begin += dof - column;
        }
        (gradient, hessian)
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    fn cube(dof: usize) -> (DMatrix<f64>, DVector<f64>) {
        let rows = DMatrix::from_fn(2 * dof, dof, |row, column| match row {
            row if row == column => 1.0,
            row if row == column + dof => -1.0,
            _ => 0.0,
        });
        (rows, DVector::from_element(2 * dof, 1.0))
    }

    #[test]
    fn in_a_cube_it_is_the_ball_from_wherever_it_begins() {
        for (dof, inside) in [(1, 0.0), (2, 0.9), (3, -0.5), (7, 0.3), (14, -0.99)] {
            let (a, b) = cube(dof);
            let found = inscribed_ellipsoid(&a, &b, &vec![inside; dof]).unwrap_or_else(|| panic!("{dof} joints"));
            assert!(found.center.amax() < 1e-3, "{dof}: {}", found.center);
            let shape = found.factor.l() * found.factor.l().transpose();
            assert!((shape - DMatrix::identity(dof, dof)).amax() < 1e-3, "{dof}");
        }
    }

    /// The maximum volume ellipsoid goes with affine maps; that of a simplex with unit vectors as corners is known: in the plane the
    /// Steiner inellipse, which touches the sides at their middles.
    #[test]
    fn it_goes_with_affine_maps_and_touches_the_sides_of_a_triangle_at_their_middles() {
        let a = DMatrix::from_row_slice(3, 2, &[-1.0, 0.0, 0.0, -1.0, 1.0, 1.0]);
        let b = DVector::from_column_slice(&[0.0, 0.0, 1.0]);
        let triangle = inscribed_ellipsoid(&a, &b, &[0.1, 0.1]).unwrap_or_else(|| panic!("a triangle"));
        assert!((&triangle.center - DVector::from_element(2, 1.0 / 3.0)).amax() < 1e-3);
        for middle in [[0.5, 0.0], [0.0, 0.5], [0.5, 0.5]] {
            let (_, distance) = triangle.outward(&middle);
            assert!((distance - 1.0).abs() < 1e-3, "{distance}");
        }
        let mut rng = SeededRng::new(4);
        for dof in [2, 5, 8] {
            let (a, b) = cube(dof);
            let map = DMatrix::from_fn(dof, dof, |row, column| {
                rng.uniform(-1.0, 1.0) + if row == column { 2.0 } else { 0.0 }
            });
            let shift = DVector::from_fn(dof, |_, _| rng.uniform(-3.0, 3.0));
            let inverse = map.clone().try_inverse().unwrap_or_else(|| panic!("a map"));
            let mapped = &a * inverse;
            let offsets = &b + &mapped * &shift;
            let found = inscribed_ellipsoid(&mapped, &offsets, shift.as_slice()).unwrap_or_else(|| panic!("{dof}"));
            assert!((&found.center - &shift).amax() < 1e-3);
            let shape = found.factor.l() * found.factor.l().transpose();
            let error = (shape - &map * map.transpose()).amax();
            assert!(error < 2e-3 * map.norm_squared(), "{dof}: {error}");
        }
    }

    /// Slabs as thin as a thousandth of the rest, and as many faces as a region has.
    #[test]
    fn narrow_places_and_many_faces_have_one_that_is_inside_and_touches() {
        let mut rng = SeededRng::new(9);
        for (planes, low, high) in [(4, 1e-3, 1e-2), (20, 1e-3, 5e-2), (60, 1e-3, 5e-2), (460, 0.3, 2.0)] {
            let (cube, ones) = cube(7);
            let mut rows: Vec<f64> = cube.transpose().as_slice().to_vec();
            let mut offsets: Vec<f64> = ones.iter().map(|one| one * rng.uniform(0.2, 3.0)).collect();
            for _ in 0..planes {
                let normal = DVector::from_fn(7, |_, _| rng.uniform(-1.0, 1.0)).normalize();
                rows.extend(normal.iter());
                offsets.push(rng.uniform(low, high));
            }
            let a = DMatrix::from_row_slice(offsets.len(), 7, &rows);
            let b = DVector::from_vec(offsets);
            let found = inscribed_ellipsoid(&a, &b, &[0.0; 7]).unwrap_or_else(|| panic!("{planes} planes"));
            let widths = &a * found.factor.l();
            let slack = &b - &a * &found.center;
            let left: Vec<f64> = (0..b.len()).map(|face| 1.0 - widths.row(face).norm() / slack[face]).collect();
            assert!(left.iter().all(|left| *left > 0.0), "{planes} planes");
            assert!(left.iter().filter(|left| **left < 1e-3).count() >= 7, "{planes} planes: {left:?}");
        }
    }

    #[test]
    fn no_point_inside_and_no_bounds_have_no_ellipsoid() {
        let (a, b) = cube(2);
        assert!(inscribed_ellipsoid(&a, &b, &[1.0, 0.0]).is_none());
        assert!(inscribed_ellipsoid(&a, &b, &[2.0, 0.0]).is_none());
        let slab = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, -1.0, 0.0]);
        assert!(inscribed_ellipsoid(&slab, &DVector::from_element(2, 1.0), &[0.0, 0.0]).is_none());
    }
}
