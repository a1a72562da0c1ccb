//! Failures: proofs that a pose is out of reach, and the limits that stopped a search.

use kinetic_core::digits::short;
use kinetic_core::error::reason;
use kinetic_core::{KineticError, Pose};
use kinetic_kinematics::{KinematicChain, Motion, Rigid};

use super::IKConfig;
use super::pose_problem::PoseProblem;
use super::solution::IKSolution;
use crate::tolerance::LIMIT_ROUNDING_RAD_M;

/// The distances from the first joint's origin that a point of the arm can have, m.
struct Shell {
    least: f64,
    most: f64,
}

impl Shell {
    /// By the triangle inequality over the segments between consecutive frames, up to frame `last`, and a last segment.
    fn of(problem: &PoseProblem<'_>, last: usize, tail: f64) -> Self {
        let frames = problem.chain.program().frames();
        let mut segments = vec![tail];
        for (frame, next) in frames[..last].iter().zip(frames.iter().skip(1).take(last).map(Some).chain([None])) {
            // What a sliding joint adds along its own axis.
            if frame.motion == Motion::Translation {
                let (low, high) = problem.bounds[frame.variable];
                let travel = |value: f64| (frame.multiplier * value + frame.offset).abs();
                segments.push(travel(low).max(travel(high)));
            }
            if let Some(next) = next {
                segments.push(next.parent_from_frame.translation.norm());
            }
        }
        let most: f64 = segments.iter().sum();
        let slides = frames[..last].iter().any(|frame| frame.motion == Motion::Translation);
        let longest = segments.iter().copied().fold(0.0, f64::max);
        // The stroke of a sliding joint may be short: only fixed lengths keep the ends apart.
        let least = if slides { 0.0 } else { (2.0 * longest - most).max(0.0) };
        Self { least, most }
    }
}

/// Why no configuration whatever reaches the target within the tolerances; `None` when that is not proven.
///
/// The origin of the last frame lies on its axis, so that the target fixes it: it must be as far from the first joint as
/// the segments between them allow. Without an orientation the same holds for the tool's origin.
pub(super) fn out_of_reach(problem: &PoseProblem<'_>) -> Option<String> {
    let (chain, config) = (problem.chain, problem.config);
    let frames = chain.program().frames();
    let first = frames.first()?.parent_from_frame.translation;
    let (carrier, frame_from_tcp) = chain.tip();
    if carrier == 0 || frames[0].motion == Motion::Translation && !problem.bounds[frames[0].variable].1.is_finite() {
        return None;
    }
    let tool = frame_from_tcp.translation.norm();
    let (point, shell, slack, name) = if problem.has_orientation {
        let point = problem.target.then(&inverse(frame_from_tcp)).translation;
        // A tilt of the tool by the tolerance moves the last joint by so much.
        let slack = config.position_tolerance + config.orientation_tolerance * tool;
        (point, Shell::of(problem, carrier, 0.0), slack, "last joint")
    } else {
        (problem.target.translation, Shell::of(problem, carrier, tool), config.position_tolerance, "tool")
    };
    let distance = (point - first).norm();
    let bound = if distance > shell.most + slack {
        format!("farther than its reach of {:.4} m", shell.most)
    } else if distance < shell.least - slack {
        format!("nearer than the arm can fold, {:.4} m", shell.least)
    } else {
        return None;
    };
    Some(format!("the target puts the {name} {distance:.4} m from the first joint, {bound}"))
}

/// Whether the lengths of a chain prove that no configuration reaches a pose, limits of turning joints not looked at.
pub(crate) fn is_out_of_reach(chain: &KinematicChain, base_from_tcp: &Pose) -> bool {
    let config = IKConfig::default();
    out_of_reach(&PoseProblem::new(chain, base_from_tcp, &config, true)).is_some()
}

fn inverse(a_from_b: &Rigid) -> Rigid {
    let rotation = a_from_b.rotation.transpose();
    Rigid { rotation, translation: -(rotation * a_from_b.translation) }
}

/// Whether an error says that no configuration was found, rather than that the question cannot be used.
pub fn is_unsolved(error: &KineticError) -> bool {
    matches!(
        error,
        KineticError::IKNotConverged { .. } | KineticError::IKTimeout { .. } | KineticError::NoIKSolution { .. }
    )
}

/// Failure of a search: distance of the nearest configuration, and the joints at their limits.
pub fn what_stopped(chain: &KinematicChain, nearest: &IKSolution) -> String {
    let t = chain.tip_pose(&nearest.joints).translation();
    let text = format!(
        "the nearest pose reached, at ({:.4}, {:.4}, {:.4}) m, is off by {} m and {} rad",
        t.x,
        t.y,
        t.z,
        short(nearest.position_error),
        short(nearest.orientation_error)
    );
    let mut stopped = Vec::new();
    for (joint, value) in nearest.joints.iter().enumerate() {
        let (low, high) = chain.bounds()[joint];
        let name = &chain.joint_names()[joint];
        if *value <= low + LIMIT_ROUNDING_RAD_M {
            stopped.push(format!("\"{name}\" at its lower limit {low:.4}"));
        } else if *value >= high - LIMIT_ROUNDING_RAD_M {
            stopped.push(format!("\"{name}\" at its upper limit {high:.4}"));
        }
    }
    if stopped.is_empty() {
        return text + "; no joint stands at a limit there";
    }
    text + "; there " + &stopped.join(" and ")
}

/// The error of a search that ended at `nearest`.
pub(super) fn error(problem: &PoseProblem<'_>, nearest: &IKSolution) -> KineticError {
    match out_of_reach(problem) {
        Some(proof) => {
            let reason = reason::NoIKSolution::OutOfReach {
                proof,
                nearest: what_stopped(problem.chain, nearest),
                position_error: nearest.position_error,
                orientation_error: nearest.orientation_error,
            };
            KineticError::NoIKSolution { reason }
        }
        None => KineticError::IKNotConverged { iterations: nearest.iterations, residual: residual(problem, nearest) },
    }
}

fn residual(problem: &PoseProblem<'_>, nearest: &IKSolution) -> f64 {
    if problem.has_orientation { nearest.position_error.max(nearest.orientation_error) } else { nearest.position_error }
}

/// Refuses targets that are no finite pose.
pub(super) fn check_target(base_from_tcp: &Pose) -> kinetic_core::Result<()> {
    base_from_tcp.check_finite("target pose")?;
    let norm = base_from_tcp.rotation().coords.norm();
    if (norm - 1.0).abs() > 1e-6 {
        let wanted = "a unit quaternion, off by at most 1e-6; Pose::from_xyz_quat normalises";
        return Err(KineticError::invalid("length of the target's quaternion", norm, wanted));
    }
    Ok(())
}
