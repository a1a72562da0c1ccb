//! Goal resolution: configurations that meet a goal.

use kinetic_core::error::reason;
use kinetic_core::{Control, Goal, JointValues, KineticError, Pose, ReferenceFrame, Result};
use kinetic_scene::Checker;

use crate::goal_context::{GoalContext, IkContext, LIMIT_TOLERANCE, MOST_TURNED, branches, collision};
use crate::goal_links;
use crate::self_motion::SelfMotion;
use crate::windings;

/// Restarts when all configurations of a pose goal are sought.
pub(crate) const GOAL_RESTARTS: usize = 32;

/// Configurations inside limits none of which is free.
#[derive(Debug)]
pub(crate) struct Blocked {
    first: JointValues,
    tried: u64,
}

impl Blocked {
    /// The error that names the tightest pair. Its distance takes longer to measure than verdicts take, by far.
    pub(crate) fn error(&self, checker: &mut Checker) -> KineticError {
        // What is not free has a pair.
        self.error_of(collision(checker, &self.first).unwrap_or_default())
    }

    /// The code of that error.
    pub(crate) fn code(&self) -> &'static str {
        self.error_of(Default::default()).code()
    }

    fn error_of(&self, (link, other, distance, margin): (String, String, f64, f64)) -> KineticError {
        KineticError::GoalInCollision { link, other, distance, margin, tried: self.tried }
    }
}

/// Free configurations, or what is left where there are none.
pub(crate) type FreeOrBlocked = std::result::Result<Vec<JointValues>, Blocked>;

/// Configurations that meet `goal`, which is neither a set nor a region, the one nearest to the start first. Inside
/// limits, and free.
///
/// # Errors
/// [`KineticError::JointLimitViolation`], [`KineticError::NamedConfigNotFound`], [`KineticError::GoalUnreachable`], or errors of
/// sizes and numbers.
pub(crate) fn resolve(
    around: &GoalContext<'_>,
    checker: &mut Checker,
    goal: &Goal,
    control: &Control,
) -> Result<FreeOrBlocked> {
    let GoalContext { ik, group, start, .. } = around;
    let robot = ik.robot;
    match goal {
        Goal::Joints(values) => {
            let q = own_values(around, values)?;
            robot.check_limits(group, &q, LIMIT_TOLERANCE)?;
            Ok(those_free(checker, [q]))
        }
        Goal::JointTurns(values) => {
            let q = own_values(around, values)?;
            let turned = windings::equivalents(ik.chain, &q, start, MOST_TURNED);
            if turned.is_empty() {
                robot.check_limits(group, &q, LIMIT_TOLERANCE)?;
            }
            Ok(those_free(checker, turned))
        }
        Goal::Named(name) => Ok(those_free(checker, [named(around, name)?])),
        Goal::Pose(_) | Goal::Relative { .. } => {
            free_branches(ik, checker, start, &target(around, goal)?.unwrap_or_default(), control)
        }
        Goal::Links(links) => match goal_links::tool_pose(around, links)? {
            Some(base_from_tcp) => free_branches(ik, checker, start, &base_from_tcp, control),
            None => Ok(those_free(checker, goal_links::configurations(around, links, GOAL_RESTARTS, control)?)),
        },
        Goal::Region(_) | Goal::Any(_) | Goal::Groups(_) => {
            let reason = reason::UnsupportedGoal::NoConfigurations { kind: goal.kind().to_owned() };
            Err(KineticError::UnsupportedGoal { reason })
        }
    }
}

/// The configuration of a name.
pub(crate) fn named(around: &GoalContext<'_>, name: &str) -> Result<JointValues> {
    let (robot, group) = (around.ik.robot, around.group);
    robot.named_configuration(group, name).ok_or_else(|| KineticError::NamedConfigNotFound {
        name: name.to_owned(),
        group: group.name.clone(),
        available: robot.named_pose_names(group).into_iter().map(String::from).collect(),
    })
}

/// The tool pose that a pose goal or a relative goal states, or that of a link which is rigid with the tool; `None` for other
/// goals.
///
/// # Errors
/// [`KineticError::NotFinite`], [`KineticError::SeveralTips`] for a group without the one tip that is meant, and errors of links.
pub(crate) fn target(around: &GoalContext<'_>, goal: &Goal) -> Result<Option<Pose>> {
    let ik = &around.ik;
    if let Goal::Pose(_) | Goal::Relative { .. } | Goal::Region(_) = goal {
        ik.robot.check_single_tip(around.group)?;
    }
    match goal {
        Goal::Pose(base_from_tcp) => Ok(Some(*base_from_tcp)),
        Goal::Relative { offset, frame } => {
            offset.check_finite("relative offset")?;
            Ok(Some(moved(&ik.chain.tip_pose(around.start), offset, *frame)))
        }
        Goal::Links(links) => goal_links::tool_pose(around, links),
        Goal::Joints(_) | Goal::JointTurns(_) | Goal::Named(_) | Goal::Region(_) | Goal::Any(_) | Goal::Groups(_) => {
            Ok(None)
        }
    }
}

/// The values that a joint goal or a named goal states, in group length.
pub(crate) fn stated(around: &GoalContext<'_>, goal: &Goal) -> Option<JointValues> {
    match goal {
        Goal::Joints(values) | Goal::JointTurns(values) => own_values(around, values).ok(),
        Goal::Named(name) => around.ik.robot.named_configuration(around.group, name),
        Goal::Pose(_) | Goal::Relative { .. } | Goal::Region(_) | Goal::Any(_) | Goal::Links(_) | Goal::Groups(_) => {
            None
        }
    }
}

/// The group's values of a joint goal. One in robot length cannot move the other joints.
pub(crate) fn own_values(around: &GoalContext<'_>, values: &[f64]) -> Result<JointValues> {
    let (robot, group, held) = (around.ik.robot, around.group, around.held);
    let short = robot.group_configuration(group, values)?;
    if values.len() != group.dof() {
        let is_elsewhere = |v: &usize| (values[*v] - held[*v]).abs() > LIMIT_TOLERANCE && !group.variables.contains(v);
        if let Some(variable) = (0..held.len()).find(is_elsewhere) {
            let joint = &robot.joints[robot.active_joints[variable]].name;
            let wanted = format!("{}, where it stands: group \"{}\" does not move it", held[variable], group.name);
            return Err(KineticError::invalid(format!("joint \"{joint}\" of the goal"), values[variable], wanted));
        }
    }
    Ok(short)
}

/// The tool pose after a relative motion.
pub(crate) fn moved(base_from_tcp: &Pose, offset: &Pose, frame: ReferenceFrame) -> Pose {
    match frame {
        ReferenceFrame::Tool => *base_from_tcp * *offset,
        ReferenceFrame::Base => {
            let mut pose = base_from_tcp.0;
            pose.translation.vector += offset.translation();
            pose.rotation = offset.rotation() * pose.rotation;
            Pose(pose)
        }
    }
}

/// Those that are free; there is at least one candidate.
fn those_free(checker: &mut Checker, candidates: impl IntoIterator<Item = JointValues>) -> FreeOrBlocked {
    let (free, blocked): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|q| checker.is_free(q));
    let tried = blocked.len() as u64;
    match blocked.into_iter().next() {
        Some(first) if free.is_empty() => Err(Blocked { first, tried }),
        _ => Ok(free),
    }
}

/// All configurations that inverse kinematics finds for a pose and that are free. Where none of them is, the self-motion of a
/// redundant arm is sampled finer and finer.
fn free_branches(
    ik: &IkContext<'_>,
    checker: &mut Checker,
    start: &[f64],
    base_from_tcp: &Pose,
    control: &Control,
) -> Result<FreeOrBlocked> {
    let solutions = branches(ik, start, base_from_tcp, GOAL_RESTARTS)?;
    let blocked = match those_free(checker, solutions.into_iter().map(|solution| solution.joints)) {
        Err(blocked) => blocked,
        found => return Ok(found),
    };
    let Some(self_motion) = SelfMotion::of((ik.closed_form)(), base_from_tcp, start) else { return Ok(Err(blocked)) };
    let (free, tried) = self_motion.free(checker, control)?;
    let tried = blocked.tried + tried.in_collision;
    Ok(if free.is_empty() { Err(Blocked { tried, ..blocked }) } else { Ok(free) })
}
