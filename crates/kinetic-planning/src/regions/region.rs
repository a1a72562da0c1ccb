//! One convex region of the joint space.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Result};

use super::polytope::Polytope;

/// Steps of hit-and-run before a sample.
const MIXING_STEPS: usize = 50;

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

    /// Configurations of it, one after the other, nearly uniform (hit-and-run).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for more than 10⁷.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<f64>> {
        if count > MOST_SAMPLES {
            return Err(KineticError::invalid("number of samples", count, format!("at most {MOST_SAMPLES}")));
        }
        let (mut rng, mut q) = (SeededRng::new(seed), self.center.clone());
        let mut samples = Vec::with_capacity(count * self.dof());
        for _ in 0..count {
            self.polytope.hit_and_run(&mut q, MIXING_STEPS, &mut rng);
            samples.extend_from_slice(&q);
        }
        Ok(samples)
    }
}

/// Samples that are drawn at once.
const MOST_SAMPLES: usize = 10_000_000;
