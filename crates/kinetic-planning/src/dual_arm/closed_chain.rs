//! Two arms that hold one rigid object: a closed chain, kept by a constraint on the relative pose of both tips.

use std::f64::consts::PI;

use kinetic_core::error::check_finite;
use kinetic_core::{Constraint, Goal, KineticError, PlannerConfig, Pose, Result};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::PlanningGroup;

use super::{DualArmMode, DualArmPlanner, DualGoal};
use crate::planner::Planner;

/// How far the pose of the right tip in the left one may be from that of the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraspTolerance {
    /// Largest distance, m.
    pub position: f64,
    /// Largest angle, rad.
    pub orientation: f64,
}

impl Default for GraspTolerance {
    /// 1 mm and 10 mrad: what grippers yield.
    fn default() -> Self {
        Self { position: 1e-3, orientation: 1e-2 }
    }
}

impl GraspTolerance {
    pub(super) fn check(&self) -> Result<()> {
        check_finite("grasp tolerance", &[self.position, self.orientation])?;
        if !(self.position > 0.0) {
            return Err(KineticError::invalid("position_tolerance", self.position, "a positive number (m)"));
        }
        if !(self.orientation > 0.0 && self.orientation <= PI) {
            let wanted = "an angle above 0 and up to pi (rad)";
            return Err(KineticError::invalid("orientation_tolerance", self.orientation, wanted));
        }
        Ok(())
    }
}

/// The joined planner with the relative pose that both tips have at `start` as a constraint.
///
/// # Errors
/// Those of the start.
pub(super) fn holding(planner: &DualArmPlanner, start: &[f64]) -> Result<Planner> {
    let joined = planner.joined.now()?.into_owned();
    let robot = joined.scene().robot().clone();
    let links = joined.scene().link_poses(&full_start(&joined, start)?)?;
    let [left, right] = [planner.left.tip_link, planner.right.tip_link];
    let held = Constraint::RelativePose {
        link_a: robot.links[left].name.clone(),
        link_b: robot.links[right].name.clone(),
        pose: links[left].inverse() * links[right],
        position_tolerance: planner.tolerance.position,
        orientation_tolerance: planner.tolerance.orientation,
    };
    let mut config: PlannerConfig = joined.config().clone();
    config.constraints.push(held);
    joined.with_config(config)
}

/// The goals of both arms that bring the object they hold to a pose.
///
/// # Errors
/// [`KineticError::UnknownName`] for an object that neither carries; [`KineticError::InvalidValue`] in another mode.
pub(super) fn goal_of_object(
    planner: &DualArmPlanner,
    start: &[f64],
    object: &str,
    root_from_object: &Pose,
) -> Result<DualGoal> {
    if planner.mode != DualArmMode::Coordinated {
        let wanted = format!("\"{}\": other modes do not hold an object together", DualArmMode::Coordinated.id());
        return Err(KineticError::invalid("mode", format!("\"{}\"", planner.mode.id()), wanted));
    }
    let joined = planner.joined.now()?;
    let full = full_start(&joined, start)?;
    let (scene, links) = (joined.scene(), joined.scene().link_poses(&full)?);
    let moved = [&planner.left, &planner.right].map(|group| scene.robot().links_moved_by(group)).concat();
    let mut carried = scene.attached().iter().filter(|(_, body)| moved.contains(&body.link));
    let Some((_, body)) = carried.clone().find(|(name, _)| *name == object) else {
        return Err(KineticError::unknown_name("carried object", object, carried.by_ref().map(|(name, _)| name)));
    };
    let object_at_start = links[body.link] * body.link_from_shape;
    // The displacement of the object in the root frame is that of everything it is held by.
    let displaced_from_start = *root_from_object * object_at_start.inverse();
    let of_arm = |group: &PlanningGroup, q: &[f64]| -> Result<Goal> {
        let chain = KinematicChain::from_group_held(scene.robot(), group, &full)?;
        let root_from_base = links[group.base_link];
        let root_from_tool = displaced_from_start * root_from_base * chain.tip_pose(q);
        Ok(Goal::pose(root_from_base.inverse() * root_from_tool))
    };
    let (left, right) = start.split_at(planner.left.dof());
    Ok(DualGoal { left: of_arm(&planner.left, left)?, right: of_arm(&planner.right, right)? })
}

/// Values of the whole robot with both arms at `start`.
fn full_start(joined: &Planner, start: &[f64]) -> Result<Vec<f64>> {
    let start = joined.scene().robot().group_configuration(joined.group(), start)?;
    let mut full = joined.scene().held().to_vec();
    for (variable, value) in joined.group().variables.iter().zip(&*start) {
        full[*variable] = *value;
    }
    Ok(full)
}
