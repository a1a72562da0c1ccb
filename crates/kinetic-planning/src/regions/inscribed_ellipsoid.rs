//! The ellipsoid of largest volume inside a polytope.
//!
//! Zhang and Gao, "On numerical solution of the maximum volume ellipsoid problem", SIAM Journal on Optimization 2003: a primal-dual
//! interior-point method whose variables are the centre and one multiplier per face.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Steps after which it is given up; ten to twenty are usual.
const MOST_STEPS: usize = 100;

/// The residual, relative to faces at distance 1 from the first centre, at which it ends.
const TOLERANCE: f64 = 1e-6;

/// The share of the way to the boundary that a step takes at most.
const LONGEST_SHARE: f64 = 0.9;

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

/// The largest ellipsoid inside `{ x : A x ≤ b }`, `A` with one row per face; `None` where `inside` is not in the interior, or the
/// polytope has no bounded ellipsoid of largest volume.
pub(super) fn inscribed_ellipsoid(a: &DMatrix<f64>, b: &DVector<f64>, inside: &[f64]) -> Option<Ellipsoid> {
    let origin = DVector::from_column_slice(inside);
    let slack = b - a * &origin;
    if slack.iter().any(|slack| !(*slack > 0.0)) {
        return None;
    }
    // Faces at distance 1 from the origin.
    let mut scaled = a.clone();
    for (mut row, slack) in scaled.row_iter_mut().zip(slack.iter()) {
        row /= *slack;
    }
    let mut iterate = Iterate::new(&scaled)?;
    for _ in 0..MOST_STEPS {
        if iterate.residual <= TOLERANCE {
            let factor = iterate.shape.clone().cholesky()?;
            return Some(Ellipsoid { center: origin + &iterate.x, factor });
        }
        iterate.step(&scaled)?;
    }
    None
}

/// One step of the method: centre `x`, multipliers `y`, slacks `z` of the constraints `h(E) + z = 1 − A x`, where `h` are the widths of
/// the ellipsoid along the normals and `E = (Aᵀ Y A)⁻¹`.
struct Iterate {
    x: DVector<f64>,
    y: DVector<f64>,
    z: DVector<f64>,
    slack: DVector<f64>,
    shape: DMatrix<f64>,
    /// `A E Aᵀ`.
    widths: DMatrix<f64>,
    residual: f64,
}

impl Iterate {
    fn new(a: &DMatrix<f64>) -> Option<Self> {
        let (faces, dof) = a.shape();
        let ones = DVector::from_element(faces, 1.0);
        let mut first = Self {
            x: DVector::zeros(dof),
            y: ones.clone(),
            z: ones.clone(),
            slack: ones,
            shape: DMatrix::zeros(dof, dof),
            widths: DMatrix::zeros(faces, faces),
            residual: f64::INFINITY,
        };
        first.update(a)?;
        // The largest multiple of the first ellipsoid that is inside.
        let scale = first.widths.diagonal().iter().map(|width| 1.0 / width.sqrt()).fold(f64::INFINITY, f64::min);
        first.y /= scale * scale;
        first.update(a)?;
        first.z = (&first.slack - first.h()).map(|slack| slack.max(0.1));
        first.residual = first.residuals(a).3;
        Some(first)
    }

    fn h(&self) -> DVector<f64> {
        self.widths.diagonal().map(f64::sqrt)
    }

    /// Works out what follows from `y`.
    fn update(&mut self, a: &DMatrix<f64>) -> Option<()> {
        self.shape = (a.transpose() * weighted(&self.y, a)).try_inverse()?;
        self.shape = 0.5 * (&self.shape + self.shape.transpose());
        self.widths = a * &self.shape * a.transpose();
        Some(())
    }

    /// Residuals of the three optimality conditions, and their largest entry.
    fn residuals(&self, a: &DMatrix<f64>) -> (DVector<f64>, DVector<f64>, DVector<f64>, f64) {
        let h = self.h();
        let gap = self.y.dot(&self.z) / self.y.len() as f64;
        let target = gap.min(0.5) * gap;
        let stationary = -(a.transpose() * self.y.component_mul(&h));
        let feasible = &self.slack - &h - &self.z;
        let complementary = self.y.component_mul(&self.z).map(|product| target - product);
        let largest = stationary.amax().max(feasible.amax()).max(gap);
        (stationary, feasible, complementary, largest)
    }

    /// A Newton step towards the central path, shortened so that all stays positive (Zhang and Gao 2003, section 4).
    fn step(&mut self, a: &DMatrix<f64>) -> Option<()> {
        let (stationary, feasible, complementary, _) = self.residuals(a);
        let h = self.h();
        let doubled = 2.0 * self.y.component_mul(&h);
        let scaled_widths = DMatrix::from_fn(self.y.len(), self.y.len(), |row, column| {
            self.y[row] * self.widths[(row, column)] * self.y[column] * self.widths[(row, column)]
        });
        let system = &scaled_widths + DMatrix::from_diagonal(&doubled.component_mul(&self.z).map(|v| v.max(1e-12)));
        let system = system.lu();
        let ya = weighted(&self.y, a);
        let solved = system.solve(&weighted(&(&h + &self.z), &ya))?;
        let transposed = (weighted(&doubled, &solved) - &ya).transpose();
        let by_multiplier = complementary.component_div(&self.y);
        let combined = &feasible - &by_multiplier;
        let dx = (&transposed * a).lu().solve(&(stationary + &transposed * &combined))?;
        let along = a * &dx;
        let dy_over_y = system.solve(&doubled.component_mul(&(&along - combined)))?;
        let dy = self.y.component_mul(&dy_over_y);
        let dz = by_multiplier - self.z.component_mul(&dy_over_y);
        let room = |change: &DVector<f64>, value: &DVector<f64>| {
            let least = change.iter().zip(value.iter()).map(|(change, value)| change / value).fold(-0.5, f64::min);
            -1.0 / least
        };
        let longest = room(&-&along, &self.slack).min(room(&dy, &self.y)).min(room(&dz, &self.z)).min(1.0);
        let length = LONGEST_SHARE.max(1.0 - self.residual) * longest;
        self.x += length * dx;
        self.y += length * dy;
        self.z += length * dz;
        self.slack -= length * along;
        self.update(a)?;
        self.residual = self.residuals(a).3;
        self.residual.is_finite().then_some(())
    }
}

/// Rows of a matrix times a factor each.
fn weighted(factors: &DVector<f64>, matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let mut scaled = matrix.clone();
    for (mut row, factor) in scaled.row_iter_mut().zip(factors.iter()) {
        row *= *factor;
    }
    scaled
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
            assert!(found.center.amax() < 1e-5, "{dof}: {}", found.center);
            let shape = found.factor.l() * found.factor.l().transpose();
            assert!((shape - DMatrix::identity(dof, dof)).amax() < 1e-4, "{dof}");
        }
    }

    /// The maximum volume ellipsoid goes with affine maps; that of a simplex with unit vectors as corners is known: in the plane the
    /// Steiner inellipse, which touches the sides at their middles.
    #[test]
    fn it_goes_with_affine_maps_and_touches_the_sides_of_a_triangle_at_their_middles() {
        let a = DMatrix::from_row_slice(3, 2, &[-1.0, 0.0, 0.0, -1.0, 1.0, 1.0]);
        let b = DVector::from_column_slice(&[0.0, 0.0, 1.0]);
        let triangle = inscribed_ellipsoid(&a, &b, &[0.1, 0.1]).unwrap_or_else(|| panic!("a triangle"));
        assert!((&triangle.center - DVector::from_element(2, 1.0 / 3.0)).amax() < 1e-5);
        for middle in [[0.5, 0.0], [0.0, 0.5], [0.5, 0.5]] {
            let (_, distance) = triangle.outward(&middle);
            assert!((distance - 1.0).abs() < 1e-4, "{distance}");
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
            assert!((&found.center - &shift).amax() < 1e-4);
            let shape = found.factor.l() * found.factor.l().transpose();
            let error = (shape - &map * map.transpose()).amax();
            assert!(error < 1e-3 * map.norm_squared(), "{dof}: {error}");
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
