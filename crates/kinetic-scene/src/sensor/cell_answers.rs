//! Which cells of a grid lie within a distance of bodies: one question per cell decides about most points of a picture.

use kinetic_collision::Aabb;
use nalgebra::{Point3, Vector3};

/// Edge of a cell at least, m.
const SMALLEST_EDGE_M: f64 = 0.01;

/// Edge of a coarse cell, in fine ones.
const COARSE_EDGE: f64 = 4.0;

/// Fine cells at most.
const MOST_CELLS: f64 = (1 << 20) as f64;

/// What the half diagonal of a cell is enlarged by, m, and for each m of the coordinates: more than the rounding of distances and places.
const ROUNDING: (f64, f64) = (1e-9, 1e-14);

/// What is known of the places in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellAnswer {
    /// All are within the distance.
    On,
    /// None is.
    Off,
    /// Each has to be asked for.
    Both,
}

/// Answers for the cells of two grids over a box, found when they are asked for: the fine cells where a coarse one does not decide.
pub(super) struct CellAnswers([AnsweredGrid; 2]);

struct AnsweredGrid {
    low: Point3<f64>,
    edge: f64,
    /// No place in a cell is farther from its middle, m.
    half_diagonal: f64,
    counts: [usize; 3],
    answers: Vec<Option<CellAnswer>>,
}

impl CellAnswers {
    /// Grids over a box; `None` for one that is not finite.
    pub(super) fn over(bounds: &Aabb) -> Option<Self> {
        let size = bounds.size();
        if !size.iter().chain(bounds.min.iter()).all(|value| value.is_finite()) {
            return None;
        }
        let count = |edge: f64| size.map(|length| (length / edge).floor() + 1.0).product();
        let mut edge = SMALLEST_EDGE_M;
        while count(edge) > MOST_CELLS {
            edge *= 1.25;
        }
        Some(Self([COARSE_EDGE * edge, edge].map(|edge| AnsweredGrid::over(bounds, edge))))
    }

    /// What is known of the cell of a point inside the box. `is_within(place, grown)` says whether a place is within the distance,
    /// enlarged by `grown`, which may be negative.
    pub(super) fn of(&mut self, point: &Point3<f64>, is_within: impl Fn(&Point3<f64>, f64) -> bool) -> CellAnswer {
        let [coarse, fine] = &mut self.0;
        match coarse.of(point, &is_within) {
            CellAnswer::Both => fine.of(point, &is_within),
            answer => answer,
        }
    }
}

impl AnsweredGrid {
    fn over(bounds: &Aabb, edge: f64) -> Self {
        #[expect(clippy::cast_sign_loss, reason = "sizes are not negative")]
        let counts = bounds.size().data.0[0].map(|length| (length / edge) as usize + 1);
        let farthest = bounds.min.coords.amax().max(bounds.max.coords.amax());
        let half_diagonal = edge * 0.75_f64.sqrt() + ROUNDING.0 + ROUNDING.1 * farthest;
        Self { low: bounds.min, edge, half_diagonal, counts, answers: vec![None; counts.iter().product()] }
    }

    fn of(&mut self, point: &Point3<f64>, is_within: &impl Fn(&Point3<f64>, f64) -> bool) -> CellAnswer {
        let cell = self.cell(point);
        let index = (cell[0] * self.counts[1] + cell[1]) * self.counts[2] + cell[2];
        if let Some(answer) = self.answers[index] {
            return answer;
        }
        let middle = self.low + Vector3::from(cell.map(|number| (number as f64 + 0.5) * self.edge));
        // Distances grow no faster than places move.
        let answer = if !is_within(&middle, self.half_diagonal) {
            CellAnswer::Off
        } else if is_within(&middle, -self.half_diagonal) {
            CellAnswer::On
        } else {
            CellAnswer::Both
        };
        self.answers[index] = Some(answer);
        answer
    }

    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    fn cell(&self, point: &Point3<f64>) -> [usize; 3] {
        let along = (point - self.low) / self.edge;
        std::array::from_fn(|axis| (along[axis] as usize).min(self.counts[axis] - 1))
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    #[test]
    fn answers_are_those_of_each_point() {
        for (seed, scale) in [(1, 0.1), (2, 0.7), (3, 30.0), (4, 1e5)] {
            let mut rng = SeededRng::new(seed);
            let center = Point3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), 0.5) * scale;
            let (radius, mut counts) = (0.4 * scale, [0; 3]);
            let is_within = |point: &Point3<f64>, grown: f64| (point - center).norm() <= radius + grown;
            let bounds = Aabb::from_points(&[center.map(|v| v - radius), center.map(|v| v + radius)]).expect("points");
            let mut cells = CellAnswers::over(&bounds).expect("a finite box");
            for _ in 0..50_000 {
                let direction = Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0)).normalize();
                // Most near the surface.
                let part = if rng.below(4) == 0 { rng.uniform(0.0, 1.0) } else { rng.uniform(0.97, 1.02) };
                let point = center + direction * radius * part;
                if bounds.distance_squared(&point) > 0.0 {
                    continue;
                }
                let answer = cells.of(&point, is_within);
                counts[answer as usize] += 1;
                let is_on = is_within(&point, 0.0);
                assert!(answer == CellAnswer::Both || (answer == CellAnswer::On) == is_on, "seed {seed}: {point}");
            }
            assert!(scale < 0.5 || counts.iter().all(|count| *count > 500), "{counts:?}");
        }
    }

    #[test]
    fn boxes_without_end_have_no_grid() {
        for end in [f64::INFINITY, f64::MAX] {
            let bounds = Aabb { min: Point3::from([-end; 3]), max: Point3::from([end; 3]) };
            assert!(CellAnswers::over(&bounds).is_none());
        }
        let flat = Aabb { min: Point3::origin(), max: Point3::new(1e300, 0.0, 1e-300) };
        assert!(CellAnswers::over(&flat).is_some());
    }
}
