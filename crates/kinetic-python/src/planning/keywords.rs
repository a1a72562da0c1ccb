//! Keywords of `plan`, of `Planner`, and of its calls.

use kinetic::core::{Minimise, PlannerConfig, Prefer, Projection, Refine};
use kinetic::planning::{GraspTolerance, PlannerContext, PlannerSpec, PlannerType};
use kinetic::robot::Robot;
use pyo3::prelude::*;

use crate::bench::Progress;
use crate::convert::{Call, Count, Matrix, Real, Seed, Text, Texts, TimeLaw, Triple, keywords};
use crate::dynamics::payload::PayloadArg;
use crate::error::Result;
use crate::planning::batch::SceneList;
use crate::planning::constraint::Constraints;
use crate::planning::group_arg::GroupArg;
use crate::planning::listener::OnImprovement;
use crate::planning::paths::PathArg;
use crate::planning::presets::{RaceArg, bounds, preset_config};
use crate::planning::speed::SpeedArgs;
use crate::planning::state_cost::StateCostArg;
use crate::robot::joint_weights::JointWeights;
use crate::scene::PyScene;
use crate::stop_flag::PyStopFlag;

pub(crate) const PLAN: Call<(PlanKeywords, SpeedArgs)> = Call::new("plan");
/// `robot` and `scene` stand ahead; all up to `minimise` may stand by position.
pub(crate) const NEW_PLANNER: Call<(PlannerKeywords, SpeedArgs)> = Call::with_positions("Planner.__new__", 2, 13);
/// Robot and groups stand ahead; all up to `timeout` may stand by position.
pub(crate) const NEW_DUAL_ARM_PLANNER: Call<DualArmKeywords> = Call::with_positions("DualArmPlanner.__new__", 3, 3);
pub(crate) const PLANNER_PLAN: Call<(PlanCallKeywords, SpeedArgs)> = Call::new("Planner.plan");
pub(crate) const PLANNER_PROBLEM: Call<SpeedArgs> = Call::new("Planner.problem");
pub(crate) const PLAN_BATCH: Call<(PlanBatchKeywords, SpeedArgs)> = Call::new("Planner.plan_batch");

keywords! {
    /// Of `plan`.
    pub(crate) struct PlanKeywords {
        scene: Option<Py<PyScene>> = None,
        planner_type: Text = Text("auto".to_owned()),
        timeout: Option<Real> = None,
        time_parameterize: TimeLaw = TimeLaw::default_law(),
        rng_seed: Option<Seed> = None,
        torque_limits: bool = false,
        payload: Option<PayloadArg> = None,
        gravity: Option<Triple> = None,
        group: Option<GroupArg> = None,
    }
}

impl PlanKeywords {
    /// The options of a planner for a group of `dof` joints.
    pub(crate) fn config(&self, speed: SpeedArgs, dof: usize) -> PlannerConfig {
        let base = PlannerConfig::default();
        PlannerConfig {
            timeout: self.timeout.as_ref().map_or(base.timeout, |value| value.0),
            seed: self.rng_seed.as_ref().map_or(base.seed, |value| value.0),
            torque_limits: self.torque_limits,
            payload: self.payload.clone().map(PayloadArg::mounted),
            gravity: self.gravity.as_ref().map(|gravity| gravity.0.into()),
            limits: speed.over(&base.limits, dof),
            ..base
        }
    }
}

keywords! {
    /// Of `Planner`; what is None is as the profile has it, and else the preset.
    pub(crate) struct PlannerKeywords {
        timeout: Option<Real> = None,
        planner_type: Text = Text("auto".to_owned()),
        collision_margin: Option<Real> = None,
        self_margin: Option<Real> = None,
        smooth: Option<bool> = None,
        shortcut_iterations: Option<Count> = None,
        workspace_bounds: Option<Matrix> = None,
        preset: Option<Text> = None,
        group: Option<GroupArg> = None,
        rng_seed: Option<Seed> = None,
        max_iterations: Option<Count> = None,
        joint_weights: Option<JointWeights> = None,
        minimise: Option<Text> = None,
        torque_limits: Option<bool> = None,
        payload: Option<PayloadArg> = None,
        gravity: Option<Triple> = None,
        constraints: Option<Constraints> = None,
        project_start: Option<bool> = None,
        fix_start: Option<Real> = None,
        prefer: Option<Text> = None,
        projection: Option<Text> = None,
        state_cost: Option<StateCostArg> = None,
        num_seeds: Option<Count> = None,
        lazy_roadmap: Option<bool> = None,
        convex_relaxation: Option<bool> = None,
        refine: Option<Text> = None,
        fallback: Option<Texts> = None,
        race: Option<RaceArg> = None,
        profile: Option<Text> = None,
        device: Option<Text> = None,
    }
}

impl PlannerKeywords {
    /// The options of a planner of this type for a group.
    pub(crate) fn config(
        self,
        speed: SpeedArgs,
        robot: &Robot,
        group: &str,
        planner_type: PlannerType,
    ) -> Result<PlannerConfig> {
        let preset = preset_config(self.preset.as_ref().map_or("default", |preset| preset.0.as_str()))?;
        // A planner that is asked for by name does not take what the preset makes small if it ends with its first path, or
        // makes something else small.
        let takes =
            |spec: &PlannerSpec| spec.is_anytime && (spec.build)(&PlannerContext::without_robot(&preset)).is_ok();
        let goes_on = planner_type == PlannerType::Auto || takes(planner_type.spec());
        let preset = PlannerConfig { minimise: preset.minimise.filter(|_| goes_on), ..preset };
        let base = match &self.profile {
            Some(name) => robot.profile(&name.0, preset)?,
            None => preset,
        };
        let weights = self.joint_weights.map(|weights| weights.of_group(robot, group)).transpose()?;
        Ok(PlannerConfig {
            minimise: self.minimise.map(|name| Minimise::from_name(&name.0)).transpose()?.or(base.minimise),
            timeout: self.timeout.map_or(base.timeout, |value| value.0),
            max_iterations: self.max_iterations.map_or(base.max_iterations, |value| value.0 as u64),
            collision_margin: self.collision_margin.map_or(base.collision_margin, |value| value.0),
            self_margin: self.self_margin.map_or(base.self_margin, |value| value.0),
            shortcut_iterations: self.shortcut_iterations.map_or(base.shortcut_iterations, |value| value.0),
            smooth: self.smooth.unwrap_or(base.smooth),
            workspace_bounds: self.workspace_bounds.as_ref().map(bounds).transpose()?.or(base.workspace_bounds),
            joint_weights: weights.or(base.joint_weights),
            torque_limits: self.torque_limits.unwrap_or(base.torque_limits),
            payload: self.payload.map(PayloadArg::mounted).or(base.payload),
            gravity: self.gravity.map(|gravity| gravity.0.into()).or(base.gravity),
            constraints: self.constraints.map_or(base.constraints, |constraints| constraints.0),
            project_start: self.project_start.unwrap_or(base.project_start),
            fix_start: self.fix_start.map_or(base.fix_start, |value| value.0),
            prefer: self.prefer.map(|name| Prefer::from_name(&name.0)).transpose()?.or(base.prefer),
            projection: self.projection.map(|name| Projection::from_name(&name.0)).transpose()?.or(base.projection),
            state_cost: self.state_cost.map(|cost| cost.0).or(base.state_cost),
            num_seeds: self.num_seeds.map(|value| value.0 as u64).or(base.num_seeds),
            lazy_roadmap: self.lazy_roadmap.unwrap_or(base.lazy_roadmap),
            convex_relaxation: self.convex_relaxation.unwrap_or(base.convex_relaxation),
            refine: self.refine.map(|name| Refine::from_name(&name.0)).transpose()?.or(base.refine),
            fallback: self.fallback.map_or(base.fallback, |names| names.0),
            race: self.race.map_or(base.race, |race| race.0),
            limits: speed.over(&base.limits, robot.resolve_group(group)?.dof()),
            seed: self.rng_seed.map_or(base.seed, |value| value.0),
        })
    }
}

keywords! {
    /// Of `Planner.plan`.
    pub(crate) struct PlanCallKeywords {
        stop: Option<Py<PyStopFlag>> = None,
        on_improvement: Option<OnImprovement> = None,
        warm_start: Option<PathArg> = None,
    }
}

keywords! {
    /// Of `Planner.plan_batch`.
    pub(crate) struct PlanBatchKeywords {
        time_parameterize: TimeLaw = TimeLaw::default_law(),
        progress: Option<Progress> = None,
        scenes: Option<SceneList> = None,
        stop: Option<Py<PyStopFlag>> = None,
    }
}

keywords! {
    /// Of `DualArmPlanner`.
    pub(crate) struct DualArmKeywords {
        mode: Text = Text("synchronized".to_owned()),
        scene: Option<Py<PyScene>> = None,
        timeout: Real = Real(5.0),
        rng_seed: Option<Seed> = None,
        max_iterations: Option<Count> = None,
        collision_margin: Option<Real> = None,
        self_margin: Option<Real> = None,
        constraints: Option<Constraints> = None,
        position_tolerance: Option<Real> = None,
        orientation_tolerance: Option<Real> = None,
    }
}

impl DualArmKeywords {
    /// The options of the planner of both arms.
    pub(crate) fn config(&self) -> PlannerConfig {
        let base = PlannerConfig::default();
        PlannerConfig {
            timeout: self.timeout.0,
            seed: self.rng_seed.as_ref().map_or(base.seed, |value| value.0),
            max_iterations: self.max_iterations.as_ref().map_or(base.max_iterations, |value| value.0 as u64),
            collision_margin: self.collision_margin.as_ref().map_or(base.collision_margin, |value| value.0),
            self_margin: self.self_margin.as_ref().map_or(base.self_margin, |value| value.0),
            constraints: self.constraints.as_ref().map_or_else(Vec::new, |constraints| constraints.0.clone()),
            ..base
        }
    }

    /// The tolerance of what both arms hold.
    pub(crate) fn grasp_tolerance(&self) -> GraspTolerance {
        let base = GraspTolerance::default();
        GraspTolerance {
            position: self.position_tolerance.as_ref().map_or(base.position, |value| value.0),
            orientation: self.orientation_tolerance.as_ref().map_or(base.orientation, |value| value.0),
        }
    }
}
