//! `Planner`: what pickle stores.

use kinetic::core::config::WorkspaceBounds;
use kinetic::core::{Minimise, MotionLimits, PlannerConfig};
use pyo3::prelude::*;

use crate::convert::{Rebuild, Text, rebuild};
use crate::error::Result;
use crate::planning::PyPlanner;
use crate::robot::PyRobot;
use crate::scene::PyScene;

/// Time budget and margins.
type Budgets = (f64, f64, f64);
/// Iterations, shortcuts, seed, whether paths are smoothed.
type Counts = (u64, usize, u64, bool);
/// Corners of the box of the tool, weights of joints, what is minimised.
type Wishes = (Option<[[f64; 3]; 2]>, Option<Vec<f64>>, Option<String>);
/// Factors of limits, and limits of velocity, acceleration and jerk.
type Speed = ([f64; 2], [Option<Vec<f64>>; 3]);

#[pymethods]
impl PyPlanner {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let (planner, py) = (slf.get(), slf.py());
        let config = planner.config.clone();
        let budgets: Budgets = (config.timeout, config.collision_margin, config.self_margin);
        let counts: Counts = (config.max_iterations, config.shortcut_iterations, config.seed, config.smooth);
        let corners = config.workspace_bounds.map(|bounds| [bounds.min, bounds.max]);
        let wishes: Wishes = (corners, config.joint_weights, config.minimise.map(|what| what.name().to_owned()));
        let MotionLimits { velocity_scaling, acceleration_scaling, velocity, acceleration, jerk } = config.limits;
        let speed: Speed = ([velocity_scaling, acceleration_scaling], [velocity, acceleration, jerk]);
        let scene = planner.scene.as_ref().map(|scene| scene.clone_ref(py));
        let names = (planner.planner_type.id(), planner.group.clone());
        let parts = (planner.robot.clone_ref(py), scene, names, (budgets, counts, wishes, speed));
        Ok(rebuild(slf.get_type().into_any(), "_restore", parts)?)
    }

    /// The planner that pickle stored.
    #[staticmethod]
    fn _restore<'py>(
        py: Python<'py>,
        robot: &Bound<'py, PyRobot>,
        scene: Option<Bound<'py, PyScene>>,
        names: (Text, Text),
        options: (Budgets, Counts, Wishes, Speed),
    ) -> Result<Self> {
        let (budgets, counts, (corners, joint_weights, minimise), (factors, [velocity, acceleration, jerk])) = options;
        let config = PlannerConfig {
            timeout: budgets.0,
            collision_margin: budgets.1,
            self_margin: budgets.2,
            max_iterations: counts.0,
            shortcut_iterations: counts.1,
            seed: counts.2,
            smooth: counts.3,
            workspace_bounds: corners.map(|[min, max]| WorkspaceBounds { min, max }),
            joint_weights,
            minimise: minimise.map(|name| Minimise::from_name(&name)).transpose()?,
            limits: MotionLimits {
                velocity_scaling: factors[0],
                acceleration_scaling: factors[1],
                velocity,
                acceleration,
                jerk,
            },
        };
        Self::build(py, robot, scene, names.0.0.parse()?, config, Some(names.1.0))
    }
}
