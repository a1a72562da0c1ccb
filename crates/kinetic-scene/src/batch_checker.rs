//! Batch interface of collision checking: verdicts, distances and gradients of many configurations in one call.
//!
//! Optimisers and sampling-based controllers are written against [`BatchCollisionChecker`] and do not name the device. The
//! implementation of this crate is [`Checker`], whose distances are exact. Checkers of bounding geometry have lower bounds of
//! them, by which they may refuse configurations that are free.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

use crate::checker::Checker;

/// Collision checks of batches of configurations, which lie row after row in one slice.
///
/// # Laws
/// - Row `i` of every result depends on row `i` of the configurations alone.
/// - Where the slack is positive the configuration is free.
/// - A configuration has the verdict "free" exactly where its slack is positive.
/// - The gradient is that of the slack with respect to the joint values, except on the set of measure zero where two pairs
///   have the same slack.
pub trait BatchCollisionChecker {
    /// Length of a configuration.
    fn dof(&self) -> usize;

    /// Writes for each configuration whether every pair keeps its required clearance.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] unless there is one result per whole row; [`KineticError::NotFinite`].
    fn free_into(&mut self, configurations: &[f64], free: &mut [bool]) -> Result<()>;

    /// Writes the least slack of each configuration, m: signed distance minus required clearance of the tightest pair;
    /// infinite where nothing can touch.
    ///
    /// # Errors
    /// As [`free_into`](Self::free_into).
    fn slacks_into(&mut self, configurations: &[f64], slacks: &mut [f64]) -> Result<()>;

    /// As [`slacks_into`](Self::slacks_into), with the gradients (one row of [`dof`](Self::dof) values per configuration, m/rad
    /// or m/m); 0 where nothing can touch.
    ///
    /// # Errors
    /// As [`free_into`](Self::free_into).
    fn gradients_into(&mut self, configurations: &[f64], slacks: &mut [f64], gradients: &mut [f64]) -> Result<()>;
}

impl BatchCollisionChecker for Checker {
    fn dof(&self) -> usize {
        Self::dof(self)
    }

    fn free_into(&mut self, configurations: &[f64], free: &mut [bool]) -> Result<()> {
        check_rows(self, configurations, free.len())?;
        self.are_free_into(configurations, free);
        Ok(())
    }

    fn slacks_into(&mut self, configurations: &[f64], slacks: &mut [f64]) -> Result<()> {
        check_rows(self, configurations, slacks.len())?;
        for (q, slack) in rows(configurations, Self::dof(self)).zip(slacks) {
            *slack = self.tightest(q).map_or(f64::INFINITY, |(_, slack)| slack);
        }
        Ok(())
    }

    fn gradients_into(&mut self, configurations: &[f64], slacks: &mut [f64], gradients: &mut [f64]) -> Result<()> {
        let dof = Self::dof(self);
        check_rows(self, configurations, slacks.len())?;
        check_len("gradients of a batch", gradients.len(), configurations.len())?;
        for ((q, slack), gradient) in rows(configurations, dof).zip(slacks).zip(gradients.chunks_exact_mut(dof.max(1)))
        {
            *slack = self.slack_gradient(q, gradient);
        }
        Ok(())
    }
}

impl Checker {
    /// The least slack at `q`; its derivative goes to `gradient`.
    fn slack_gradient(&mut self, q: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let Some((item, slack)) = self.tightest(q) else { return f64::INFINITY };
        if let Some(separation) = self.tiers.exact.separation(item, f64::INFINITY) {
            self.tiers.exact.distance_gradient(item, &separation, gradient);
        }
        slack
    }
}

fn rows(configurations: &[f64], dof: usize) -> impl Iterator<Item = &[f64]> {
    configurations.chunks_exact(dof.max(1))
}

fn check_rows(checker: &Checker, configurations: &[f64], results: usize) -> Result<()> {
    let dof = Checker::dof(checker);
    if configurations.len() != results * dof {
        return Err(KineticError::DimensionMismatch {
            context: format!("batch of configurations of group \"{}\"", checker.group()),
            expected: format!("{} ({results} rows of {dof})", results * dof),
            got: configurations.len(),
        });
    }
    check_finite("configurations", configurations)
}
