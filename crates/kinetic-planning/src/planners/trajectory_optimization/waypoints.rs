//! A trajectory that is optimised: waypoints at equal steps of time from 0 to 1, both ends fixed.

use kinetic_core::{Result, Trajectory};

use crate::space::Space;

/// Waypoints, the ends included, continuous joints unwrapped from the start.
#[derive(Debug, Clone)]
pub(crate) struct Waypoints {
    dof: usize,
    values: Vec<f64>,
}

impl Waypoints {
    /// The straight line between two configurations with `between` waypoints between them.
    pub(crate) fn straight(space: &Space, start: &[f64], goal: &[f64], between: usize) -> Self {
        let (dof, steps) = (space.dof(), between + 1);
        let mut end = vec![0.0; dof];
        space.unwrap_into(start, goal, &mut end);
        let values = start.repeat(steps).into_iter().chain(end).collect();
        let ends = Self { dof, values };
        let mut straight = ends.line();
        // Both ends are met bit for bit.
        straight.values[steps * dof..].copy_from_slice(ends.at(steps));
        straight
    }

    /// The straight line between the ends, with as many waypoints.
    pub(crate) fn line(&self) -> Self {
        let (dof, steps) = (self.dof, self.len() - 1);
        let (start, end) = (self.at(0), self.at(steps));
        let between = |index: usize| {
            let t = (index / dof) as f64 / steps as f64;
            start[index % dof] + t * (end[index % dof] - start[index % dof])
        };
        Self { dof, values: (0..self.values.len()).map(between).collect() }
    }

    /// Number of joints.
    pub(crate) fn dof(&self) -> usize {
        self.dof
    }

    /// Number of waypoints, ends included.
    pub(crate) fn len(&self) -> usize {
        self.values.len() / self.dof
    }

    /// Step of time between waypoints.
    pub(crate) fn step(&self) -> f64 {
        1.0 / (self.len() - 1) as f64
    }

    /// A waypoint.
    pub(crate) fn at(&self, index: usize) -> &[f64] {
        &self.values[index * self.dof..(index + 1) * self.dof]
    }

    /// Values of the waypoints between the ends, one row each.
    pub(crate) fn inner(&self) -> &[f64] {
        &self.values[self.dof..self.values.len() - self.dof]
    }

    /// As [`inner`](Self::inner), to be changed.
    pub(crate) fn inner_mut(&mut self) -> &mut [f64] {
        let end = self.values.len() - self.dof;
        &mut self.values[self.dof..end]
    }

    /// Velocity and acceleration at a waypoint between the ends, by central differences.
    pub(crate) fn derivatives(&self, index: usize, velocity: &mut [f64], acceleration: &mut [f64]) {
        let step = self.step();
        let rows = self.at(index - 1).iter().zip(self.at(index)).zip(self.at(index + 1));
        for (((before, here), after), (velocity, acceleration)) in rows.zip(velocity.iter_mut().zip(acceleration)) {
            *velocity = (after - before) / (2.0 * step);
            *acceleration = (after - 2.0 * here + before) / (step * step);
        }
    }

    /// The edges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        self.values.chunks_exact(self.dof).zip(self.values[self.dof..].chunks_exact(self.dof))
    }

    /// The path.
    pub(super) fn into_path(self) -> Result<Trajectory> {
        let mut path = Trajectory::with_dof(self.dof);
        self.values.chunks_exact(self.dof).try_for_each(|q| path.push_waypoint(q))?;
        Ok(path)
    }
}
