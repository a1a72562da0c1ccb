//! Polytopes: what lies below all of some planes.

use kinetic_core::rng::SeededRng;
use nalgebra::{DMatrix, DVector};

/// `{ x : aᵢ · x ≤ bᵢ }`, with unit normals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polytope {
    dof: usize,
    /// One row per face.
    normals: Vec<f64>,
    offsets: Vec<f64>,
}

impl Polytope {
    /// A box.
    pub(crate) fn of_bounds(lower: &[f64], upper: &[f64]) -> Self {
        let dof = lower.len();
        let mut polytope = Self { dof, normals: Vec::new(), offsets: Vec::new() };
        for (sign, bounds) in [(1.0, upper), (-1.0, lower)] {
            for (joint, bound) in bounds.iter().enumerate() {
                let mut normal = vec![0.0; dof];
                normal[joint] = sign;
                polytope.add(&normal, sign * bound);
            }
        }
        polytope
    }

    /// From faces that were stored; normals are taken as they are.
    pub(crate) fn of_faces(dof: usize, normals: Vec<f64>, offsets: Vec<f64>) -> Self {
        Self { dof, normals, offsets }
    }

    /// Adds a face.
    pub(crate) fn add(&mut self, normal: &[f64], offset: f64) {
        self.normals.extend_from_slice(normal);
        self.offsets.push(offset);
    }

    pub(crate) fn dof(&self) -> usize {
        self.dof
    }

    /// Normals, one row per face.
    pub(crate) fn normals(&self) -> &[f64] {
        &self.normals
    }

    pub(crate) fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// The faces, each with its offset.
    pub(crate) fn faces(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.normals.chunks_exact(self.dof).zip(self.offsets.iter().copied())
    }

    /// A face with its offset.
    pub(crate) fn face(&self, index: usize) -> (&[f64], f64) {
        (&self.normals[index * self.dof..][..self.dof], self.offsets[index])
    }

    /// How far a point is beyond each face; negative for those that it is behind.
    pub(crate) fn excesses(&self, x: &[f64]) -> impl Iterator<Item = f64> {
        self.faces().map(move |(normal, offset)| dot(normal, x) - offset)
    }

    /// Whether a point is in it, its boundary included.
    pub(crate) fn contains(&self, x: &[f64]) -> bool {
        self.faces().all(|(normal, offset)| dot(normal, x) <= offset)
    }

    /// Moves faces that are as near as `touching` to one of some points inwards; false where none is.
    pub(crate) fn tighten(&mut self, points: &[Vec<f64>], touching: f64, by: f64) -> bool {
        let mut found = false;
        for (normal, offset) in self.normals.chunks_exact(self.dof).zip(&mut self.offsets) {
            if points.iter().any(|x| *offset - dot(normal, x) < touching) {
                *offset -= by;
                found = true;
            }
        }
        found
    }

    /// The faces as a matrix and a vector.
    pub(crate) fn matrices(&self) -> (DMatrix<f64>, DVector<f64>) {
        let a = DMatrix::from_row_slice(self.offsets.len(), self.dof, &self.normals);
        (a, DVector::from_column_slice(&self.offsets))
    }

    /// A sampler from a point inside.
    pub(crate) fn hit_and_run(&self, x: &[f64]) -> HitAndRun {
        let faces = self.offsets.len();
        let columns = (0..self.dof).flat_map(|joint| self.normals.iter().skip(joint).step_by(self.dof).copied());
        HitAndRun {
            columns: columns.collect(),
            offsets: self.offsets.clone(),
            x: x.to_vec(),
            room: vec![0.0; faces],
            speeds: vec![0.0; faces],
            direction: vec![0.0; self.dof],
        }
    }
}

/// Faces whose speeds are looked at together.
const RATE_LANES: usize = 8;

/// A face that is as near is touched.
const LEAST_ROOM: f64 = 1e-300;

/// Hit-and-run (Smith 1984): samples of a polytope, each a uniform one on a line of random direction through the one before.
pub(crate) struct HitAndRun {
    /// Normals of the faces, joint by joint.
    columns: Vec<f64>,
    offsets: Vec<f64>,
    x: Vec<f64>,
    /// How far the point is behind each face.
    room: Vec<f64>,
    speeds: Vec<f64>,
    direction: Vec<f64>,
}

impl HitAndRun {
    /// The point after so many steps.
    pub(crate) fn after(&mut self, steps: usize, rng: &mut SeededRng) -> &[f64] {
        // Steps change the room by what they move; from call to call nothing of their rounding is kept.
        self.room.copy_from_slice(&self.offsets);
        for (column, value) in self.columns.chunks_exact(self.room.len()).zip(&self.x) {
            self.room.iter_mut().zip(column).for_each(|(room, part)| *room -= part * value);
        }
        for _ in 0..steps {
            self.step(rng);
        }
        &self.x
    }

    fn step(&mut self, rng: &mut SeededRng) {
        rng.fill_normal(&mut self.direction);
        self.speeds.fill(0.0);
        for (column, along) in self.columns.chunks_exact(self.room.len()).zip(&self.direction) {
            self.speeds.iter_mut().zip(column).for_each(|(speed, part)| *speed += part * along);
        }
        let (low, high) = self.line();
        // Rounding may leave a point on its boundary without a line inside.
        if low < high && low.is_finite() && high.is_finite() {
            let along = rng.uniform(low, high);
            self.x.iter_mut().zip(&self.direction).for_each(|(value, part)| *value += along * part);
            self.room.iter_mut().zip(&self.speeds).for_each(|(room, speed)| *room -= along * speed);
        }
    }

    /// How far the line goes on backwards and forwards: the inverses of the largest speeds per room, found in lanes.
    fn line(&self) -> (f64, f64) {
        let (mut backwards, mut forwards) = ([0.0_f64; RATE_LANES], [0.0_f64; RATE_LANES]);
        for (speeds, rooms) in self.speeds.chunks(RATE_LANES).zip(self.room.chunks(RATE_LANES)) {
            for (lane, (speed, room)) in speeds.iter().zip(rooms).enumerate() {
                let rate = speed / if *room > LEAST_ROOM { *room } else { LEAST_ROOM };
                forwards[lane] = if rate > forwards[lane] { rate } else { forwards[lane] };
                backwards[lane] = if rate < backwards[lane] { rate } else { backwards[lane] };
            }
        }
        (1.0 / backwards.into_iter().fold(0.0, f64::min), 1.0 / forwards.into_iter().fold(0.0, f64::max))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_and_run_is_uniform_in_a_cut_box() {
        let mut polytope = Polytope::of_bounds(&[-1.0, -1.0], &[1.0, 1.0]);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        polytope.add(&[half, half], 0.0);
        let (mut rng, mut sampler, mut mean) = (SeededRng::new(8), polytope.hit_and_run(&[-0.9, -0.9]), [0.0; 2]);
        let draws = 20_000;
        for _ in 0..draws {
            let x = sampler.after(10, &mut rng);
            assert!(polytope.contains(&[x[0] * (1.0 - 1e-12), x[1] * (1.0 - 1e-12)]));
            mean = [mean[0] + x[0] / f64::from(draws), mean[1] + x[1] / f64::from(draws)];
        }
        // The triangle with corners (−1, −1), (1, −1) and (−1, 1) has its centroid at −1/3; standard errors are below 0.004.
        assert!(mean.iter().all(|value| (value + 1.0 / 3.0).abs() < 0.02), "{mean:?}");
    }
}
