//! `Robot`: inverse kinematics of many poses at once.

use std::sync::Arc;

use kinetic::core::Pose;
use kinetic::kinematics::InverseKinematics;
use kinetic::kinematics::ik::{IKConfig, IKSolution};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Count, Mask, Matrix, Numbers, OptionalDicts, Out, PoseArg, PoseList, Text, Vector};
use crate::error::{Error, Result};
use crate::gpu::kinematics::solve_on_device;
use crate::ik::acceptance::Acceptance;
use crate::ik::answer::facts;
use crate::ik::options::{BATCH_IK, IK_BATCH, IkOptions};
use crate::interrupt::interruptible;
use crate::robot::PyRobot;

#[pymethods]
impl PyRobot {
    /// `ik` for many poses at once, on all processors; the answers are those of `ik_config` pose by pose.
    ///
    /// Args:
    ///     targets: Poses of the tool in the group's base (N, 4, 4), or a list of poses.
    ///     seed: Joint values to stay close to, (dof,) for all poses or (N, dof) with one row per pose; None for the middle
    ///         of the limits.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     out: Array (N, dof) to write the joint values into, which is returned.
    ///     options: Of `kinetic.IKOptions`, as of `ik`; "cached" needs single calls. `timeout` is the time of all
    ///         poses together: those whose turn does not come are not reached. With a `scene` the nearest answer of each pose that keeps
    ///         `collision_margin` and `self_margin`, of the branches of the closed form or what the attempts come to.
    ///
    /// Returns:
    ///     Joint values (N, dof), NaN where a pose is not reached; and truth values (N,), whether it is.
    ///
    /// Raises:
    ///     InputError: NaN, wrong shapes, options or an array that cannot be used. A pose that is not reached is no error.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> targets = robot.batch_fk([robot.random_configuration(rng_seed=seed) for seed in range(20)])
    ///     >>> q, success = robot.ik_batch(targets)
    ///     >>> q.shape, int(success.sum())
    ///     ((20, 6), 20)
    #[pyo3(signature = (targets, seed=None, tcp=None, *, out=None, **options))]
    fn ik_batch<'py>(
        &self,
        py: Python<'py>,
        targets: PoseList,
        seed: Option<SeedsArg>,
        tcp: Option<PoseArg>,
        out: Option<Out<'py, f64>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<(Array<'py>, Mask<'py>)> {
        let model = self.model();
        let IkOptions { mut config, scene, margins, .. } = IkOptions::read(&IK_BATCH, model.ik()?.config(), options)?;
        let accept = Acceptance::new(&model, scene, margins)?;
        let model = model.with_tool(tcp)?;
        let (ik, targets) = (model.ik()?, targets.0);
        let seeds = match &seed {
            Some(SeedsArg::All(seed)) => {
                config.seed = Some(seed.as_slice().into());
                Vec::new()
            }
            Some(SeedsArg::Each(rows)) => rows.rows().collect(),
            None => Vec::new(),
        };
        let dof = ik.chain().dof();
        let mut success = Vec::with_capacity(targets.len());
        let q = Array::filled(py, &[targets.len(), dof], out, |rows| {
            let answers = solve(py, ik, (&targets, &seeds), &config, &accept)?;
            for (row, answer) in rows.chunks_exact_mut(dof).zip(&answers) {
                match answer {
                    Some(solution) => row.copy_from_slice(&solution.joints),
                    None => row.fill(f64::NAN),
                }
                success.push(answer.is_some());
            }
            Ok(())
        })?;
        Ok((q, Mask::new(py, &success)))
    }

    /// `ik_batch` with what is known about each answer.
    ///
    /// Args:
    ///     targets: Poses of the tool in the group's base (N, 4, 4), or a list of poses.
    ///     solver: As in `ik`; "cached" needs single calls.
    ///     num_restarts: Attempts after the first, per pose.
    ///     seeds: Joint values to start from, one row per pose (N, dof); None for the middle of the limits.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     device: "cpu"; "gpu", "gpu:N" or a part of the name of an adapter: every pose from `num_restarts` + 1 starts at once, in
    ///         single precision, and what is found made exact to 1e-9 m and proven on the processor. There the solver is damped
    ///         least squares, and the answer is the nearest to its seed of all that were found; with a `scene` starts also go away from
    ///         collisions. "auto": a GPU where there is one.
    ///     options: As of `ik_batch`.
    ///
    /// Returns:
    ///     One dictionary of `ik_config` per pose, None where there is no answer; the same as pose by pose.
    #[pyo3(
        signature = (targets, solver=Text("auto".to_owned()), num_restarts=Count(10), seeds=None, *, tcp=None,
                     device=Text("cpu".to_owned()), **options),
        text_signature = "($self, targets, solver='auto', num_restarts=10, seeds=None, *, tcp=None, device='cpu', **options)"
    )]
    #[expect(clippy::too_many_arguments, reason = "arguments by position in Python")]
    fn batch_ik<'py>(
        &self,
        py: Python<'py>,
        targets: PoseList,
        solver: Text,
        num_restarts: Count,
        seeds: Option<Matrix>,
        tcp: Option<PoseArg>,
        device: Text,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<OptionalDicts<'py>> {
        let model = self.model();
        let config = IKConfig { solver: solver.0.parse()?, num_restarts: num_restarts.0, ..model.ik()?.config() };
        let IkOptions { config, scene, margins, .. } = IkOptions::read(&BATCH_IK, config, options)?;
        let accept = Acceptance::new(&model, scene, margins)?;
        let model = model.with_tool(tcp)?;
        let seeds: Option<Vec<&[f64]>> = seeds.as_ref().map(|seeds| seeds.rows().collect());
        if let Some(seeds) = &seeds {
            kinetic::core::error::check_len("seeds", seeds.len(), targets.0.len())?;
        }
        let (ik, targets) = (model.ik()?, &targets.0);
        let seeds = seeds.unwrap_or_default();
        let answers = match solve_on_device(py, &device.0, ik, (targets, &seeds), &config, &accept)? {
            Some(answers) => answers,
            None => solve(py, ik, (targets, &seeds), &config, &accept)?,
        };
        let dicts: PyResult<Vec<_>> =
            answers.iter().map(|answer| answer.as_ref().map(|solution| facts(py, solution)).transpose()).collect();
        Ok(OptionalDicts::new(py, dicts?)?)
    }
}

/// Joint values to stay close to: for all poses, or a row for each.
enum SeedsArg {
    All(Vec<f64>),
    Each(Matrix),
}

impl FromPyObject<'_, '_> for SeedsArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = Vector::INPUT_TYPE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = Numbers::read(&given)?;
        match numbers.shape.len() {
            1 => Ok(Self::All(numbers.values)),
            2 => Ok(Self::Each(given.extract()?)),
            _ => Err(numbers.wrong_shape("joint values, shape (dof,) or (N, dof)")),
        }
    }
}

/// All poses, until Ctrl-C.
fn solve(
    py: Python<'_>,
    ik: &Arc<InverseKinematics>,
    (targets, seeds): (&[Pose], &[&[f64]]),
    config: &IKConfig,
    accept: &Acceptance,
) -> Result<Vec<Option<IKSolution>>> {
    let solve = || ik.solve_batch_where(targets, seeds, config, &|q| accept.takes(q));
    Ok(interruptible(py, &config.stop, solve)??)
}
