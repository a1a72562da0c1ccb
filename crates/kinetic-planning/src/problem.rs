//! The problem of an algorithm: space, start, goals, seed.

use std::fmt;

use kinetic_core::error::check_len;
use kinetic_core::{JointValues, KineticError, Result, Trajectory};

use crate::space::Space;

/// How far a start or goal may lie outside its bounds, rad or m: what single-precision data files lose.
pub const BOUNDS_TOLERANCE: f64 = 1e-5;

/// A start and one or more goals in a space; checked when made.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    space: &'a Space,
    start: &'a [f64],
    goals: &'a [JointValues],
    seed: u64,
    cost: Option<&'a dyn Fn(&Trajectory) -> f64>,
    warm_start: Option<&'a Trajectory>,
}

impl fmt::Debug for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (self.space, self.start, self.goals, self.seed);
        f.debug_tuple("Problem").field(&fields).finish()
    }
}

impl<'a> Problem<'a> {
    /// A problem that is solved by reaching any one of `goals`.
    ///
    /// Goals may repeat each other and may equal the start.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no goals; [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or
    /// [`KineticError::JointLimitViolation`] naming the start or the goal.
    pub fn new(space: &'a Space, start: &'a [f64], goals: &'a [JointValues], seed: u64) -> Result<Self> {
        space.check("start", start, BOUNDS_TOLERANCE)?;
        if goals.is_empty() {
            return Err(KineticError::invalid("goals", "an empty list", "at least one goal"));
        }
        for (index, goal) in goals.iter().enumerate() {
            let context = if goals.len() == 1 { "goal".to_owned() } else { format!("goal {index}") };
            space.check(&context, goal, BOUNDS_TOLERANCE)?;
        }
        Ok(Self { space, start, goals, seed, cost: None, warm_start: None })
    }

    /// The same problem, for anytime planners that make another cost small than the length of the path.
    #[must_use]
    pub fn with_cost(self, cost: &'a dyn Fn(&Trajectory) -> f64) -> Self {
        Self { cost: Some(cost), ..self }
    }

    /// The same problem, for planners that start from trajectories, with one of at least two waypoints that they start from first.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] for less than two waypoints.
    pub fn with_warm_start(self, path: &'a Trajectory) -> Result<Self> {
        check_warm_start(path, self.space.dof())?;
        Ok(Self { warm_start: Some(path), ..self })
    }

    /// The same problem with another seed.
    #[must_use]
    pub(crate) fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// What an anytime planner makes small: the length in the metric of the space, unless another cost was given.
    pub fn cost(&self, path: &Trajectory) -> f64 {
        self.cost.map_or_else(|| self.space.path_length(path), |cost| cost(path))
    }

    /// Whether the cost is the length, of which the space gives lower bounds.
    pub fn costs_length(&self) -> bool {
        self.cost.is_none()
    }

    /// What planners that start from trajectories start from first.
    pub fn warm_start(&self) -> Option<&'a Trajectory> {
        self.warm_start
    }

    /// The space.
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// Where the path begins.
    pub fn start(&self) -> &'a [f64] {
        self.start
    }

    /// Where it may end.
    pub fn goals(&self) -> &'a [JointValues] {
        self.goals
    }

    /// Seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Indices of the goals, nearest to the start first, equal ones in the order given; a goal equivalent to an
    /// earlier one is left out.
    pub fn goals_by_distance(&self) -> Vec<usize> {
        let distance = |index: &usize| self.space.distance(self.start, &self.goals[*index]);
        let mut order: Vec<usize> = (0..self.goals.len()).collect();
        order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let mut distinct: Vec<usize> = Vec::with_capacity(order.len());
        for index in order {
            let repeats = |kept: &usize| self.space.distance(&self.goals[*kept], &self.goals[index]) == 0.0;
            if !distinct.iter().any(repeats) {
                distinct.push(index);
            }
        }
        distinct
    }
}

/// Refuses a path that no trajectory can start from.
///
/// # Errors
/// As [`Problem::with_warm_start`].
pub(crate) fn check_warm_start(path: &Trajectory, dof: usize) -> Result<()> {
    check_len("waypoints of warm_start", path.dof(), dof)?;
    if path.len() < 2 {
        return Err(KineticError::invalid("warm_start", format!("{} waypoints", path.len()), "at least two waypoints"));
    }
    Ok(())
}
