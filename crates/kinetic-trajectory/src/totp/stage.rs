//! Grid intervals of a path (the stages of Pham and Pham 2018), and path constraints there.

use kinetic_core::curve::{Coefficients, MAX_DEGREE};
use kinetic_core::{Limits, Result};

use super::row::StageRow;
use super::{PathPoint, PathRow};
use crate::curve_element::CurveElement;
use crate::watch::Watch;

/// A grid interval: part of an element with one path acceleration, or a whole straight with a trapezoid.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// Index of the element.
    pub(crate) element: usize,
    /// Path parameter since the element began.
    pub(crate) offset: f64,
    /// Extent in the path parameter.
    pub(crate) length: f64,
    /// Largest squared path speed and path acceleration of a straight; infinite where rows bound them.
    pub(crate) fastest: f64,
    pub(crate) acceleration: f64,
    /// True when the motion is at rest where the stage begins.
    pub(crate) starts_at_rest: bool,
    /// Its rows in [`StageGrid::constraints`].
    pub(crate) constraints: std::ops::Range<usize>,
}

/// All stages of a path.
pub(crate) struct StageGrid<'a> {
    pub(crate) elements: &'a [CurveElement],
    /// Of each element.
    pub(crate) degrees: &'a [usize],
    pub(crate) limits: Limits,
    pub(crate) stages: Vec<Stage>,
    /// Rows of path constraints.
    pub(crate) constraints: Vec<StageRow>,
    /// Ends the search.
    pub(crate) watch: &'a Watch,
}

/// Path constraints at a point of the path, appended to the list.
pub(crate) type PathConstraints<'a> = dyn FnMut(&PathPoint<'_>, &mut Vec<PathRow>) + 'a;

impl StageGrid<'_> {
    /// A whole straight, whose path acceleration may change inside.
    pub(crate) fn push_straight(&mut self, index: usize) {
        let element = &self.elements[index];
        let per_direction = |limits: &[f64]| {
            let ratio = |(row, limit): (&Coefficients, &f64)| limit / row[1].abs();
            element.shape.iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
        };
        self.stages.push(Stage {
            element: index,
            offset: 0.0,
            length: element.length,
            fastest: per_direction(&self.limits.velocity).powi(2),
            acceleration: per_direction(&self.limits.acceleration),
            starts_at_rest: element.starts_at_rest,
            constraints: 0..0,
        });
    }

    /// A segment of an element, by its offset and length, in equal parts with one path acceleration each.
    pub(crate) fn push_bend(&mut self, index: usize, [offset, length]: [f64; 2], parts: usize) {
        let length = length / parts as f64;
        for part in 0..parts {
            let offset = offset + part as f64 * length;
            let starts_at_rest = offset == 0.0 && self.elements[index].starts_at_rest;
            let [fastest, acceleration] = [f64::INFINITY; 2];
            self.stages.push(Stage {
                element: index,
                offset,
                length,
                fastest,
                acceleration,
                starts_at_rest,
                constraints: 0..0,
            });
        }
    }

    /// Adds to every stage the rows of path constraints.
    pub(crate) fn add_constraints(&mut self, constraints: &mut PathConstraints<'_>) -> Result<()> {
        let mut stages = std::mem::take(&mut self.stages);
        for stage in &mut stages {
            let first = self.constraints.len();
            let ends = [stage.offset, stage.offset + stage.length];
            self.push_constraint_rows(&self.elements[stage.element], ends, constraints)?;
            stage.constraints = first..self.constraints.len();
        }
        self.stages = stages;
        Ok(())
    }

    /// Path constraints at both ends of a stage, with the path acceleration of the stage.
    fn push_constraint_rows(
        &mut self,
        element: &CurveElement,
        ends: [f64; 2],
        constraints: &mut PathConstraints<'_>,
    ) -> Result<()> {
        let slope = 1.0 / (2.0 * (ends[1] - ends[0]));
        let mut found = Vec::new();
        for (end, offset) in ends.into_iter().enumerate() {
            let [position, tangent, curvature] = [0, 1, 2].map(|order| {
                element.shape.iter().map(|row| kinetic_core::curve::evaluate(row, order, offset)).collect::<Vec<f64>>()
            });
            found.clear();
            let parameter = element.arc_length + offset;
            let point = PathPoint { parameter, position: &position, tangent: &tangent, curvature: &curvature };
            constraints(&point, &mut found);
            for row in &found {
                row.check()?;
                let mut factors = [-row.acceleration * slope, row.acceleration * slope];
                factors[end] += row.speed;
                self.constraints.push(StageRow::new(
                    factors[0],
                    factors[1],
                    f64::NEG_INFINITY,
                    row.limit - row.constant,
                ));
            }
        }
        Ok(())
    }
}

/// Taylor coefficients at `offset`.
#[inline]
pub(crate) fn shifted(row: &Coefficients, degree: usize, offset: f64) -> Coefficients {
    let mut local = *row;
    for lowest in 0..degree {
        for power in (lowest..degree).rev() {
            local[power] += offset * local[power + 1];
        }
    }
    local
}

/// Bernstein from power coefficients on the unit interval: `b_i = Σ_k C(i, k) / C(n, k) a_k`.
#[inline]
pub(crate) fn to_bernstein(list: &mut [f64; MAX_DEGREE], degree: usize) {
    let mut binomial = 1.0;
    for power in 1..=degree {
        binomial *= (degree + 1 - power) as f64 / power as f64;
        list[power] *= 1.0 / binomial;
    }
    for row in 1..=degree {
        for power in (row..=degree).rev() {
            list[power] += list[power - 1];
        }
    }
}
