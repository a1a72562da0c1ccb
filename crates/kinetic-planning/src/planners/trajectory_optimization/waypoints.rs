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

    /// A path with `between` waypoints between its ends, at equal steps of length.
    pub(crate) fn along(space: &Space, path: &Trajectory, between: usize) -> Self {
        let lengths: Vec<f64> = path.segments().map(|(from, to)| space.distance(from, to)).collect();
        let step = lengths.iter().sum::<f64>() / (between + 1) as f64;
        let mut values = path.positions(0).to_vec();
        let (mut edge, mut passed) = (0, 0.0);
        for index in 1..=between {
            let at = index as f64 * step;
            while edge + 1 < lengths.len() && passed + lengths[edge] < at {
                passed += lengths[edge];
                edge += 1;
            }
            let t = if lengths[edge] > 0.0 { ((at - passed) / lengths[edge]).min(1.0) } else { 0.0 };
            let (from, to) = (path.positions(edge), path.positions(edge + 1));
            values.extend(from.iter().zip(to).map(|(from, to)| from + t * (to - from)));
        }
        values.extend_from_slice(path.positions(path.len() - 1));
        Self { dof: path.dof(), values }
    }

    /// The same shape from another start to another goal, whose distances from the ends are spread over the time between.
    pub(crate) fn with_ends(self, space: &Space, start: &[f64], goal: &[f64]) -> Self {
        let (dof, steps) = (self.dof, self.len() - 1);
        let turns = |joint: usize| space.unwrapped(joint, start[joint], self.values[joint]) - self.values[joint];
        let [from, to] = [0, steps].map(|row| -> Vec<f64> { (0..dof).map(|j| self.at(row)[j] + turns(j)).collect() });
        let mut end = vec![0.0; dof];
        space.unwrap_into(&to, goal, &mut end);
        let moved = |(index, value): (usize, &f64)| {
            let (joint, t) = (index % dof, (index / dof) as f64 / steps as f64);
            value + turns(joint) + (1.0 - t) * (start[joint] - from[joint]) + t * (end[joint] - to[joint])
        };
        let mut values: Vec<f64> = self.values.iter().enumerate().map(moved).collect();
        // Both ends are met bit for bit.
        values[..dof].copy_from_slice(start);
        values[steps * dof..].copy_from_slice(&end);
        Self { dof, values }
    }

    /// From the values of all waypoints, ends included.
    pub(crate) fn of_values(dof: usize, values: Vec<f64>) -> Self {
        Self { dof, values }
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
    pub(crate) fn into_path(self) -> Result<Trajectory> {
        let mut path = Trajectory::with_dof(self.dof);
        self.values.chunks_exact(self.dof).try_for_each(|q| path.push_waypoint(q))?;
        Ok(path)
    }
}
