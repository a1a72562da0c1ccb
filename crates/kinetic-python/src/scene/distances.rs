//! `Scene`: why a configuration is free or not, distances with their derivatives, motions along trajectories, and inverse
//! kinematics that keeps away.

use std::sync::Arc;

use kinetic::core::control::SystemClock;
use kinetic::core::{Control, KineticError, StopFlag};
use kinetic::scene::{CCDConfig, ContinuousCollisionDetector, FirstContact, LinkClearance, Margins, Scene};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Dict, Dicts, PoseArg, Real, Tuple, Vector};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::scene::PyScene;
use crate::scene::explanation::PyExplanation;
use crate::scene::keywords::INVERSE_KINEMATICS;
use crate::scene::queries::names;
use crate::trajectory::{Motion, PyTrajectory};

#[pymethods]
impl PyScene {
    /// What is near at `q`, what it has to keep, and who says so; print it.
    ///
    /// Args:
    ///     q: Joint values of the group, or of the whole robot.
    ///     collision_margin: General distance from the world, m.
    ///     self_margin: General distance between links of the robot, m.
    ///     within: Pairs are listed up to this far over what they have to keep, m.
    #[pyo3(
        signature = (q, collision_margin=Real(0.0), self_margin=Real(0.0), within=Real(0.05)),
        text_signature = "($self, q, collision_margin=0.0, self_margin=0.0, within=0.05)"
    )]
    fn explain(
        &self,
        py: Python<'_>,
        q: Vector,
        collision_margin: Real,
        self_margin: Real,
        within: Real,
    ) -> Result<PyExplanation> {
        let scene = self.now();
        let margins = Margins::new(collision_margin.0, self_margin.0);
        Ok(PyExplanation(py.detach(|| scene.explain(&q.0, margins, within.0))?))
    }

    /// The least clearance at `q` and its derivative by the joint values of the group.
    ///
    /// Clearance is distance over what the scene asks the pair to keep; of the world and of the robot itself.
    ///
    /// Returns:
    ///     Clearance in m (infinite when nothing can touch), gradient (dof,), and the pair (None when nothing can touch).
    fn distance_gradient<'py>(&self, py: Python<'py>, q: Vector) -> Result<Tuple<'py>> {
        let found = self.now().distance_gradient(&q.0)?;
        let gradient = Array::vector(py, &found.gradient)?;
        let slack = found.clearance.slack();
        Ok(Tuple::new(py, (slack, gradient, found.clearance.pair.map(names)))?)
    }

    /// How close every link and carried body comes to anything at `q`.
    ///
    /// Returns:
    ///     For each a dict with `link`, `distance` (m), `margin` (what the scene asks for, m) and `other`; None and an
    ///     infinite distance where there is nothing to touch.
    fn link_distances<'py>(&self, py: Python<'py>, q: Vector) -> Result<Dicts<'py>> {
        let found = self.now().link_clearances(&q.0)?;
        let entry = |LinkClearance { link, clearance }: LinkClearance| {
            let other = clearance.pair.map(|pair| if pair.link == link { pair.other } else { pair.link });
            let entry = Dict::new(py).with("link", link)?.with("distance", clearance.distance)?;
            entry.with("margin", clearance.margin)?.with("other", other)
        };
        Ok(Dicts::new(py, found.into_iter().map(entry).collect::<PyResult<_>>()?)?)
    }

    /// The first place of a trajectory at which a margin is missed; None when it is proven free.
    ///
    /// Args:
    ///     trajectory: Timed, or a path, of the robot's selected group.
    ///     collision_margin: General distance from the world, m.
    ///     self_margin: General distance between links of the robot, m.
    ///
    /// Returns:
    ///     A dict with `segment` (between waypoints, from 0), `fraction` of it, `time` (s; None for a path), `link` and
    ///     `other`.
    ///
    /// Raises:
    ///     InputError: A trajectory of other joints.
    #[pyo3(
        signature = (trajectory, collision_margin=Real(0.0), self_margin=Real(0.0)),
        text_signature = "($self, trajectory, collision_margin=0.0, self_margin=0.0)"
    )]
    fn check_trajectory<'py>(
        &self,
        py: Python<'py>,
        trajectory: &Bound<'py, PyTrajectory>,
        collision_margin: Real,
        self_margin: Real,
    ) -> Result<Option<Dict<'py>>> {
        let scene = self.now();
        let config = CCDConfig { group: None, margins: Margins::new(collision_margin.0, self_margin.0) };
        let (robot, motion) = (scene.robot(), &trajectory.get().motion);
        trajectory.get().check_joints("trajectory", &robot.joint_names(&robot.groups[robot.default_group]))?;
        let Some(found) = py.detach(|| first_contact(&scene, &config, motion))? else { return Ok(None) };
        let (link, other) = names(found.pair);
        let entry = Dict::new(py).with("segment", found.segment)?.with("fraction", found.fraction)?;
        Ok(Some(entry.with("time", found.time)?.with("link", link)?.with("other", other)?))
    }

    /// Joint values (dof,) of the group with which the tool reaches a pose and everything keeps a distance.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values to start from; None for the middle of the limits.
    ///     distance: Distance to keep from objects and between `pairs`, m; where the scene states a larger one, that.
    ///     world: Whether links and carried bodies keep away from objects.
    ///     pairs: Pairs (a, b) of links, carried bodies and objects that keep `distance` besides, [] for none; None for all
    ///         pairs of the robot itself, which then keep what the scene states, or do not touch.
    ///     rank: What gives way: "first" the pose, "null_space" the distances, "equal" both, by `gain`.
    ///     gain: Weight of distances against pose errors, for rank "equal".
    ///     joint_weights: Per joint how dear its motion is (dof,); None for all alike.
    ///     attempts: Attempts; those after the first start at random.
    ///     max_iterations: Iterations of one attempt.
    ///     rng_seed: Seed of the random starts; None for 0.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     mode: "full6d", or "position_only" with the orientation free.
    ///     position_tolerance: Largest distance between reached and wanted origin, m.
    ///     orientation_tolerance: Largest angle between reached and wanted orientation, rad.
    ///
    /// Ctrl-C ends it.
    ///
    /// Raises:
    ///     IKError: No joint values found within the tolerances that keep the distances.
    ///     InputError: NaN, wrong sizes, unknown names, a distance that is negative.
    #[pyo3(
        signature = (target, seed=None, **options),
        text_signature = "($self, target, seed=None, *, distance=0.02, world=True, pairs=None, rank='first', gain=1.0, \
                          joint_weights=None, attempts=20, max_iterations=100, rng_seed=None, tcp=None, \
                          mode='full6d', position_tolerance=0.0001, orientation_tolerance=0.001)"
    )]
    fn inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Array<'py>> {
        let options = INVERSE_KINEMATICS.read(options)?.options()?;
        let scene = self.now();
        let robot = scene.robot();
        let group = &robot.groups[robot.default_group];
        let middle = robot.mid_configuration(group);
        let start = seed.as_ref().map_or(&middle[..], |seed| &seed.0);
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        let solve = || scene.inverse_kinematics_with(&target.0, start, &options, &control)?.require_converged();
        let solution = interruptible(py, &stop, solve)??;
        let values: Vec<f64> = group.variables.iter().map(|variable| solution.q[*variable]).collect();
        Array::vector(py, &values)
    }
}

fn first_contact(scene: &Scene, config: &CCDConfig, motion: &Motion) -> Result<Option<FirstContact>, KineticError> {
    let mut detector = ContinuousCollisionDetector::new(scene, config)?;
    match motion {
        Motion::Timed(timed) => detector.check_trajectory(timed),
        Motion::Path(path) => detector.check_path(path),
    }
}
