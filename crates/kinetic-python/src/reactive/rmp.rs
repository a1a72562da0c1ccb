//! `RMP` and `Policy`: Riemannian motion policies.

use std::sync::{Mutex, MutexGuard, TryLockError};

use kinetic::core::KineticError;
use kinetic::reactive::rmp::{Policy, Rmp};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, PoseArg, Real, Text, Vector};
use crate::error::Result;
use crate::execution::callbacks::CallableArg;
use crate::reactive::rmp_custom::{FunctionPolicy, PolicyErrors};
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;

/// A wish about the motion of an arm, for `RMP.add`.
///
/// Gains are squares of rates, 1/s²: a policy of gain k² settles like e^(-kt).
///
/// Example:
///     >>> from kinetic import Policy
///     >>> Policy.damping(2.0).name
///     'damping'
#[pyclass(frozen, module = "kinetic", name = "Policy")]
pub(crate) struct PyPolicy(Wish);

enum Wish {
    Known(Policy),
    Custom { name: String, task_map: CallableArg, motion_policy: CallableArg },
}

impl PyPolicy {
    fn checked(policy: Policy) -> Result<Self> {
        policy.check()?;
        Ok(Self(Wish::Known(policy)))
    }
}

#[pymethods]
impl PyPolicy {
    /// Attracts the tool to a pose (`Pose` or 4×4) in the group's base, where it comes to rest. The inverse kinematics is solved
    /// when the policy is added: a target out of reach, or reached only with links that touch each other, is an error there.
    #[staticmethod]
    #[pyo3(signature = (target, gain = Real(10.0)))]
    fn reach_target(target: PoseArg, gain: Real) -> Result<Self> {
        Self::checked(Policy::ReachTarget { target: target.0, gain: gain.0 })
    }

    /// Keeps the robot, and what it carries, away from the objects of a scene, as the scene is at every `compute`. Clearances that
    /// the scene states count; velocities of objects are those of their last moves.
    ///
    /// Args:
    ///     scene: The scene; edits arrive in the next `compute`.
    ///     influence_distance: Distance from which objects are kept away from, m.
    ///     gain: 1/s².
    #[staticmethod]
    #[pyo3(signature = (scene, influence_distance = Real(0.3), gain = Real(20.0)))]
    fn avoid_obstacles(scene: &Bound<'_, PyScene>, influence_distance: Real, gain: Real) -> Result<Self> {
        let scene = scene.get().live().clone();
        Self::checked(Policy::AvoidObstacles { scene, influence_distance: influence_distance.0, gain: gain.0 })
    }

    /// Keeps the links of the robot apart.
    #[staticmethod]
    #[pyo3(signature = (gain = Real(20.0)))]
    fn avoid_self_collision(gain: Real) -> Result<Self> {
        Self::checked(Policy::AvoidSelfCollision { gain: gain.0 })
    }

    /// Keeps joints `margin` (rad or m) away from their limits. The limits hold without it, too.
    #[staticmethod]
    #[pyo3(signature = (margin = Real(0.1), gain = Real(10.0)))]
    fn joint_limit_avoidance(margin: Real, gain: Real) -> Result<Self> {
        Self::checked(Policy::JointLimitAvoidance { margin: margin.0, gain: gain.0 })
    }

    /// Keeps the tool's manipulability (`Robot.manipulability`) from falling to 0, from `threshold` on.
    #[staticmethod]
    #[pyo3(signature = (threshold = Real(0.02), gain = Real(10.0)))]
    fn singularity_avoidance(threshold: Real, gain: Real) -> Result<Self> {
        Self::checked(Policy::SingularityAvoidance { threshold: threshold.0, gain: gain.0 })
    }

    /// Damps the velocities of all joints by `coefficient` (1/s).
    #[staticmethod]
    #[pyo3(signature = (coefficient = Real(1.0)))]
    fn damping(coefficient: Real) -> Result<Self> {
        Self::checked(Policy::Damping { coefficient: coefficient.0 })
    }

    /// A policy of one's own: a task map `x = φ(q)` and what is wanted of `x`.
    ///
    /// Args:
    ///     task_map: Called with `q` and `qd` (n,); answers `x` (m,), its Jacobian (m, n) and the curvature `J̇ q̇` (m,).
    ///     motion_policy: Called with `x` and its velocity (m,); answers the metric (m, m), symmetric and positive semidefinite,
    ///         and the wanted acceleration (m,).
    ///     name: Its name in errors.
    #[staticmethod]
    #[pyo3(signature = (task_map, motion_policy, name = None))]
    fn custom(task_map: CallableArg, motion_policy: CallableArg, name: Option<Text>) -> Self {
        let name = name.map_or_else(|| "custom".to_owned(), |name| name.0);
        Self(Wish::Custom { name, task_map, motion_policy })
    }

    /// Name of the policy.
    #[getter]
    fn name(&self) -> &str {
        match &self.0 {
            Wish::Known(policy) => policy.name(),
            Wish::Custom { name, .. } => name,
        }
    }

    fn __repr__(&self) -> String {
        format!("Policy({})", self.name())
    }
}

/// Riemannian motion policies of an arm: wishes about its motion, each with a metric, combined in every control cycle.
///
/// Ratliff et al. 2018; Cheng et al. 2018. Every command keeps the limits of position, velocity and acceleration.
///
/// Args:
///     robot: The robot, of which the selected group moves, or the name of a built-in one.
///
/// Example:
///     >>> from kinetic import RMP, Policy, Robot
///     >>> robot = Robot("ur5e")
///     >>> rmp = RMP(robot)
///     >>> rmp.add(Policy.reach_target(robot.fk([0.3, -1.2, 1.3, -1.6, -1.5, 0.0])))
///     >>> rmp.add(Policy.damping(1.0))
///     >>> command = rmp.compute([0.0, -1.3, 1.4, -1.6, -1.5, 0.0], [0.0] * 6, 0.002)
///     >>> command["positions"].shape
///     (6,)
#[pyclass(frozen, module = "kinetic", name = "RMP")]
pub(crate) struct PyRmp {
    /// Locked for one call, and never waited for: a policy in Python may let another thread run.
    rmp: Mutex<Rmp>,
    raised: PolicyErrors,
}

impl PyRmp {
    fn lock(&self) -> Result<MutexGuard<'_, Rmp>> {
        match self.rmp.try_lock() {
            Ok(rmp) => Ok(rmp),
            // A panic leaves buffers behind that the next call fills anew.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let wanted = "one call at a time, and none from a policy of its own";
                Err(KineticError::invalid("call of RMP", "during another one", wanted).into())
            }
        }
    }
}

#[pymethods]
impl PyRmp {
    #[new]
    fn __new__<'py>(py: Python<'py>, robot: RobotArg<'py>) -> Result<Self> {
        let robot = robot.handle(py)?;
        let rmp = Rmp::new(&robot.get().model().robot)?;
        Ok(Self { rmp: Mutex::new(rmp), raised: PolicyErrors::default() })
    }

    /// Adds a policy.
    ///
    /// Raises:
    ///     IKError: A target out of reach.
    ///     InputError: A scene of another robot, or a target that the robot can reach only with links that touch each other.
    fn add(&self, py: Python<'_>, policy: &Bound<'_, PyPolicy>) -> Result<()> {
        let mut guard = self.lock()?;
        let rmp = &mut *guard;
        match &policy.get().0 {
            Wish::Known(policy) => py.detach(|| rmp.add(policy))?,
            Wish::Custom { name, task_map, motion_policy } => {
                let functions = [task_map.clone_ref(py), motion_policy.clone_ref(py)];
                rmp.add_custom(Box::new(FunctionPolicy::new(name, functions, &self.raised)));
            }
        }
        Ok(())
    }

    /// Removes all policies.
    fn clear(&self) -> Result<()> {
        self.lock()?.clear();
        Ok(())
    }

    /// Number of policies.
    #[getter]
    fn num_policies(&self) -> Result<usize> {
        Ok(self.lock()?.num_policies())
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> Result<usize> {
        Ok(self.lock()?.dof())
    }

    /// The command of a cycle: positions and velocities at its end, and the accelerations, constant over it.
    ///
    /// After an error there is no command, and the next call is computed as if this one had not been. What a policy in Python
    /// raises arrives as it is.
    ///
    /// Args:
    ///     q: Positions (n,), rad or m.
    ///     qd: Velocities (n,), rad/s or m/s.
    ///     dt: Length of the cycle, at most 0.1 s.
    ///
    /// Returns:
    ///     A dict with `positions`, `velocities` and `accelerations`, (n,) each.
    fn compute<'py>(&self, py: Python<'py>, q: Vector, qd: Vector, dt: Real) -> Result<Dict<'py>> {
        let mut rmp = self.lock()?;
        let computed = rmp.compute(&q.0, &qd.0, dt.0);
        self.raised.raise()?;
        let command = computed?;
        Ok(Dict::new(py)
            .with("positions", Array::vector(py, &command.positions)?)?
            .with("velocities", Array::vector(py, &command.velocities)?)?
            .with("accelerations", Array::vector(py, &command.accelerations)?)?)
    }
}
