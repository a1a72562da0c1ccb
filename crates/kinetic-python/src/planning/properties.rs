//! `Planner`: its options.

use std::sync::PoisonError;

use kinetic::core::config::PlannerOption;
use kinetic::core::{KineticError, Minimise, Prefer, Projection, Refine, StateCost};
use pyo3::prelude::*;

use crate::convert::{Array, Dict};
use crate::dynamics::payload::PyPayload;
use crate::error::Result;
use crate::planning::PyPlanner;
use crate::planning::constraint::{PyConstraint, listed};
use crate::planning::options::FlagOrName;
use crate::robot::PyRobot;
use crate::scene::PyScene;

#[pymethods]
impl PyPlanner {
    /// Name of the planner that `planner_type` stands for.
    #[getter]
    fn planner_used(&self) -> &'static str {
        self.planner_type.resolved_for(&self.config).id()
    }

    /// `"length"` or `"time"`, what the whole budget is used to make small, or None.
    #[getter]
    fn minimise(&self) -> Option<&'static str> {
        self.config.minimise.map(Minimise::name)
    }

    /// The robot.
    #[getter]
    fn robot(&self, py: Python<'_>) -> Py<PyRobot> {
        self.robot.clone_ref(py)
    }

    /// The scene that was given, or None.
    #[getter]
    fn scene(&self, py: Python<'_>) -> Option<Py<PyScene>> {
        self.scene.as_ref().map(|scene| scene.clone_ref(py))
    }

    /// The planning group.
    #[getter]
    fn group(&self) -> &str {
        &self.group
    }

    /// The planner that was asked for.
    #[getter]
    fn planner_type(&self) -> &'static str {
        self.planner_type.id()
    }

    /// Time budget, s.
    #[getter]
    fn timeout(&self) -> f64 {
        self.config.timeout
    }

    /// Iteration budget; None for no limit.
    #[getter]
    fn max_iterations(&self) -> Option<u64> {
        (self.config.max_iterations != u64::MAX).then_some(self.config.max_iterations)
    }

    /// Distance to keep from the world, m.
    #[getter]
    fn collision_margin(&self) -> f64 {
        self.config.collision_margin
    }

    /// Distance to keep between links of the robot, m.
    #[getter]
    fn self_margin(&self) -> f64 {
        self.config.self_margin
    }

    /// Whether the corners of the path are cut.
    #[getter]
    fn smooth(&self) -> bool {
        self.config.smooth
    }

    /// Attempts of the random shortcut.
    #[getter]
    fn shortcut_iterations(&self) -> usize {
        self.config.shortcut_iterations
    }

    /// Lowest and highest corner (2, 3) of the box that the tool's origin stays in, or None.
    #[getter]
    fn workspace_bounds<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        let corners = self.config.workspace_bounds.map(|bounds| [bounds.min, bounds.max]);
        corners.map(|corners| Array::new(py, &[2, 3], corners.as_flattened())).transpose()
    }

    /// How much one radian or metre of each joint counts in distances and lengths (dof,).
    #[getter]
    fn joint_weights<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.now(py)?.joint_weights()?)
    }

    /// Whether timed motions keep the effort limits of the robot's description.
    #[getter]
    fn torque_limits(&self) -> bool {
        self.config.torque_limits
    }

    /// What the robot carries, for its torques, or None.
    #[getter]
    fn payload(&self) -> Option<PyPayload> {
        self.config.payload.clone().map(PyPayload)
    }

    /// Gravity (3,) in the axes of the root link for the torques, m/s², or None for that of the Earth along −z.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        stated(py, self.config.gravity.as_ref().map(<[f64; 3]>::as_slice))
    }

    /// Hash of the dynamics that bounds on torques are proven for now, as `Certificate.dynamics` has it; None without
    /// `torque_limits`.
    ///
    /// Raises:
    ///     InputError: A robot whose description states no masses or effort limits.
    #[getter]
    fn dynamics_version(&self, py: Python<'_>) -> Result<Option<String>> {
        Ok(self.now(py)?.dynamics_version()?.map(|version| version.to_string()))
    }

    /// Conditions that every motion keeps.
    #[getter]
    fn constraints(&self) -> Vec<PyConstraint> {
        listed(&self.config.constraints)
    }

    /// Whether a start that does not keep the constraints is projected onto them.
    #[getter]
    fn project_start(&self) -> bool {
        self.config.project_start
    }

    /// Planners that follow the one that was asked for.
    #[getter]
    fn fallback(&self) -> Vec<String> {
        self.config.fallback.clone()
    }

    /// Largest change of a joint by which a start that is not valid is moved, rad or m.
    #[getter]
    fn fix_start(&self) -> f64 {
        self.config.fix_start
    }

    /// `"distance"`, `"time"` or `"clearance"`, what is preferred of the configurations that meet a goal, or None.
    #[getter]
    fn prefer(&self) -> Option<&'static str> {
        self.config.prefer.map(Prefer::name)
    }

    /// `"tool"`, `"joints"` or `"random"`, what the planner "kpiece" projects onto, or None.
    #[getter]
    fn projection(&self) -> Option<&'static str> {
        self.config.projection.map(Projection::name)
    }

    /// What the planners "bitrrt" and "stomp" avoid: `"clearance"`, `"joint_centring"`, `"manipulability"`, `"torque"`, or `"function"`
    /// for one of the caller's own; None where nothing was stated.
    #[getter]
    fn state_cost(&self) -> Option<&'static str> {
        self.config.state_cost.as_ref().map(StateCost::name)
    }

    /// What shortens timed motions after their path was found: "trajopt", or None.
    #[getter]
    fn refine(&self) -> Option<&'static str> {
        self.config.refine.map(Refine::name)
    }

    /// Initial trajectories that the planners "chomp", "stomp" and "trajopt" try; None until the budget ends.
    #[getter]
    fn num_seeds(&self) -> Option<u64> {
        self.config.num_seeds
    }

    /// Whether the planners "prm" and "prm_star" look at edges of their roadmap only when a path needs them, and not when they are made.
    #[getter]
    fn lazy_roadmap(&self) -> bool {
        self.config.lazy_roadmap
    }

    /// Whether the planner `gcs` solves the convex relaxation of its whole graph as well.
    #[getter]
    fn convex_relaxation(&self) -> bool {
        self.config.convex_relaxation
    }

    /// Whether the planners of `fallback` run at the same time: True for the best answer, "first" for the first one.
    #[getter]
    fn race(&self) -> Result<FlagOrName> {
        Ok(FlagOrName(PlannerOption::of_name("race")?.get(&self.config)))
    }

    /// Factor of the velocity limits.
    #[getter]
    fn velocity_scaling(&self) -> f64 {
        self.config.limits.velocity_scaling
    }

    /// Factor of the acceleration limits.
    #[getter]
    fn acceleration_scaling(&self) -> f64 {
        self.config.limits.acceleration_scaling
    }

    /// Largest speed of each joint that was stated instead of the robot's, or None.
    #[getter]
    fn velocity_limits<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        stated(py, self.config.limits.velocity.as_deref())
    }

    /// Largest acceleration of each joint that was stated instead of the robot's, or None.
    #[getter]
    fn acceleration_limits<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        stated(py, self.config.limits.acceleration.as_deref())
    }

    /// Largest jerk of each joint that was stated instead of the robot's, or None.
    #[getter]
    fn jerk_limits<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        stated(py, self.config.limits.jerk.as_deref())
    }

    /// The limits that motions keep (dof,): a dict of `velocity`, `acceleration` and `jerk` (None where jerk is free), with
    /// the factors in them.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        Dict::limits(py, &self.now(py)?.limits()?)
    }

    /// Figures of the last plan; empty before the first and after one that failed.
    ///
    /// Times in s: `planning_time`, `simplification_time`, `verification_time`, `refinement_time`; `unrefined_duration`, that of the
    /// motion that was shortened, None where none was. Lengths, Euclidean in joint space with
    /// `joint_weights`: `raw_length`, `path_length`; `lower_bound` of `raw_length` among the paths that `gcs` can find, None where that
    /// is not known, as with joints without limits; with `minimise="time"` one of the time under limits of velocity, s. Counts: `iterations`, `tree_size`, `checks`. Also `goal_index` (which goal of a set
    /// was reached), `goal_turns` (by how many full turns each joint ends away from the values of a joint goal or a named
    /// one; empty for other goals), `planner_used`, `chosen_by_clock` (whether time ended a planner of `fallback` that the path
    /// is not of, or whichever came first was taken, so that another machine may choose otherwise), `passed_over` (the planners of
    /// `fallback` that have no answer: pairs of name and reason, also what a planner in Python raised) and `scene_version`.
    #[getter]
    fn last_stats<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let dict = Dict::new(py);
        let Some(last) = last else {
            return Ok(dict);
        };
        let why = |(planner, error): &(&'static str, KineticError)| (*planner, error.to_string());
        let passed_over: Vec<_> = last.passed_over.iter().map(why).collect();
        Ok(dict
            .with("planning_time", last.planning_time)?
            .with("simplification_time", last.simplification_time)?
            .with("verification_time", last.verification_time)?
            .with("refinement_time", last.refinement_time)?
            .with("unrefined_duration", last.unrefined_duration)?
            .with("goal_index", last.goal_index)?
            .with("goal_turns", last.goal_turns)?
            .with("iterations", last.iterations)?
            .with("tree_size", last.tree_size)?
            .with("checks", last.checks)?
            .with("raw_length", last.raw_length)?
            .with("path_length", last.path_length)?
            .with("lower_bound", last.lower_bound)?
            .with("planner_used", last.planner_used)?
            .with("chosen_by_clock", last.chosen_by_clock)?
            .with("passed_over", passed_over)?
            .with("scene_version", last.scene_version.to_string())?)
    }

    /// Seed of everything random.
    #[getter]
    fn rng_seed(&self) -> u64 {
        self.config.seed
    }
}

fn stated<'py>(py: Python<'py>, values: Option<&[f64]>) -> Result<Option<Array<'py>>> {
    values.map(|values| Array::vector(py, values)).transpose()
}
