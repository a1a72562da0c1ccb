//! Keywords of the calls of `TaskProblem`, and of batches of inverse kinematics.

use kinetic::core::AxisMask;
use kinetic::kinematics::VirtualBase;
use kinetic::kinematics::tasks::TaskOptions;

use crate::convert::{
    AxisArg, BaseArg, Call, Count, MaskArg, PoseArg, Real, Seed, Text, Texts, Tolerances, Vector, keywords,
};
use crate::tasks::initial::InitialArg;

pub(crate) const ADD_POSE: Call<(FrameKeywords, PoseKeywords, LevelKeywords)> = Call::new("TaskProblem.add_pose");
pub(crate) const ADD_POSITION: Call<(FrameKeywords, PositionKeywords, LevelKeywords)> =
    Call::new("TaskProblem.add_position");
pub(crate) const ADD_ORIENTATION: Call<(FrameKeywords, OrientationKeywords, LevelKeywords)> =
    Call::new("TaskProblem.add_orientation");
pub(crate) const SOLVE: Call<SolveKeywords> = Call::new("TaskProblem.solve");
/// `targets` stands ahead; all options may stand by position.
pub(crate) const BATCH_INVERSE_KINEMATICS: Call<BatchIkKeywords> =
    Call::with_positions("Robot.batch_inverse_kinematics", 1, 18);

keywords! {
    /// The frame of a task, and the link that its target is relative to.
    pub(crate) struct FrameKeywords {
        link: Option<Text> = None,
        frame: Option<PoseArg> = None,
        reference: Option<Text> = None,
    }
}

keywords! {
    /// Level and weight of a task.
    pub(crate) struct LevelKeywords {
        priority: Count = Count(0),
        weight: Real = Real(1.0),
    }
}

keywords! {
    /// Of `add_pose`.
    pub(crate) struct PoseKeywords {
        reference_frame: Option<PoseArg> = None,
        position_mask: MaskArg = MaskArg(AxisMask::ALL),
        rotation_mask: MaskArg = MaskArg(AxisMask::ALL),
        translation_tolerance: Option<Tolerances> = None,
        rotation_tolerance: Option<Tolerances> = None,
        mirror: Option<AxisArg> = None,
        position_threshold: Real = Real(1e-4),
        rotation_threshold: Real = Real(1e-3),
    }
}

keywords! {
    /// Of `add_position`.
    pub(crate) struct PositionKeywords {
        mask: MaskArg = MaskArg(AxisMask::ALL),
        tolerance: Option<Tolerances> = None,
        threshold: Real = Real(1e-4),
    }
}

keywords! {
    /// Of `add_orientation`.
    pub(crate) struct OrientationKeywords {
        mask: MaskArg = MaskArg(AxisMask::ALL),
        tolerance: Option<Tolerances> = None,
        mirror: Option<AxisArg> = None,
        threshold: Real = Real(1e-3),
    }
}

keywords! {
    /// Of `solve`.
    pub(crate) struct SolveKeywords {
        world_from_root: Option<PoseArg> = None,
        max_iterations: Count = Count(100),
        attempts: Count = Count(1),
        random_start: bool = false,
        random_range: Real = Real(1.0),
        rng_seed: Option<Seed> = None,
        step: Real = Real(1.0),
        largest_step: Real = Real(1.0),
        largest_error: Real = Real(1.0),
        singular_value: Real = Real(0.1),
        damping: Real = Real(0.1),
    }
}

impl SolveKeywords {
    pub(crate) fn options(&self) -> TaskOptions {
        TaskOptions {
            max_iterations: self.max_iterations.0,
            attempts: self.attempts.0,
            random_start: self.random_start,
            random_range: self.random_range.0,
            rng_seed: self.rng_seed.as_ref().map_or(0, |seed| seed.0),
            step: self.step.0,
            largest_step: self.largest_step.0,
            largest_error: self.largest_error.0,
            singular_value: self.singular_value.0,
            damping: self.damping.0,
        }
    }
}

keywords! {
    /// Of `batch_inverse_kinematics`.
    pub(crate) struct BatchIkKeywords {
        move_target: Option<Text> = None,
        position_mask: MaskArg = MaskArg(AxisMask::ALL),
        rotation_mask: MaskArg = MaskArg(AxisMask::ALL),
        rotation_mirror: Option<AxisArg> = None,
        stop: Count = Count(100),
        thre: Real = Real(1e-3),
        rthre: Real = Real(0.017_453_292_519_943_295),
        initial_angles: InitialArg = InitialArg::Neutral,
        alpha: Real = Real(1.0),
        attempts_per_pose: Count = Count(1),
        random_initial_range: Real = Real(0.7),
        translation_tolerance: Option<Tolerances> = None,
        rotation_tolerance: Option<Tolerances> = None,
        use_base: BaseArg = BaseArg(VirtualBase::Fixed),
        base_weight: Option<Vector> = None,
        joint_list: Option<Texts> = None,
        invariant_joint_list: Option<Texts> = None,
        rng_seed: Option<Seed> = None,
    }
}

impl BatchIkKeywords {
    /// How attempts are made.
    pub(crate) fn solver(&self) -> TaskOptions {
        TaskOptions {
            max_iterations: self.stop.0,
            attempts: self.attempts_per_pose.0,
            random_range: self.random_initial_range.0,
            rng_seed: self.rng_seed.as_ref().map_or(0, |seed| seed.0),
            step: self.alpha.0,
            ..TaskOptions::default()
        }
    }
}
