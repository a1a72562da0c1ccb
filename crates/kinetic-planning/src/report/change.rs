//! Changes of a planning problem that may solve it.

use std::fmt;

use kinetic_core::{Constraint, Goal, JointValues, KineticError, Pair, PlannerConfig, Pose, Result};

use super::units;
use crate::planning_problem::PlanningProblem;
use crate::registry::PlannerType;

/// A change of a planning problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Another distance to keep from the world, m.
    CollisionMargin(f64),
    /// Another distance to keep between own links, m.
    SelfMargin(f64),
    /// Another required clearance of two bodies, m.
    PairMargin(Pair, f64),
    /// The margins stated for a link, body or object taken back.
    NoMarginOf(String),
    /// The padding of a link, body or object taken back.
    NoPadding(String),
    /// The scale of a link taken back.
    NoScale(String),
    /// Two bodies may touch.
    AllowCollision(Pair),
    /// An object taken out of the scene.
    RemoveObject(String),
    /// A body that the robot carries taken away.
    RemoveBody(String),
    /// Another start: inside the limits, or out of contact.
    StartAt(JointValues),
    /// Another goal configuration: inside the limits, or out of contact.
    GoalAt(JointValues),
    /// The start projected onto the constraints.
    ProjectedStart(JointValues),
    /// The goal configuration projected onto the constraints.
    ProjectedGoal(JointValues),
    /// The constraint of that index with a wider tolerance.
    Constraint(usize, Constraint),
    /// The goal configurations at any full turns of bounded joints inside their limits.
    Turns,
    /// Another goal pose: the nearest one that the arm reaches.
    GoalPose(Pose),
    /// The goal's position with an orientation that the arm reaches.
    FreeOrientation(Pose),
    /// Turning joints of start and goal read as degrees.
    RadiansForDegrees,
    /// The position of the goal pose, and sliding joints of start and goal, read as millimetres.
    MetresForMillimetres,
    /// Both: sliding joints read as millimetres, turning ones as degrees.
    MetresAndRadians,
    /// No box that the tool must stay in.
    NoWorkspaceBounds,
    /// Another seed.
    Seed(u64),
    /// So many iterations.
    MoreIterations(u64),
    /// Another planner.
    Planner(PlannerType),
    /// Several of them, one after the other.
    Several(Vec<Change>),
}

impl Change {
    /// Its name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CollisionMargin(_) => "collision_margin",
            Self::SelfMargin(_) => "self_margin",
            Self::PairMargin(..) => "pair_margin",
            Self::NoMarginOf(_) => "no_margin",
            Self::NoPadding(_) => "no_padding",
            Self::NoScale(_) => "no_scale",
            Self::AllowCollision(_) => "allow_collision",
            Self::RemoveObject(_) => "remove_object",
            Self::RemoveBody(_) => "remove_body",
            Self::StartAt(_) => "start",
            Self::GoalAt(_) => "goal",
            Self::ProjectedStart(_) => "projected_start",
            Self::ProjectedGoal(_) => "projected_goal",
            Self::Constraint(..) => "constraint",
            Self::Turns => "turns",
            Self::GoalPose(_) => "goal_pose",
            Self::FreeOrientation(_) => "free_orientation",
            Self::RadiansForDegrees => "radians_for_degrees",
            Self::MetresForMillimetres => "metres_for_millimetres",
            Self::MetresAndRadians => "metres_and_radians",
            Self::NoWorkspaceBounds => "no_workspace_bounds",
            Self::Seed(_) => "seed",
            Self::MoreIterations(_) => "more_iterations",
            Self::Planner(_) => "planner",
            Self::Several(_) => "several",
        }
    }

    /// The changes that it consists of: those of several, else itself.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Several(changes) => changes,
            single => std::slice::from_ref(single),
        }
    }

    /// The problem with the change.
    ///
    /// # Errors
    /// When it cannot be made: an unknown name, a value outside its domain;
    /// [`KineticError::UnsupportedGoal`](kinetic_core::KineticError::UnsupportedGoal) for a change
    /// of another kind of goal.
    pub fn apply(&self, problem: &PlanningProblem) -> Result<PlanningProblem> {
        let problem = problem.clone();
        let config = problem.config().clone();
        match self {
            Self::CollisionMargin(collision_margin) => {
                problem.with_config(PlannerConfig { collision_margin: *collision_margin, ..config })
            }
            Self::SelfMargin(self_margin) => problem.with_config(PlannerConfig { self_margin: *self_margin, ..config }),
            Self::NoWorkspaceBounds => problem.with_config(PlannerConfig { workspace_bounds: None, ..config }),
            Self::Seed(seed) => problem.with_config(PlannerConfig { seed: *seed, ..config }),
            Self::MoreIterations(max_iterations) => {
                problem.with_config(PlannerConfig { max_iterations: *max_iterations, ..config })
            }
            Self::PairMargin(..)
            | Self::NoMarginOf(_)
            | Self::NoPadding(_)
            | Self::NoScale(_)
            | Self::AllowCollision(_)
            | Self::RemoveObject(_)
            | Self::RemoveBody(_) => self.change_scene(problem),
            Self::Constraint(index, wider) => {
                let mut constraints = config.constraints.clone();
                let count = constraints.len();
                let wanted = || KineticError::invalid("constraint", index, format!("an index below {count}"));
                *constraints.get_mut(*index).ok_or_else(wanted)? = wider.clone();
                problem.with_config(PlannerConfig { constraints, ..config })
            }
            Self::StartAt(start) | Self::ProjectedStart(start) => Ok(start_at(problem, start)),
            Self::GoalAt(goal) | Self::ProjectedGoal(goal) => Ok(problem.with_goal(Goal::Joints(goal.clone()))),
            Self::Turns => {
                let goal = with_turns(&problem, problem.goal())?;
                Ok(problem.with_goal(goal))
            }
            Self::GoalPose(pose) | Self::FreeOrientation(pose) => Ok(problem.with_goal(Goal::Pose(*pose))),
            Self::RadiansForDegrees => Ok(units::in_radians(problem)),
            Self::MetresForMillimetres => units::in_metres(problem),
            Self::MetresAndRadians => units::in_metres(units::in_radians(problem)),
            Self::Planner(planner) => Ok(problem.with_planner_type(*planner)),
            Self::Several(changes) => changes.iter().try_fold(problem, |problem, change| change.apply(&problem)),
        }
    }

    fn change_scene(&self, problem: PlanningProblem) -> Result<PlanningProblem> {
        let mut scene = problem.scene().clone();
        match self {
            Self::PairMargin(pair, value) => scene.set_margin(&pair.link, &pair.other, *value)?,
            Self::NoMarginOf(name) => scene.set_margin_all(name, None)?,
            Self::NoPadding(name) => scene.set_padding(name, None)?,
            Self::NoScale(link) => scene.set_scale(link, None)?,
            Self::AllowCollision(pair) => scene.allow_collision(&pair.link, &pair.other)?,
            Self::RemoveObject(name) => {
                scene.object(name)?;
                scene.remove(name);
            }
            Self::RemoveBody(name) => {
                scene.detach(name, Pose::identity())?;
                scene.remove(name);
            }
            _ => {}
        }
        problem.with_scene(&scene)
    }
}

/// The goal with turns of its configurations.
fn with_turns(problem: &PlanningProblem, goal: &Goal) -> Result<Goal> {
    Ok(match goal {
        Goal::Joints(values) => Goal::JointTurns(values.clone()),
        Goal::Named(name) => {
            let robot = problem.scene().robot();
            let group = robot.resolve_group(problem.group())?;
            let pose = robot.named_configuration(&group, name);
            pose.map_or_else(|| goal.clone(), Goal::JointTurns)
        }
        Goal::Any(goals) => Goal::Any(goals.iter().map(|goal| with_turns(problem, goal)).collect::<Result<_>>()?),
        other => other.clone(),
    })
}

/// Joints outside the group stand where they stood.
fn start_at(problem: PlanningProblem, start: &JointValues) -> PlanningProblem {
    let robot = problem.scene().robot().clone();
    let mut full = problem.start().0.clone();
    match robot.resolve_group(problem.group()) {
        Ok(group) if full.len() == robot.num_variables() && full.len() != group.dof() => {
            for (variable, value) in group.variables.iter().zip(&**start) {
                full[*variable] = *value;
            }
            problem.with_start(full)
        }
        _ => problem.with_start(start.clone()),
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mm = |metres: f64| format!("{:.1} mm", 1e3 * metres);
        match self {
            Self::CollisionMargin(value) => write!(f, "collision_margin = {value:?} ({})", mm(*value)),
            Self::SelfMargin(value) => write!(f, "self_margin = {value:?} ({})", mm(*value)),
            Self::PairMargin(pair, value) => {
                write!(f, "margin of \"{}\" and \"{}\" = {value:?} ({})", pair.link, pair.other, mm(*value))
            }
            Self::NoMarginOf(name) => write!(f, "no margin stated for \"{name}\""),
            Self::NoPadding(name) => write!(f, "no padding of \"{name}\""),
            Self::NoScale(link) => write!(f, "no scale of \"{link}\""),
            Self::AllowCollision(pair) => write!(f, "let \"{}\" and \"{}\" touch", pair.link, pair.other),
            Self::RemoveObject(name) => write!(f, "scene without the object \"{name}\""),
            Self::RemoveBody(name) => write!(f, "scene without the attached body \"{name}\""),
            Self::StartAt(q) => write!(f, "start at {}", joints(q)),
            Self::GoalAt(q) => write!(f, "goal at {}", joints(q)),
            Self::ProjectedStart(q) => {
                write!(f, "start projected onto the constraints (project_start=True), {}", joints(q))
            }
            Self::ProjectedGoal(q) => write!(f, "goal projected onto the constraints, {}", joints(q)),
            Self::Constraint(index, wider) => write!(f, "constraints[{index}] = {wider}"),
            Self::Turns => write!(f, "goal at any full turns of the joints (turns=True)"),
            Self::GoalPose(pose) => write!(f, "goal at the nearest pose that is reached, {}", place(pose)),
            Self::FreeOrientation(pose) => write!(f, "goal with another orientation, {}", place(pose)),
            Self::RadiansForDegrees => write!(f, "joint values in radians: they seem to be in degrees"),
            Self::MetresForMillimetres => write!(f, "lengths in metres: they seem to be in millimetres"),
            Self::MetresAndRadians => {
                write!(f, "joint values in metres and radians: they seem to be in millimetres and degrees")
            }
            Self::NoWorkspaceBounds => write!(f, "no workspace_bounds"),
            Self::Seed(seed) => write!(f, "seed {seed}"),
            Self::MoreIterations(count) => write!(f, "more time: up to {count} iterations"),
            Self::Planner(planner) => write!(f, "planner {planner}"),
            Self::Several(changes) => {
                write!(f, "{}", changes.iter().map(Self::to_string).collect::<Vec<_>>().join("; and "))
            }
        }
    }
}

fn joints(q: &[f64]) -> String {
    format!("[{}]", q.iter().map(|value| format!("{value:.4}")).collect::<Vec<_>>().join(", "))
}

fn place(pose: &Pose) -> String {
    let (t, (roll, pitch, yaw)) = (pose.translation(), pose.rpy());
    format!("({:.4}, {:.4}, {:.4}) m, rpy ({roll:.3}, {pitch:.3}, {yaw:.3})", t.x, t.y, t.z)
}
