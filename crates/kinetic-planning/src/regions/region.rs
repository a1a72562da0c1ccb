//! One convex region of the joint space.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Result};
use nalgebra::DMatrix;

use super::inscribed_ellipsoid::{Ellipsoid, largest_ellipsoid};
use super::polytope::Polytope;
use crate::space::Space;

/// Sweeps of hit-and-run before a sample.
const SAMPLE_MIXING_SWEEPS: usize = 10;

/// A polytope of configurations of which nearly all are free: `{ q : A q ≤ b }` with unit normals.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexRegion {
    pub(crate) polytope: Polytope,
    seed: Vec<f64>,
    center: Vec<f64>,
    /// Of the largest ellipsoid inside, the lower triangular matrix that maps the unit ball to it.
    axes: DMatrix<f64>,
}

impl ConvexRegion {
    /// A region with the largest ellipsoid inside it.
    pub(super) fn new(polytope: Polytope, seed: &[f64], largest: &Ellipsoid) -> Self {
        Self::of_axes(polytope, seed, largest.center.as_slice(), largest.factor.l())
    }

    pub(super) fn of_axes(polytope: Polytope, seed: &[f64], center: &[f64], axes: DMatrix<f64>) -> Self {
        Self { polytope, seed: seed.to_vec(), center: center.to_vec(), axes }
    }

    pub(super) fn axes(&self) -> &DMatrix<f64> {
        &self.axes
    }

    /// The region `{ q : A q ≤ b }`, `A` with a row of one number per joint for each face. Rows are scaled to unit length; its seed is its centre.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no joints, a row of zeros, and faces that leave no interior or no bounded one;
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`].
    pub fn from_faces(dof: usize, normals: &[f64], offsets: &[f64]) -> Result<Self> {
        if dof == 0 {
            return Err(KineticError::invalid("joints of a region", dof, "at least one"));
        }
        check_len("normals of a region", normals.len(), dof * offsets.len())?;
        check_finite("normals of a region", normals)?;
        check_finite("offsets of a region", offsets)?;
        let mut polytope = Polytope::of_faces(dof, Vec::new(), Vec::new());
        for (face, (normal, offset)) in normals.chunks_exact(dof).zip(offsets).enumerate() {
            let length = normal.iter().map(|value| value * value).sum::<f64>().sqrt();
            if !(length > 0.0 && length.is_finite()) {
                let name = format!("normal of face {face}");
                return Err(KineticError::invalid(name, format!("{normal:?}"), "one with a length"));
            }
            polytope.add(&normal.iter().map(|value| value / length).collect::<Vec<_>>(), offset / length);
        }
        let wanted = "ones with a bounded interior between them";
        let largest = largest_ellipsoid(&polytope)
            .ok_or_else(|| KineticError::invalid("faces of a region", format!("{} of them", offsets.len()), wanted))?;
        Ok(Self::new(polytope, largest.center.as_slice(), &largest))
    }

    /// The part of it inside the bounds of a space; itself, bit for bit, where it is known to be inside. `name` is what errors call it.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] where nothing of it is inside.
    pub(super) fn within(self, space: &Space, name: &str) -> Result<Self> {
        let mut polytope = self.polytope.clone();
        for joint in (0..self.dof()).filter(|joint| !space.is_continuous(*joint)) {
            // The largest ellipsoid inside a convex body contains it when it is as many times larger as there are dimensions (John 1948).
            let reach = self.dof() as f64 * self.axes.row(joint).norm();
            for (sign, bound) in [(1.0, space.upper()[joint]), (-1.0, -space.lower()[joint])] {
                let is_face = |(normal, offset): (&[f64], f64)| normal[joint] == sign && offset <= bound;
                if sign * self.center[joint] + reach > bound && !polytope.faces().any(is_face) {
                    let mut normal = vec![0.0; self.dof()];
                    normal[joint] = sign;
                    polytope.add(&normal, bound);
                }
            }
        }
        if polytope.offsets().len() == self.polytope.offsets().len() {
            return Ok(self);
        }
        let largest = largest_ellipsoid(&polytope).ok_or_else(|| {
            let wanted = "one that is not outside the joint limits";
            KineticError::invalid(name, format!("around {:?}", self.center), wanted)
        })?;
        Ok(Self::new(polytope, largest.center.as_slice(), &largest))
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.polytope.dof()
    }

    /// Number of faces, those of the joint limits included.
    pub fn num_faces(&self) -> usize {
        self.polytope.offsets().len()
    }

    /// Unit normals `A` of the faces, one row of a number per joint each.
    pub fn normals(&self) -> &[f64] {
        self.polytope.normals()
    }

    /// Offsets `b` of the faces.
    pub fn offsets(&self) -> &[f64] {
        self.polytope.offsets()
    }

    /// The configuration that it grew around, or the middle of the edge.
    pub fn seed(&self) -> &[f64] {
        &self.seed
    }

    /// Centre of the largest ellipsoid inside it.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// Logarithm of the product of the half-axes of that ellipsoid: what volumes of regions of one space are compared by.
    pub fn log_volume(&self) -> f64 {
        self.axes.diagonal().iter().map(|value| value.ln()).sum()
    }

    /// Whether a configuration is in it, its boundary included. Values of joints without limits are taken as they are.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`].
    pub fn contains(&self, q: &[f64]) -> Result<bool> {
        check_len("configuration", q.len(), self.dof())?;
        check_finite("configuration", q)?;
        Ok(self.polytope.contains(q))
    }

    /// Configurations of it, one after the other, nearly uniform (coordinate hit-and-run along the axes of its ellipsoid).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for more than 10⁷; what [`Control::check`] says.
    pub fn sample(&self, count: usize, seed: u64, control: &Control) -> Result<Vec<f64>> {
        if count > MOST_REGION_SAMPLES {
            return Err(KineticError::invalid("number of samples", count, format!("at most {MOST_REGION_SAMPLES}")));
        }
        let (mut rng, mut sampler) = (SeededRng::new(seed), self.polytope.hit_and_run(&self.center, &self.axes));
        let mut samples = Vec::with_capacity(count * self.dof());
        for index in 0..count {
            if index % SAMPLES_PER_CLOCK == 0 {
                control.check(index as u64)?;
            }
            samples.extend_from_slice(sampler.after(SAMPLE_MIXING_SWEEPS, &mut rng));
        }
        Ok(samples)
    }
}

/// Samples between two readings of the clock.
const SAMPLES_PER_CLOCK: usize = 256;

/// Samples that are drawn at once.
const MOST_REGION_SAMPLES: usize = 10_000_000;
