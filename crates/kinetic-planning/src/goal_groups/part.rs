//! One of several groups that are planned together, with its own goal.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use kinetic_core::{Control, Goal, JointValues, KineticError, PoseRegion, Result};
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::PlanningGroup;

use crate::goal::{GOAL_RESTARTS, named, own_values, stated, target};
use crate::goal_context::{GoalContext, IkContext, LIMIT_TOLERANCE, MOST_TURNED, branches};
use crate::goal_links;
use crate::goal_region::{IK_RESTARTS_PER_POSE, sampled_pose};
use crate::windings;

pub(super) struct Part<'a> {
    pub(super) group: PlanningGroup,
    goal: &'a Goal,
    chain: KinematicChain,
    closed_form: OnceCell<Option<Manipulator>>,
    /// Of this group.
    start: JointValues,
    /// The start of the whole robot.
    full_start: Vec<f64>,
    /// Where the values of this group stand in those of the planning group.
    places: Vec<usize>,
    /// Links that this group moves, ascending.
    pub(super) moved: Vec<usize>,
}

/// The groups that have a goal, in the order of their names.
///
/// # Errors
/// As `goal_groups::resolve` for names and joints.
pub(super) fn parts<'a>(around: &GoalContext<'_>, goals: &'a BTreeMap<String, Goal>) -> Result<Vec<Part<'a>>> {
    if goals.is_empty() {
        return Err(KineticError::invalid("goal", "no group", "a goal of at least one group"));
    }
    let parts = goals.iter().map(|(name, goal)| Part::new(around, name, goal)).collect::<Result<Vec<_>>>()?;
    let groups: Vec<&PlanningGroup> = parts.iter().map(|part| &part.group).collect();
    around.ik.robot.check_disjoint(&groups)?;
    parts.iter().try_for_each(|part| part.check_base(around, &groups))?;
    Ok(parts)
}

impl<'a> Part<'a> {
    fn new(around: &GoalContext<'_>, name: &str, goal: &'a Goal) -> Result<Self> {
        let (robot, whole) = (around.ik.robot, around.group);
        let group = robot.resolve_group(name)?.into_owned();
        let place = |variable: &usize| whole.variables.iter().position(|other| other == variable);
        let Some(places) = group.variables.iter().map(place).collect::<Option<Vec<usize>>>() else {
            let wanted = format!("goals of groups whose joints all belong to group \"{}\"", whole.name);
            return Err(KineticError::invalid("goal", format!("of group \"{name}\""), wanted));
        };
        let mut full_start = around.held.to_vec();
        for (variable, value) in whole.variables.iter().zip(around.start) {
            full_start[*variable] = *value;
        }
        Ok(Self {
            chain: KinematicChain::from_group_held(robot, &group, &full_start)?,
            closed_form: OnceCell::new(),
            start: places.iter().map(|place| around.start[*place]).collect(),
            moved: robot.links_moved_by(&group),
            full_start,
            places,
            group,
            goal,
        })
    }

    /// Refuses a tool goal whose base another group moves away from the tool: where it ends depends on the other goal.
    fn check_base(&self, around: &GoalContext<'_>, groups: &[&PlanningGroup]) -> Result<()> {
        if matches!(self.goal, Goal::Joints(_) | Goal::JointTurns(_) | Goal::Named(_)) {
            return Ok(());
        }
        let robot = around.ik.robot;
        let others = || groups.iter().filter(|group| group.name != self.group.name);
        let is_moved = |joint: &&usize| others().any(|group| group.joints.contains(joint));
        let Some(joint) = self.chain.all_joints().iter().find(is_moved) else { return Ok(()) };
        let given = format!("a tool goal of group \"{}\"", self.group.name);
        let wanted = format!(
            "joint values: joint \"{}\" between its base and its tip has its own goal",
            robot.joints[*joint].name
        );
        Err(KineticError::invalid("goal", given, wanted))
    }

    fn with_context<T>(&self, around: &GoalContext<'_>, action: impl FnOnce(&GoalContext<'_>) -> T) -> T {
        let make = || Manipulator::from_chain(self.chain.clone(), TolerancePolicy::default()).ok();
        let closed_form = || self.closed_form.get_or_init(make).as_ref();
        let ik =
            IkContext { robot: around.ik.robot, chain: &self.chain, closed_form: &closed_form, seed: around.ik.seed };
        action(&GoalContext {
            ik,
            group: &self.group,
            start: &self.start,
            held: &self.full_start,
            attached: around.attached,
        })
    }

    /// Writes the values of this group into those of the planning group.
    pub(super) fn write(&self, values: &[f64], q: &mut JointValues) {
        for (place, value) in self.places.iter().zip(values) {
            q.0[*place] = *value;
        }
    }

    /// Squares of the ways of its joints from the start.
    pub(super) fn costs(&self, offered: &[JointValues]) -> Vec<f64> {
        offered.iter().map(|q| self.cost(q)).collect()
    }

    fn cost(&self, q: &[f64]) -> f64 {
        self.chain.travel(&self.start, q).powi(2)
    }

    /// The values that the goal states, where it is one of joints or of a name.
    pub(super) fn stated(&self, around: &GoalContext<'_>) -> Option<JointValues> {
        self.with_context(around, |own| stated(own, self.goal))
    }

    /// Configurations inside limits that meet the goal, the nearest to the start first; collisions are not looked at.
    pub(super) fn candidates(
        &self,
        around: &GoalContext<'_>,
        poses: u64,
        control: &Control,
    ) -> Result<Vec<JointValues>> {
        let mut found = self.with_context(around, |own| candidates(own, self.goal, poses, control))?;
        // Stable: of equally near ones the first stays first.
        found.sort_by(|one, other| self.cost(one).total_cmp(&self.cost(other)));
        found.truncate(MOST_TURNED);
        Ok(found)
    }
}

fn candidates(own: &GoalContext<'_>, goal: &Goal, poses: u64, control: &Control) -> Result<Vec<JointValues>> {
    let (robot, chain) = (own.ik.robot, own.ik.chain);
    match goal {
        Goal::Joints(values) => inside(own, own_values(own, values)?),
        Goal::JointTurns(values) => {
            let q = own_values(own, values)?;
            let turned = windings::equivalents(chain, &q, own.start, MOST_TURNED);
            if turned.is_empty() { inside(own, q) } else { Ok(turned) }
        }
        Goal::Named(name) => Ok(vec![named(own, name)?]),
        Goal::Pose(_) | Goal::Relative { .. } | Goal::Links(_) => {
            let found: Vec<JointValues> = match (target(own, goal)?, goal) {
                (None, Goal::Links(links)) => goal_links::configurations(own, links, GOAL_RESTARTS, control)?,
                (base_from_tcp, _) => {
                    let found = branches(&own.ik, own.start, &base_from_tcp.unwrap_or_default(), GOAL_RESTARTS)?;
                    found.into_iter().map(|solution| solution.joints).collect()
                }
            };
            let most = (MOST_TURNED / found.len().max(1)).max(2);
            Ok(found.iter().flat_map(|q| windings::equivalents(chain, q, own.start, most)).collect())
        }
        Goal::Region(region) => {
            robot.check_single_tip(own.group)?;
            of_region(own, region, poses)
        }
        Goal::Any(goals) => of_any(own, goals, poses, control),
        Goal::Groups(_) => {
            let wanted = "goals of other kinds for each group";
            Err(KineticError::invalid("goal", "groups inside a group", wanted))
        }
    }
}

fn inside(own: &GoalContext<'_>, q: JointValues) -> Result<Vec<JointValues>> {
    own.ik.robot.check_limits(own.group, &q, LIMIT_TOLERANCE)?;
    Ok(vec![q])
}

fn of_region(own: &GoalContext<'_>, region: &PoseRegion, poses: u64) -> Result<Vec<JointValues>> {
    region.check()?;
    let (mut found, mut last) = (Vec::new(), None);
    for index in 0..poses {
        match branches(&own.ik, own.start, &sampled_pose(region, own.ik.seed, index), IK_RESTARTS_PER_POSE) {
            Err(error @ KineticError::GoalUnreachable { .. }) => last = Some(error),
            solutions => found.extend(solutions?.into_iter().map(|solution| solution.joints)),
        }
    }
    match last {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// Members that cannot be reached are passed over while another one can.
fn of_any(own: &GoalContext<'_>, goals: &[Goal], poses: u64, control: &Control) -> Result<Vec<JointValues>> {
    let (mut found, mut last) = (Vec::new(), None);
    for goal in goals {
        match candidates(own, goal, poses, control) {
            Err(error @ KineticError::GoalUnreachable { .. }) => last = Some(error),
            offered => found.extend(offered?),
        }
    }
    match last {
        Some(error) if found.is_empty() => Err(error),
        _ if found.is_empty() => Err(KineticError::invalid("goal", "an empty set", "at least one goal")),
        _ => Ok(found),
    }
}
