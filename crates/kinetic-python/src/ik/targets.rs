//! `Robot`: several targets at once, each on a link of its own.

use kinetic::core::error::check_len;
use kinetic::core::{KineticError, Pose};
use kinetic::kinematics::ik::Norm;
use kinetic::kinematics::{CcdOptions, IKConfig, KinematicChain, LinkTarget, bio_ik, ccd};
use nalgebra::Vector3;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Count, PoseArg, Real, Seed, Text, Texts, Vector};
use crate::error::{Error, Result};
use crate::ik::options::flag;
use crate::interrupt::interruptible;
use crate::robot::{Model, PyRobot};

#[pymethods]
impl PyRobot {
    /// Joint values at which several targets are met together, by cyclic coordinate descent: one joint at a time is moved
    /// to its best value, in closed form, inside its limits.
    ///
    /// Args:
    ///     targets: Dictionaries, each with "position" (x, y, z) in m or "rotation" (x, y, z, w) in the group's base, and
    ///         optionally "link" (a link of the chain; the tool when absent), "atol" (1e-4 m, 1e-3 rad), "norm" ("euclidean",
    ///         "sum" or "max" of the three components, which is compared with it) and "weight" (1).
    ///         A pose as a 4×4 matrix stands for the position and the rotation of the tool.
    ///     joints: Names of the joints that may move; None for all.
    ///     rtol: The descent has stalled when a sweep over the joints improves the error by less than this part.
    ///     maxiter: Sweeps at most.
    ///     line_search_maxiter: Evaluations along a joint that others follow, for which there is no closed form.
    ///     seed: Joint values (dof,) to start from; None for the middle of the limits.
    ///     timeout: Seconds after which the descent ends; None for no limit.
    ///
    /// Returns:
    ///     Joint values (dof,).
    ///
    /// Raises:
    ///     IKError: The descent stalled or ran out of sweeps or time; `residual` is the largest error in m or rad.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> robot.ccd([{"position": [0.4, 0.2, 0.4]}]).shape
    ///     (6,)
    #[pyo3(signature = (targets, joints=None, rtol=Real(1e-6), maxiter=Count(500), line_search_maxiter=Count(500), seed=None,
        *, timeout=None),
        text_signature = "($self, targets, joints=None, rtol=1e-06, maxiter=500, line_search_maxiter=500, seed=None, *, \
        timeout=None)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the Python call")]
    fn ccd<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyAny>,
        joints: Option<Texts>,
        rtol: Real,
        maxiter: Count,
        line_search_maxiter: Count,
        seed: Option<Vector>,
        timeout: Option<Real>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let chain = model.chain()?;
        let targets = link_targets(&model, chain, targets)?;
        let options = CcdOptions {
            joints: joints.map(|joints| joint_indices(chain, &joints)).transpose()?,
            rtol: rtol.0,
            maxiter: maxiter.0,
            line_search_maxiter: line_search_maxiter.0,
            seed: seed.map(|seed| seed.0.into()),
            stop: flag(timeout)?,
        };
        let q = interruptible(py, &options.stop, || ccd(chain, &targets, &options))??;
        Array::vector(py, &q)
    }

    /// Joint values at which several targets are met together, by evolution with local descent (Bio-IK).
    ///
    /// Args:
    ///     targets: As in `ccd`.
    ///     max_iterations: Generations of one attempt.
    ///     num_restarts: Attempts after the first, from random configurations.
    ///     seed: Joint values (dof,) to start from; None for the middle of the limits.
    ///     check_limits: Whether answers lie inside the joint limits.
    ///     rng_seed: Seed of everything random; None for 0.
    ///     timeout: Seconds after which the search ends; None for no limit.
    ///
    /// Returns:
    ///     Joint values (dof,).
    ///
    /// Raises:
    ///     IKError: No attempt met all targets; `residual` is the largest error in m or rad.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("franka_panda")
    ///     >>> elbow = {"position": [0.0, 0.1, 0.6], "link": "panda_link4", "atol": 0.2}
    ///     >>> robot.bio_ik([{"position": [0.4, 0.2, 0.4]}, elbow]).shape
    ///     (7,)
    #[pyo3(signature = (targets, max_iterations=Count(100), num_restarts=Count(10), seed=None, check_limits=true,
        rng_seed=None, *, timeout=None),
        text_signature = "($self, targets, max_iterations=100, num_restarts=10, seed=None, check_limits=True, \
        rng_seed=None, *, timeout=None)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the Python call")]
    fn bio_ik<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyAny>,
        max_iterations: Count,
        num_restarts: Count,
        seed: Option<Vector>,
        check_limits: bool,
        rng_seed: Option<Seed>,
        timeout: Option<Real>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let chain = model.chain()?;
        let targets = link_targets(&model, chain, targets)?;
        let config = IKConfig {
            max_iterations: max_iterations.0,
            num_restarts: num_restarts.0,
            seed: seed.map(|seed| seed.0.into()),
            check_limits,
            rng_seed: rng_seed.map_or(0, |seed| seed.0),
            stop: flag(timeout)?,
            ..IKConfig::default()
        };
        let q = interruptible(py, &config.stop, || bio_ik(chain, &targets, &config))??;
        Array::vector(py, &q)
    }
}

/// Joints of the chain by name.
fn joint_indices(chain: &KinematicChain, names: &Texts) -> Result<Vec<usize>> {
    let index = |name: &String| {
        chain.joint_names().iter().position(|known| known == name).ok_or_else(|| {
            Error::Kinetic(KineticError::JointNotFound { name: name.clone(), available: chain.joint_names().to_vec() })
        })
    };
    names.0.iter().map(index).collect()
}

/// Targets from a pose of the tool, or from a sequence of such poses and of dictionaries.
fn link_targets(model: &Model, chain: &KinematicChain, given: &Bound<'_, PyAny>) -> Result<Vec<LinkTarget>> {
    if let Ok(pose) = given.extract::<PoseArg>() {
        return Ok(pose_targets(&pose.0));
    }
    if let Ok(one) = given.cast::<PyDict>() {
        return Ok(vec![link_target(model, chain, one)?]);
    }
    let mut targets = Vec::new();
    for item in given.try_iter()? {
        let item = item?;
        match item.cast::<PyDict>() {
            Ok(fields) => targets.push(link_target(model, chain, fields)?),
            Err(_) => targets.extend(pose_targets(&item.extract::<PoseArg>()?.0)),
        }
    }
    Ok(targets)
}

/// Tolerances of a target that states none, m and rad.
const ATOL: (f64, f64) = (1e-4, 1e-3);

fn pose_targets(pose: &Pose) -> Vec<LinkTarget> {
    vec![LinkTarget::position(pose.translation(), ATOL.0), LinkTarget::rotation(pose.rotation(), ATOL.1)]
}

/// What a dictionary may say.
const KEYS: [&str; 6] = ["position", "rotation", "link", "atol", "norm", "weight"];

fn link_target(model: &Model, chain: &KinematicChain, fields: &Bound<'_, PyDict>) -> Result<LinkTarget> {
    check_keys(fields)?;
    let mut target = aim(fields)?;
    if let Some(atol) = fields.get_item("atol")? {
        target.atol = atol.extract::<Real>()?.0;
    }
    if let Some(weight) = fields.get_item("weight")? {
        target.weight = weight.extract::<Real>()?.0;
    }
    if let Some(norm) = fields.get_item("norm")? {
        target.norm = norm_named(norm.extract::<Text>()?)?;
    }
    if let Some(link) = fields.get_item("link")? {
        target.link = Some(link_on_chain(model, chain, &link.extract::<Text>()?.0)?);
    }
    Ok(target)
}

/// Refuses what no target has.
fn check_keys(fields: &Bound<'_, PyDict>) -> Result<()> {
    for key in fields.keys() {
        let key = key.extract::<Text>()?.0;
        if !KEYS.contains(&key.as_str()) {
            return Err(unknown("target key", key, &KEYS));
        }
    }
    Ok(())
}

fn aim(fields: &Bound<'_, PyDict>) -> Result<LinkTarget> {
    match (vector(fields, "position", 3)?, vector(fields, "rotation", 4)?) {
        (Some(p), None) => Ok(LinkTarget::position(Vector3::from_column_slice(&p), ATOL.0)),
        (None, Some(q)) => {
            let pose = Pose::from_xyz_quat(0.0, 0.0, 0.0, q[0], q[1], q[2], q[3])?;
            Ok(LinkTarget::rotation(pose.rotation(), ATOL.1))
        }
        _ => {
            let wanted = "either \"position\" or \"rotation\"";
            Err(KineticError::invalid("target", fields.repr()?, wanted).into())
        }
    }
}

fn vector(fields: &Bound<'_, PyDict>, key: &str, size: usize) -> Result<Option<Vec<f64>>> {
    let Some(value) = fields.get_item(key)? else { return Ok(None) };
    let values = value.extract::<Vector>()?.0;
    check_len(&format!("{key} of a target"), values.len(), size)?;
    Ok(Some(values))
}

const NORMS: [(&str, Norm); 3] = [("euclidean", Norm::Euclidean), ("sum", Norm::Sum), ("max", Norm::Max)];

fn norm_named(name: Text) -> Result<Norm> {
    let found = NORMS.iter().find(|(known, _)| *known == name.0).map(|(_, norm)| *norm);
    found.ok_or_else(|| unknown("target norm", name.0, &NORMS.map(|(known, _)| known)))
}

fn unknown(kind: &str, name: String, known: &[&str]) -> Error {
    Error::Kinetic(KineticError::unknown_name(kind, name, known.iter().copied()))
}

/// Position of a link on the chain, its base being 0.
fn link_on_chain(model: &Model, chain: &KinematicChain, name: &str) -> Result<usize> {
    let robot = &model.robot;
    let base = model.group().base_link;
    let links: Vec<usize> =
        std::iter::once(base).chain(chain.all_joints().iter().map(|joint| robot.joints[*joint].child)).collect();
    let link = robot.link_index(name)?;
    links.iter().position(|known| *known == link).ok_or_else(|| {
        let available = links.iter().map(|link| robot.links[*link].name.clone()).collect();
        Error::Kinetic(KineticError::LinkNotFound { name: name.to_owned(), available })
    })
}
