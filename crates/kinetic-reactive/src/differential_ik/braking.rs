//! Twists with which joints can brake before a singularity.
//!
//! Towards a singularity the joint velocities for a twist grow beyond all limits, and joints that are fast there pass through it: an elbow
//! turns inside out, and the tool moves many times as fast as it should. Damping ([`SingularityDamping`](super::SingularityDamping))
//! knows nothing of accelerations. So what a twist wants along a direction that is being lost is made smaller, early enough for joints with
//! limits of acceleration; other directions keep all of it.
//!
//! Let σ be a singular value, n its unit joint velocity, c the velocity along it and g = ∂σ/∂q · n. With c = √(p a σ / |g|) the joints
//! brake by p a / 2 towards σ = 0, and accelerate by as much away from it.

use kinetic_core::{Result, Twist};

use super::front::DifferentialIk;
use super::singular_values::dot;
use super::twist_command::{TwistCommand, VelocityCommand};
use super::velocity_problem::is_at_end;

/// Step along the joints for the slope of a singular value, rad or m.
const SLOPE_STEP: f64 = 1e-4;

/// Directions with a larger singular value are not near to being lost.
const LARGEST_LOST_VALUE: f64 = 0.5;

impl DifferentialIk {
    /// Takes a wish with less along directions that are being lost, so that joints with these largest accelerations can brake before a
    /// singularity; answers with the part that the direction which gave way most has kept.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub(crate) fn slow_down(&mut self, q: &[f64], wish: VelocityCommand<'_>, accelerations: &[f64]) -> Result<f64> {
        self.take_wish(q, wish)?;
        self.leave_out_blocked()?;
        let mut kept: f64 = 1.0;
        for index in 0..self.lost.values.len() {
            let sigma = self.lost.values.sigma(index);
            if sigma == 0.0 || sigma > LARGEST_LOST_VALUE {
                continue;
            }
            let slope = self.slope(q, wish, index)?;
            let damping = self.options().damping;
            kept = kept.min(self.lost.slow_down(index, slope, accelerations, &damping));
        }
        Ok(kept)
    }

    /// Works the singular values out without joints that stand at their ends and would go further: a redundant arm has lost what they
    /// would bring about.
    fn leave_out_blocked(&mut self) -> Result<()> {
        self.set_bounds(None)?;
        let n = self.dof();
        let damping = self.options().damping;
        let Self { lost, buffers, .. } = self;
        let rows = lost.wanted.len();
        lost.q.clear();
        lost.q.resize(n, 0.0);
        lost.values.write_damped(&lost.wanted, &damping, &mut lost.q);
        let mut is_any_left_out = false;
        for (joint, velocity) in lost.q.iter().enumerate() {
            if is_at_end(*velocity, [buffers.lower[joint], buffers.upper[joint]]) {
                is_any_left_out = true;
                buffers.jacobian[..rows * n].chunks_exact_mut(n).for_each(|row| row[joint] = 0.0);
            }
        }
        if is_any_left_out {
            lost.values.decompose(&buffers.jacobian[..rows * n], n);
        }
        Ok(())
    }

    /// Takes a wish without the directions that are lost.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub(crate) fn forgo_lost(&mut self, q: &[f64], wish: VelocityCommand<'_>) -> Result<()> {
        self.take_wish(q, wish)?;
        let damping = self.options().damping;
        self.lost.forgo(&damping);
        Ok(())
    }

    fn take_wish(&mut self, q: &[f64], wish: VelocityCommand<'_>) -> Result<()> {
        let rows = self.set_rows(q, wish)?;
        let n = self.dof();
        self.lost.wanted.clear();
        self.lost.wanted.extend_from_slice(&self.buffers.wanted[..rows]);
        self.lost.values.decompose(&self.buffers.jacobian[..rows * n], n);
        Ok(())
    }

    /// A twist with what [`slow_down`](Self::slow_down) or [`forgo_lost`](Self::forgo_lost) have left of it.
    pub(crate) fn twist_as_left(&self, command: &TwistCommand<'_>) -> Twist {
        let mut twist = command.twist;
        let parts = [(command.position_mask, &mut twist.linear), (command.rotation_mask, &mut twist.angular)];
        let mut wanted = self.lost.wanted.iter();
        for (mask, vector) in parts {
            for (axis, value) in (0..3).filter(|axis| mask.has(*axis)).zip(&mut wanted) {
                vector[axis] = *value;
            }
        }
        twist
    }

    /// How fast a singular value changes along its own joint velocity.
    fn slope(&mut self, q: &[f64], wish: VelocityCommand<'_>, index: usize) -> Result<f64> {
        let n = self.dof();
        let mut moved = std::mem::take(&mut self.lost.q);
        moved.clear();
        moved.extend_from_slice(q);
        for (joint, part) in self.lost.values.right(index).iter().enumerate() {
            let variable = if q.len() == n { joint } else { self.group().variables[joint] };
            moved[variable] += SLOPE_STEP * part;
        }
        let rows = self.set_rows(&moved, wish);
        self.lost.q = moved;
        let jacobian = &self.buffers.jacobian[..rows? * n];
        let values = &self.lost.values;
        let along = |(row, left): (&[f64], &f64)| left * dot(row, values.right(index));
        let there: f64 = jacobian.chunks_exact(n).zip(values.left(index)).map(along).sum();
        Ok((there - values.sigma(index)) / SLOPE_STEP)
    }
}
