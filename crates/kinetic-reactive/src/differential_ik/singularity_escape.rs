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

/// Steps of least squares behind the one along a way, rad or m.
const FOLLOWED_STEP: f64 = 0.05;
const NUM_FOLLOWED_STEPS: usize = 8;

/// A way has to bring about so much per unit of the largest singular value; rounding and third orders are less.
const LEAST_PROGRESS: f64 = 5e-4;

/// A singularity is left where least squares bring about this part of the wish, and none where they do to begin with.
const LEFT_PART: f64 = 0.9;

/// Ways, and wishes, whose cosine is larger are the same.
const SAME_WAY_COSINE: f64 = 0.95;

/// How a search for an escape stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum EscapeSearch {
    /// There are ways left to try.
    Searching,
    /// The best way was written; the length of the wish.
    Found(f64),
    /// No way leads on, or something else is wanted by now.
    Nothing,
}

impl DifferentialIk {
    /// Begins a search for joint velocities that lead out of the singularity at which a wish is stuck; false where it is not stuck.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub(crate) fn begin_escape(&mut self, q: &[f64], wish: VelocityCommand<'_>) -> Result<bool> {
        if self.look_at(q, wish)? >= LEFT_PART {
            return Ok(false);
        }
        self.normalise_wish();
        let largest = (0..self.trials.values.len()).fold(0.0, |most, at| self.trials.values.sigma(at).max(most));
        self.trials.begin(LEAST_PROGRESS * largest);
        self.list_ways();
        Ok(true)
    }

    /// Lists what of each joint the task does not see, to either side.
    fn list_ways(&mut self) {
        let n = self.dof();
        let mut way = std::mem::take(&mut self.trials.step);
        for joint in 0..n {
            way.fill(0.0);
            way[joint] = 1.0;
            if self.trials.keep_unseen(&self.buffers.wanted, &self.options().damping, &mut way) {
                let is_new = |tried: &[f64]| dot(tried, &way).abs() < SAME_WAY_COSINE;
                if self.trials.ways.chunks_exact(n).all(is_new) {
                    self.trials.ways.extend_from_slice(&way);
                    self.trials.ways.extend(way.iter().map(|part| -part));
                }
            }
        }
        self.trials.step = way;
    }

    /// Tries one more way from where the arm is now, inside the ranges of the joints, and keeps the best in `way`. To be
    /// called until it answers that the search is over: a search at once would take many times as long as a tick may.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub(crate) fn try_escape(
        &mut self,
        q: &[f64],
        wish: VelocityCommand<'_>,
        ranges: &[[f64; 2]],
        way: &mut [f64],
    ) -> Result<EscapeSearch> {
        self.set_rows(q, wish)?;
        if !self.is_same_wish() {
            return Ok(EscapeSearch::Nothing);
        }
        if !self.trials.write_next() {
            let found = self.trials.is_found.then(|| EscapeSearch::Found(self.normalise_wish()));
            return Ok(found.unwrap_or(EscapeSearch::Nothing));
        }
        let progress = self.progress(q, wish, ranges)?;
        if progress > self.trials.most {
            (self.trials.most, self.trials.is_found) = (progress, true);
            self.trials.write_tried(way);
        }
        Ok(EscapeSearch::Searching)
    }

    /// Takes an escape on to where the arm is now; answers with the length of the wish, and `None` when the singularity is left, or the
    /// way, or where something else is wanted by now: what leads one way may lead away from another.
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
        let is_on_way = is_stuck
            && self.is_same_wish()
            && self.trials.keep_unseen(&self.buffers.wanted, &self.options().damping, way);
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

    /// Whether the wish has the direction that was kept last, or nearly.
    fn is_same_wish(&self) -> bool {
        let (wanted, kept) = (&self.buffers.wanted, &self.trials.wish);
        wanted.len() == kept.len() && dot(wanted, kept) > SAME_WAY_COSINE * dot(wanted, wanted).sqrt()
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
