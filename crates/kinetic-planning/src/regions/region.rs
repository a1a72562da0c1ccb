//! One convex region of the joint space.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Result};
use nalgebra::DMatrix;

use super::inscribed_ellipsoid::largest_ellipsoid;
use super::polytope::Polytope;

/// Sweeps of hit-and-run before a sample.
const SAMPLE_MIXING_SWEEPS: usize = 10;

/// A polytope of configurations of which nearly all are free: `{ q : A q ≤ b }` with unit normals.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexRegion {
    pub(crate) polytope: Polytope,
    seed: Vec<f64>,
    center: Vec<f64>,
    log_volume: f64,
}

impl ConvexRegion {
    pub(super) fn new(polytope: Polytope, seed: &[f64], center: &[f64], log_volume: f64) -> Self {
        Self { polytope, seed: seed.to_vec(), center: center.to_vec(), log_volume }
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
        let center = largest.center.as_slice().to_vec();
        Ok(Self::new(polytope, &center, &center, largest.log_volume()))
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

    /// The configuration that it grew around.
    pub fn seed(&self) -> &[f64] {
        &self.seed
    }

    /// Centre of the largest ellipsoid inside it.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// Logarithm of the product of the half-axes of that ellipsoid: what volumes of regions of one space are compared by.
    pub fn log_volume(&self) -> f64 {
        self.log_volume
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
    /// [`KineticError::InvalidValue`] for more than 10⁷.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<f64>> {
        if count > MOST_REGION_SAMPLES {
            return Err(KineticError::invalid("number of samples", count, format!("at most {MOST_REGION_SAMPLES}")));
        }
        let dof = self.dof();
        let directions =
            largest_ellipsoid(&self.polytope).map_or_else(|| DMatrix::identity(dof, dof), |of| of.factor.l());
        let (mut rng, mut sampler) = (SeededRng::new(seed), self.polytope.hit_and_run(&self.center, &directions));
        let mut samples = Vec::with_capacity(count * self.dof());
        for _ in 0..count {
            samples.extend_from_slice(sampler.after(SAMPLE_MIXING_SWEEPS, &mut rng));
        }
        Ok(samples)
    }
}

/// Samples that are drawn at once.
const MOST_REGION_SAMPLES: usize = 10_000_000;
