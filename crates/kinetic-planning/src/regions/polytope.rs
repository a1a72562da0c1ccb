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

    /// A sampler from a point inside, along the columns of a regular matrix: best those of a factor of an ellipsoid like the polytope.
    pub(crate) fn hit_and_run(&self, x: &[f64], directions: &DMatrix<f64>) -> HitAndRun<'_> {
        let speeds: Vec<f64> = directions
            .column_iter()
            .flat_map(|direction| self.faces().map(move |(normal, _)| dot(normal, direction.as_slice())))
            .collect();
        HitAndRun {
            polytope: self,
            directions: directions.as_slice().to_vec(),
            speeds,
            x: x.to_vec(),
            room: vec![0.0; self.offsets.len()],
        }
    }
}

/// Faces whose speeds are looked at together.
const RATE_LANES: usize = 8;

/// A face that is as near is touched.
const LEAST_ROOM: f64 = 1e-300;

/// Coordinate hit-and-run (Smith, Operations Research 1984; Emiris and Fisikopoulos, ACM TOMS 2018): samples of a polytope, each step a
/// uniform one on a line through the one before. The lines take a few fixed directions by turns, so that what a step meets of the faces is
/// known before: no step multiplies a matrix.
pub(crate) struct HitAndRun<'a> {
    polytope: &'a Polytope,
    /// One after the other.
    directions: Vec<f64>,
    /// For each direction, how fast it leads towards each face.
    speeds: Vec<f64>,
    x: Vec<f64>,
    /// How far the point is behind each face.
    room: Vec<f64>,
}

impl HitAndRun<'_> {
    /// The point after so many steps along each direction.
    pub(crate) fn after(&mut self, sweeps: usize, rng: &mut SeededRng) -> &[f64] {
        // Steps change the room by what they move; from call to call nothing of their rounding is kept.
        let excesses = self.polytope.excesses(&self.x);
        self.room.iter_mut().zip(excesses).for_each(|(room, excess)| *room = -excess);
        let (dof, faces) = (self.x.len(), self.room.len());
        for _ in 0..sweeps {
            for (direction, speeds) in self.directions.chunks_exact(dof).zip(self.speeds.chunks_exact(faces)) {
                let (low, high) = line(speeds, &self.room);
                // Rounding may leave a point on its boundary without a line inside.
                if low < high && low.is_finite() && high.is_finite() {
                    let along = rng.uniform(low, high);
                    self.x.iter_mut().zip(direction).for_each(|(value, part)| *value += along * part);
                    self.room.iter_mut().zip(speeds).for_each(|(room, speed)| *room -= along * speed);
                }
            }
        }
        &self.x
    }
}

/// How far a line goes on backwards and forwards: the inverses of the largest speeds per room, found in lanes.
fn line(speeds: &[f64], room: &[f64]) -> (f64, f64) {
    let (mut backwards, mut forwards) = ([0.0_f64; RATE_LANES], [0.0_f64; RATE_LANES]);
    for (speeds, rooms) in speeds.chunks(RATE_LANES).zip(room.chunks(RATE_LANES)) {
        for (lane, (speed, room)) in speeds.iter().zip(rooms).enumerate() {
            let rate = speed / if *room > LEAST_ROOM { *room } else { LEAST_ROOM };
            forwards[lane] = if rate > forwards[lane] { rate } else { forwards[lane] };
            backwards[lane] = if rate < backwards[lane] { rate } else { backwards[lane] };
        }
    }
    (1.0 / backwards.into_iter().fold(0.0, f64::min), 1.0 / forwards.into_iter().fold(0.0, f64::max))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use super::*;

    #[test]
    fn samples_are_uniform_in_a_cut_box() {
        let mut polytope = Polytope::of_bounds(&[-1.0, -1.0], &[1.0, 1.0]);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        polytope.add(&[half, half], 0.0);
        let directions = DMatrix::identity(2, 2);
        let (mut rng, mut sampler, mut mean) =
            (SeededRng::new(8), polytope.hit_and_run(&[-0.9, -0.9], &directions), [0.0; 2]);
        let draws = 20_000;
        for _ in 0..draws {
            let x = sampler.after(5, &mut rng);
            assert!(polytope.contains(&[x[0] * (1.0 - 1e-12), x[1] * (1.0 - 1e-12)]));
            mean = [mean[0] + x[0] / f64::from(draws), mean[1] + x[1] / f64::from(draws)];
        }
        // The triangle with corners (−1, −1), (1, −1) and (−1, 1) has its centroid at −1/3; standard errors are below 0.004.
        assert!(mean.iter().all(|value| (value + 1.0 / 3.0).abs() < 0.02), "{mean:?}");
    }

    #[test]
    fn samples_of_a_thin_box_that_is_askew_spread_along_it_within_two_sweeps() {
        // The image of the unit cube under a matrix of condition 10⁴: its samples have the second moments M Mᵀ / 3.
        let matrix = DMatrix::from_row_slice(3, 3, &[1.0, 0.3, 0.01, 0.9, 0.4, 0.0, 1.1, 0.2, -0.01]);
        let inverse = matrix.clone().try_inverse().unwrap();
        let mut polytope = Polytope::of_faces(3, Vec::new(), Vec::new());
        for row in inverse.row_iter() {
            let normal: Vec<f64> = row.iter().map(|value| value / row.norm()).collect();
            polytope.add(&normal, 1.0 / row.norm());
            polytope.add(&normal.iter().map(|value| -value).collect::<Vec<_>>(), 1.0 / row.norm());
        }
        let (mut rng, mut sampler) = (SeededRng::new(9), polytope.hit_and_run(&[0.0; 3], &matrix));
        let draws = 20_000;
        let (mut moments, mut successive) = (DMatrix::zeros(3, 3), DMatrix::zeros(3, 3));
        let mut last = DVector::zeros(3);
        for _ in 0..draws {
            let next = &inverse * DVector::from_column_slice(sampler.after(2, &mut rng));
            moments += &next * next.transpose() / f64::from(draws);
            successive += &next * last.transpose() / f64::from(draws);
            last = next;
        }
        let uniform = DMatrix::identity(3, 3) / 3.0;
        assert!((&moments - uniform).amax() < 0.02, "{moments}");
        assert!(successive.amax() < 0.02, "samples depend on those before them: {successive}");
    }
}
