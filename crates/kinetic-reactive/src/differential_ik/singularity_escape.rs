//! Escapes from singularities.
//!
//! At a singularity a direction of the task is lost: no joint velocity leads along it, and where that is all that is wanted, damped least
//! squares stand still for ever. Still a motion of the joints that the task does not see there may lead on, in one of two ways. It
//! moves the tool in second order: an arm that is stretched out draws the tool in when its elbow bends, to either side. Or it turns the lost
//! direction away from what is wanted, as the outer axes of a wrist do that turn against each other. Some singularities have no escape:
//! what a stretched arm gains by bending, before it reaches out farther, it has lost by that. Bedrossian 1990, "Classification of singular
//! configurations for redundant manipulators", has conditions in derivatives, which vanish where two singularities meet; here motions are
//! tried: a step along each, then some of damped least squares, and what counts is how much of the wish came of it at best.

use kinetic_core::Result;

use super::front::DifferentialIk;
use super::singular_values::dot;
use super::twist_command::VelocityCommand;

/// The step along a way, and those of least squares behind it, rad or m.
const STEP: f64 = 0.1;
const FOLLOWED_STEP: f64 = 0.05;
const NUM_FOLLOWED_STEPS: usize = 8;

/// A way has to bring about so much per unit of the largest singular value; rounding and third orders are less.
const LEAST_PROGRESS: f64 = 5e-4;

/// A singularity is left where least squares bring about this part of the wish, and none where they do to begin with.
const LEFT_PART: f64 = 0.9;

/// Ways whose cosine is larger are the same.
const SAME_WAY_COSINE: f64 = 0.95;

impl DifferentialIk {
    /// Writes unit joint velocities that lead out of the singularity at which a wish is stuck, inside the ranges of the joints; answers
    /// with the length of the wish, and `None` where none do, or where the wish is not stuck.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub(crate) fn find_escape(
        &mut self,
        q: &[f64],
        wish: VelocityCommand<'_>,
        ranges: &[[f64; 2]],
        way: &mut [f64],
    ) -> Result<Option<f64>> {
        if self.look_at(q, wish)? >= LEFT_PART {
            return Ok(None);
        }
        let n = self.dof();
        let length = self.normalise_wish();
        self.trials.ways.clear();
        for joint in 0..n {
            way.fill(0.0);
            way[joint] = 1.0;
            if self.trials.keep_unseen(&self.buffers.wanted, &self.options().damping, way) {
                let is_new = |tried: &[f64]| dot(tried, way).abs() < SAME_WAY_COSINE;
                if self.trials.ways.chunks_exact(n).all(is_new) {
                    self.trials.ways.extend_from_slice(way);
                }
            }
        }
        let ways = std::mem::take(&mut self.trials.ways);
        let mut most =
            LEAST_PROGRESS * (0..self.trials.values.len()).fold(0.0, |most, at| self.trials.values.sigma(at).max(most));
        let mut is_found = false;
        for (tried, sign) in ways.chunks_exact(n).flat_map(|tried| [(tried, 1.0), (tried, -1.0)]) {
            self.trials.step.iter_mut().zip(tried).for_each(|(step, part)| *step = sign * STEP * part);
            let progress = self.progress(q, wish, ranges)?;
            if progress > most {
                (most, is_found) = (progress, true);
                way.iter_mut().zip(tried).for_each(|(way, part)| *way = sign * part);
            }
        }
        self.trials.ways = ways;
        Ok(is_found.then_some(length))
    }

    /// Takes an escape on to where the arm is now; answers with the length of the wish, and `None` when the singularity is left, or the
    /// way.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub(crate) fn follow_escape(
        &mut self,
        q: &[f64],
        wish: VelocityCommand<'_>,
        way: &mut [f64],
    ) -> Result<Option<f64>> {
        let is_stuck = self.look_at(q, wish)? < LEFT_PART;
        let is_on_way = is_stuck && self.trials.keep_unseen(&self.buffers.wanted, &self.options().damping, way);
        Ok(is_on_way.then(|| self.normalise_wish()))
    }

    /// Takes the rows of a wish and their singular values; answers with the part of it that damped least squares bring about.
    fn look_at(&mut self, q: &[f64], wish: VelocityCommand<'_>) -> Result<f64> {
        self.set_rows(q, wish)?;
        Ok(self.damped())
    }

    fn damped(&mut self) -> f64 {
        let n = self.dof();
        self.trials.values.decompose(&self.buffers.jacobian[..self.buffers.wanted.len() * n], n);
        let damping = self.options().damping;
        self.trials.damped(&self.buffers.wanted, &damping)
    }

    /// Keeps the direction of the wish; answers with its length.
    fn normalise_wish(&mut self) -> f64 {
        let wanted = &self.buffers.wanted;
        let norm = dot(wanted, wanted).sqrt();
        self.trials.wish.clear();
        self.trials.wish.extend(wanted.iter().map(|wanted| wanted / norm));
        norm
    }

    /// How much of the wish comes of a step and what least squares make of it, at best.
    fn progress(&mut self, q: &[f64], wish: VelocityCommand<'_>, ranges: &[[f64; 2]]) -> Result<f64> {
        let mut at = std::mem::take(&mut self.trials.q);
        at.clear();
        at.extend_from_slice(q);
        let progress = self.progress_from(&mut at, wish, ranges);
        self.trials.q = at;
        progress
    }

    fn progress_from(&mut self, at: &mut [f64], wish: VelocityCommand<'_>, ranges: &[[f64; 2]]) -> Result<f64> {
        let n = self.dof();
        self.set_rows(at, wish)?;
        let (mut sum, mut most) = (0.0, f64::NEG_INFINITY);
        for _ in 0..=NUM_FOLLOWED_STEPS {
            let before = self.along_wish();
            for joint in 0..n {
                let variable = if at.len() == n { joint } else { self.group().variables[joint] };
                at[variable] += self.trials.step[joint];
                let [low, high] = ranges[joint];
                if self.trials.step[joint] != 0.0 && !(low..=high).contains(&at[variable]) {
                    return Ok(most);
                }
            }
            self.set_rows(at, wish)?;
            // The trapezoidal rule has the second order of the motion.
            sum += 0.5 * (before + self.along_wish());
            most = f64::max(most, sum);
            self.damped();
            let norm = dot(&self.trials.step, &self.trials.step).sqrt();
            if norm == 0.0 {
                break;
            }
            for step in &mut self.trials.step {
                *step *= FOLLOWED_STEP / norm;
            }
        }
        Ok(most)
    }

    /// What a step brings about of the wish by the rows where it is.
    fn along_wish(&self) -> f64 {
        let rows = self.buffers.jacobian.chunks_exact(self.dof());
        rows.zip(&self.trials.wish).map(|(row, wish)| wish * dot(row, &self.trials.step)).sum()
    }
}
