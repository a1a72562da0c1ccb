//! What pickle stores of paths, bodies, solutions and thresholds.

use kinetic::core::KineticError;
use kinetic::kinematics::analytic::{Diagnostic, DispatchPlan, Met, Refinement, Solution};
use kinetic::kinematics::{ChainParts, Frame, IKPath, KinematicChain, Motion, Obstacle, Rigid};
use nalgebra::{Matrix3, Vector3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{PoseParts, Rebuild, rebuild};
use crate::error::{Error, Result};
use crate::ik::paths::PyIKPath;
use crate::ik::postprocess::PyKinBody;
use crate::ik::records::{PyDiagnostic, PyDispatchPlan, PySolution, PyTolerancePolicy};

fn wrong(what: &str) -> Error {
    Error::Kinetic(KineticError::invalid(what, "other data", "what pickle wrote"))
}

/// Kind, pose, names (a joint, or a pair), amount, and what else that kind has.
type StoredObstacle = (String, usize, Vec<String>, f64, Vec<f64>);

fn stored_obstacle(obstacle: &Obstacle) -> StoredObstacle {
    let rest = match obstacle {
        Obstacle::Unreachable { .. } => Vec::new(),
        Obstacle::Limit { limits, .. } => vec![limits.0, limits.1],
        Obstacle::Singularity { bound, .. } | Obstacle::Jump { bound, .. } => vec![*bound],
        Obstacle::Collision { distance, margin, .. } => vec![*distance, *margin],
        Obstacle::Deviation { tolerance, .. } => vec![*tolerance],
    };
    let pair = obstacle.pair().map(|(link, other)| [link, other]);
    let names = obstacle.joint().into_iter().chain(pair.into_iter().flatten()).map(str::to_owned).collect();
    (obstacle.id().to_owned(), obstacle.index(), names, obstacle.amount(), rest)
}

fn restored_obstacle((kind, index, names, amount, rest): StoredObstacle) -> Result<Obstacle> {
    match (kind.as_str(), names.as_slice(), rest.as_slice()) {
        ("unreachable", [], []) => Ok(Obstacle::Unreachable { index, error: amount }),
        ("limit", [joint], [low, high]) => {
            Ok(Obstacle::Limit { index, joint: joint.clone(), excess: amount, limits: (*low, *high) })
        }
        ("singularity", [joint], [bound]) => {
            Ok(Obstacle::Singularity { index, joint: joint.clone(), step: amount, bound: *bound })
        }
        ("jump", [joint], [bound]) => Ok(Obstacle::Jump { index, joint: joint.clone(), step: amount, bound: *bound }),
        ("deviation", [joint], [tolerance]) => {
            Ok(Obstacle::Deviation { index, joint: joint.clone(), deviation: amount, tolerance: *tolerance })
        }
        ("collision", [link, other], [distance, margin]) => Ok(Obstacle::Collision {
            index,
            link: link.clone(),
            other: other.clone(),
            distance: *distance,
            margin: *margin,
        }),
        _ => Err(wrong("stored obstacle")),
    }
}

#[pymethods]
impl PyIKPath {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let path = &slf.get().0;
        let obstacles: Vec<StoredObstacle> = path.obstacles.iter().map(stored_obstacle).collect();
        let rows = (path.q.clone(), path.dof, path.success.clone());
        let facts = (path.splits.clone(), path.largest_step, path.length);
        Ok(rebuild(slf.get_type().into_any(), "_restore", (rows, obstacles, facts))?)
    }

    /// The path that pickle stored.
    #[staticmethod]
    fn _restore(
        rows: (Vec<f64>, usize, Vec<bool>),
        obstacles: Vec<StoredObstacle>,
        facts: (Vec<usize>, f64, f64),
    ) -> Result<Self> {
        let ((q, dof, success), (splits, largest_step, length)) = (rows, facts);
        if dof.checked_mul(success.len()) != Some(q.len()) {
            return Err(wrong("stored path"));
        }
        let obstacles = obstacles.into_iter().map(restored_obstacle).collect::<Result<_>>()?;
        Ok(Self(IKPath { q, dof, success, obstacles, splits, largest_step, length }))
    }
}

/// Parent, pose at 0 (rotation row after row, translation), whether it turns, variable, multiplier, offset.
type StoredFrame = (usize, Vec<f64>, bool, usize, f64, f64);

/// Joints, variables, limits, whether they turn, and what they count in distances.
type StoredVariables = (Vec<usize>, Vec<usize>, Vec<(f64, f64)>, Vec<bool>, Vec<f64>);

fn stored_pose(pose: &Rigid) -> Vec<f64> {
    let rotation = pose.rotation.transpose();
    rotation.iter().chain(pose.translation.iter()).copied().collect()
}

fn restored_pose(values: &[f64]) -> Result<Rigid> {
    let (Some(rotation), Some(translation), 12) = (values.get(..9), values.get(9..), values.len()) else {
        return Err(wrong("stored pose"));
    };
    let rotation = Matrix3::from_row_slice(rotation);
    Ok(Rigid { rotation, translation: Vector3::from_column_slice(translation) })
}

fn stored_frame(frame: &Frame) -> StoredFrame {
    let turns = frame.motion == Motion::Rotation;
    (frame.parent, stored_pose(&frame.parent_from_frame), turns, frame.variable, frame.multiplier, frame.offset)
}

fn restored_frame((parent, pose, turns, variable, multiplier, offset): StoredFrame) -> Result<Frame> {
    let motion = if turns { Motion::Rotation } else { Motion::Translation };
    Ok(Frame { parent, parent_from_frame: restored_pose(&pose)?, motion, variable, multiplier, offset })
}

#[pymethods]
impl PyKinBody {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let parts = slf.get().0.to_parts();
        let names = (parts.name, parts.joint_names);
        let variables = (parts.joints, parts.variables, parts.bounds, parts.turns, parts.weights);
        let frames: Vec<StoredFrame> = parts.frames.iter().map(stored_frame).collect();
        let links: Vec<(usize, Vec<f64>)> =
            parts.links.iter().map(|(frame, pose)| (*frame, stored_pose(pose))).collect();
        let tool = PoseParts::of(&parts.tip_from_tcp).to_vec();
        Ok(rebuild(slf.get_type().into_any(), "_restore", (names, variables, frames, links, tool))?)
    }

    /// The body that pickle stored.
    #[staticmethod]
    fn _restore(
        names: (String, Vec<String>),
        variables: StoredVariables,
        frames: Vec<StoredFrame>,
        links: Vec<(usize, Vec<f64>)>,
        tool: Vec<f64>,
    ) -> Result<Self> {
        let ((name, joint_names), (joints, variables, bounds, turns, weights)) = (names, variables);
        let frames = frames.into_iter().map(restored_frame).collect::<Result<_>>()?;
        let link = |(frame, pose): (usize, Vec<f64>)| Ok((frame, restored_pose(&pose)?));
        let links = links.into_iter().map(link).collect::<Result<_>>()?;
        let tip_from_tcp = PoseParts::to_pose(&tool)?;
        let parts =
            ChainParts { name, joints, variables, joint_names, bounds, turns, weights, frames, links, tip_from_tcp };
        Ok(Self(KinematicChain::from_parts(parts)?))
    }
}

#[pymethods]
impl PySolution {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let Solution { q, fk_residual, refinement_used } = &slf.get().0;
        let parts = (q.to_vec(), *fk_residual, *refinement_used != Refinement::None);
        Ok(rebuild(slf.get_type().into_any(), "_restore", parts)?)
    }

    /// The solution that pickle stored.
    #[staticmethod]
    fn _restore(q: Vec<f64>, fk_residual: f64, is_refined: bool) -> Self {
        let refinement_used = if is_refined { Refinement::Lm } else { Refinement::None };
        Self(Solution { q: q.into(), fk_residual, refinement_used })
    }
}

#[pymethods]
impl PyDispatchPlan {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let DispatchPlan { solver_name, tier, reason } = slf.get().0.clone();
        Ok(rebuild(slf.get_type().into_any(), "_restore", (solver_name, tier, reason))?)
    }

    /// The plan that pickle stored.
    #[staticmethod]
    fn _restore(solver_name: String, tier: u8, reason: String) -> Self {
        Self(DispatchPlan { solver_name, tier, reason })
    }
}

/// What is met, as a number of joints that meet so much, and the axis.
fn stored_met(met: Met) -> (usize, usize) {
    match met {
        Met::Pose => (6, 0),
        Met::PositionAndAxis(axis) => (5, axis),
        Met::PositionAndPitch(axis) => (4, axis),
        Met::Position => (3, 0),
    }
}

fn restored_met(stored: (usize, usize)) -> Result<Met> {
    let known = [Met::Pose, Met::Position].into_iter();
    let mut known = known.chain((0..3).flat_map(|axis| [Met::PositionAndAxis(axis), Met::PositionAndPitch(axis)]));
    known.find(|met| stored_met(*met) == stored).ok_or_else(|| wrong("stored part of a pose"))
}

/// Solver, counts (candidates, outside limits, too many, returned, samples), residuals (largest, of the pose, allowed).
type StoredDiagnostic = ((String, u8, String), [usize; 5], [f64; 3], (usize, usize), bool, Vec<String>);

#[pymethods]
impl PyDiagnostic {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let diagnostic = slf.get().0.clone();
        let dropped = [diagnostic.dropped_by_limits, diagnostic.dropped_by_max_solutions];
        let counts = [diagnostic.raw_candidates, dropped[0], dropped[1], diagnostic.final_count, diagnostic.samples];
        let residuals = [diagnostic.max_fk_residual, diagnostic.max_pose_residual, diagnostic.fk_atol];
        let solver = (diagnostic.solver_name, diagnostic.solver_tier, diagnostic.dispatch_reason);
        let parts =
            (solver, counts, residuals, stored_met(diagnostic.met), diagnostic.refinement_engaged, diagnostic.warnings);
        Ok(rebuild(slf.get_type().into_any(), "_restore", (parts,))?)
    }

    /// The diagnostic that pickle stored.
    #[staticmethod]
    fn _restore(stored: StoredDiagnostic) -> Result<Self> {
        let ((solver_name, solver_tier, dispatch_reason), counts, residuals, met, refinement_engaged, warnings) =
            stored;
        let [raw_candidates, dropped_by_limits, dropped_by_max_solutions, final_count, samples] = counts;
        let [max_fk_residual, max_pose_residual, fk_atol] = residuals;
        Ok(Self(Diagnostic {
            solver_name,
            solver_tier,
            dispatch_reason,
            raw_candidates,
            dropped_by_limits,
            dropped_by_max_solutions,
            final_count,
            max_fk_residual,
            met: restored_met(met)?,
            max_pose_residual,
            samples,
            refinement_engaged,
            fk_atol,
            warnings,
        }))
    }
}

/// The thresholds of a policy.
const THRESHOLDS: [&str; 6] = [
    "axis_parallel",
    "axis_intersect",
    "subproblem_feasibility",
    "subproblem_numerical",
    "subproblem_degeneracy",
    "subproblem_dedup",
];

#[pymethods]
impl PyTolerancePolicy {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let values: Vec<f64> =
            THRESHOLDS.iter().map(|name| slf.getattr(*name)?.extract()).collect::<PyResult<Vec<f64>>>()?;
        Ok(rebuild(slf.get_type().into_any(), "_restore", (values,))?)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> Result<String> {
        let one = |name: &&str| Ok(format!("{name}={:?}", slf.getattr(*name)?.extract::<f64>()?));
        Ok(format!("TolerancePolicy({})", THRESHOLDS.iter().map(one).collect::<Result<Vec<_>>>()?.join(", ")))
    }

    /// The thresholds that pickle stored.
    #[staticmethod]
    fn _restore(py: Python<'_>, values: Vec<f64>) -> Result<Bound<'_, PyAny>> {
        let thresholds = PyDict::new(py);
        for (name, value) in THRESHOLDS.iter().zip(values) {
            thresholds.set_item(name, value)?;
        }
        Ok(py.get_type::<Self>().call((), Some(&thresholds))?)
    }
}
