//! Blends between the items of a sequence: the tool rounds the end of an item instead of stopping there.
//!
//! Inside a ball about the end of an item, as in the sequences of MoveIt's Pilz planner, its motion and that of the next item give
//! way to the fastest motion between the states at which the tool leaves and enters the ball (position, velocity and acceleration of
//! the joints are continuous). What it makes is proven like any motion; where it cannot be, the ball is made smaller, and at last the
//! motion stops.

use kinetic_core::{KineticError, Limits, PlannerConfig, Result, TimedTrajectory};
use kinetic_trajectory::state::MotionLimits;
use kinetic_trajectory::{BlendCut, blend_corner, concatenate, jerk, join_corners};
use nalgebra::Vector3;

use super::{Planned, Sequence};
use crate::cartesian::motion_bounds::{farthest_from, largest_tool_speeds};
use crate::certify::identity;
use crate::planner::{GRACE_S, Planner};
use crate::sequence::SequenceBlend;

/// Parts of a radius that are tried.
const RADIUS_PARTS: [f64; 4] = [1.0, 0.5, 0.25, 0.125];
/// Part of a radius at which the motions are left and entered, so that all between is inside.
const CUT_RATIO: f64 = 0.95;
/// Samples of a motion among which the tool's way into a ball is looked for, and halvings after.
const SAMPLES: u32 = 1000;
const HALVINGS: usize = 40;
/// Jerk of a blend per acceleration, 1/s, where the time law does not limit it: the acceleration is reached within 10 ms.
const BLEND_JERK_PER_ACCELERATION: f64 = 100.0;

/// The corner between two items, and what is said of it.
pub(super) type ItemCorner = (Option<(BlendCut, TimedTrajectory)>, SequenceBlend);

impl Sequence<'_> {
    /// The corners after all items but the last; `None` where an item states no radius.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for radii that overlap, naming both items, or that are longer than the way of the tool; what the
    /// control says.
    pub(super) fn corners(&self, planned: &[Planned]) -> Result<Vec<Option<ItemCorner>>> {
        self.check_radii(planned)?;
        let mut corners = Vec::with_capacity(planned.len());
        for index in 0..planned.len().saturating_sub(1) {
            let radius = self.items[index].blend_radius;
            corners.push(if radius > 0.0 { Some(self.corner(planned, index, radius)?) } else { None });
        }
        Ok(corners)
    }

    /// The corner after an item within the largest part of its radius that is proven.
    fn corner(&self, planned: &[Planned], index: usize, radius: f64) -> Result<ItemCorner> {
        let mut reason = None;
        for part in RADIUS_PARTS {
            match self.proven_corner(planned, index, part * radius) {
                Ok(corner) => {
                    return Ok((Some(corner), SequenceBlend { asked: radius, radius: part * radius, reason }));
                }
                Err(error @ (KineticError::Cancelled { .. } | KineticError::PlanningTimeout { .. })) => {
                    return Err(error);
                }
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        Ok((None, SequenceBlend { asked: radius, radius: 0.0, reason }))
    }

    fn proven_corner(&self, planned: &[Planned], index: usize, radius: f64) -> Result<(BlendCut, TimedTrajectory)> {
        let [a, b] = [&planned[index].trajectory, &planned[index + 1].trajectory];
        let end = self.tool(a, a.duration());
        let [leave, enter] = self.cuts(planned, index, radius);
        let cut = BlendCut { leave, enter, limits: self.limits_of(index)? };
        let corner = blend_corner(a, b, &cut)?;
        let farthest = farthest_from(&self.planner.chain, corner.curve(), &end);
        if !(farthest <= radius) {
            let wanted = format!("a blend inside its radius of {radius} m");
            return Err(KineticError::invalid("distance of a blend from the end of its item", farthest, wanted));
        }
        self.check_tool_speeds(index, &corner)?;
        let planner = self.planner;
        let margins = [index, index + 1].map(|item| self.config_of(item).collision_margin);
        let config = PlannerConfig { collision_margin: margins[0].min(margins[1]), ..planner.config().clone() };
        let identified = corner.clone().with_identity(identity(&planner.scene, &planner.group, &planner.chain))?;
        Planner::clone(planner).with_config(config)?.certify(&identified, &self.control.with_grace(GRACE_S))?;
        Ok((cut, identified))
    }

    /// Refuses a corner in which the tool is faster than one of its items allows.
    fn check_tool_speeds(&self, index: usize, corner: &TimedTrajectory) -> Result<()> {
        let configs = [index, index + 1].map(|item| self.items[item].cartesian_config(self.planner.config()));
        let least = |limit: &dyn Fn(&crate::cartesian::CartesianConfig) -> Option<f64>| {
            configs.iter().flatten().filter_map(limit).reduce(f64::min)
        };
        let limits = [least(&|config| config.speed_limit()), least(&|config| config.max_tool_rotation_speed)];
        if limits == [None; 2] {
            return Ok(());
        }
        let speeds = largest_tool_speeds(&self.planner.chain, corner.curve());
        for (kind, name) in
            ["speed of the tool in a blend", "rotation speed of the tool in a blend"].into_iter().enumerate()
        {
            if let Some(limit) = limits[kind].filter(|limit| speeds[kind] > *limit) {
                return Err(KineticError::invalid(name, speeds[kind], format!("at most {limit}")));
            }
        }
        Ok(())
    }

    /// Limits of both items together, the larger ones.
    fn limits_of(&self, index: usize) -> Result<MotionLimits> {
        let of = |item: usize| -> Result<Limits> {
            let limits = self.items[item].limits(self.planner.config())?;
            Planner::clone(self.planner).with_limits(limits)?.limits()
        };
        let [a, b] = [of(index)?, of(index + 1)?];
        let larger = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a.max(*b)).collect::<Vec<f64>>();
        let (velocity, acceleration) = (larger(&a.velocity, &b.velocity), larger(&a.acceleration, &b.acceleration));
        let jerk = match (&a.jerk, &b.jerk) {
            (Some(a), Some(b)) if self.law.id == jerk::ID => larger(a, b),
            _ => acceleration.iter().map(|acceleration| self.jerk_per_acceleration() * acceleration).collect(),
        };
        MotionLimits::symmetric(&Limits::new(velocity, acceleration)?.with_jerk(jerk)?)
    }

    fn jerk_per_acceleration(&self) -> f64 {
        if self.law.id == jerk::ID { jerk::DEFAULT_JERK_PER_ACCELERATION } else { BLEND_JERK_PER_ACCELERATION }
    }

    fn tool(&self, trajectory: &TimedTrajectory, time: f64) -> Vector3<f64> {
        self.planner.chain.tip_pose(&trajectory.curve().sample(time, 0)).translation()
    }

    /// When the tool comes within `radius` of the end of an item for good, and when it leaves it after; `None` for motions that
    /// stay inside.
    fn cut(&self, trajectory: &TimedTrajectory, is_end: bool, radius: f64) -> Option<f64> {
        let duration = trajectory.duration();
        let at = |part: f64| if is_end { duration * (1.0 - part) } else { duration * part };
        let end = self.tool(trajectory, at(0.0));
        let is_out = |part: f64| (self.tool(trajectory, at(part)) - end).norm() >= radius;
        let step = 1.0 / f64::from(SAMPLES);
        let first = (1..=SAMPLES).map(|index| f64::from(index) * step).find(|part| is_out(*part))?;
        let (mut inside, mut outside) = (first - step, first);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            if is_out(middle) { outside = middle } else { inside = middle }
        }
        Some(at(inside))
    }

    /// The cuts of the blend after an item; the other ends of motions that stay inside.
    fn cuts(&self, planned: &[Planned], index: usize, radius: f64) -> [f64; 2] {
        let [a, b] = [&planned[index].trajectory, &planned[index + 1].trajectory];
        let radius = CUT_RATIO * radius;
        [self.cut(a, true, radius).unwrap_or(0.0), self.cut(b, false, radius).unwrap_or(b.duration())]
    }

    fn check_radii(&self, planned: &[Planned]) -> Result<()> {
        let mut entered: Option<(usize, f64)> = None;
        for index in 0..planned.len() {
            let radius = self.items[index].blend_radius;
            let trajectory = &planned[index].trajectory;
            let name = |item: usize| format!("blend radius of item {item} of the sequence");
            let leave = if radius > 0.0 && index + 1 < planned.len() {
                let short = |item: usize| {
                    let wanted = format!("less than the way of the tool in item {item}");
                    KineticError::invalid(name(index), radius, wanted)
                };
                self.cut(&planned[index + 1].trajectory, false, radius).ok_or_else(|| short(index + 1))?;
                self.cut(trajectory, true, radius).ok_or_else(|| short(index))?
            } else {
                trajectory.duration()
            };
            if let Some((before, enter)) = entered.filter(|(_, enter)| *enter > leave) {
                let both = format!("blend radii of items {before} and {index} of the sequence");
                let given = format!("{} and {radius} m", self.items[before].blend_radius);
                let wanted = format!(
                    "radii that do not overlap: item {index} would be left at {leave:.3} s and entered at {enter:.3} s"
                );
                return Err(KineticError::invalid(both, given, wanted));
            }
            entered = if radius > 0.0 && index + 1 < planned.len() {
                self.cut(&planned[index + 1].trajectory, false, radius).map(|enter| (index, enter))
            } else {
                None
            };
        }
        Ok(())
    }
}

/// All motions and corners as one.
pub(super) fn with_corners(planned: &[Planned], corners: &[Option<ItemCorner>]) -> Result<TimedTrajectory> {
    let parts: Vec<TimedTrajectory> = planned.iter().map(|part| part.trajectory.clone()).collect();
    let corners: Vec<_> = corners.iter().map(|corner| corner.as_ref().and_then(|(corner, _)| corner.clone())).collect();
    if corners.iter().any(Option::is_some) {
        return join_corners(&parts, &corners);
    }
    let mut parts = parts.into_iter();
    let first =
        parts.next().ok_or_else(|| KineticError::invalid("items of the sequence", "none", "at least one item"))?;
    parts.try_fold(first, |whole, part| concatenate(&whole, &part))
}
