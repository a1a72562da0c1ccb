//! What a tick answers.

use kinetic_trajectory::MotionState;

/// What kept a tick from what was wanted; the names are those of `MoveIt` Servo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServoStatus {
    /// Nothing.
    #[default]
    NoWarning,
    /// Motion towards a pair is slower than what was wanted.
    DecelerateForCollision,
    /// No motion towards what was wanted has a proven stop: the arm brakes or stands.
    HaltForCollision,
    /// A singularity takes a part of what was wanted.
    DecelerateForSingularity,
    /// A singularity takes all of it; other directions, and the way back, are free.
    HaltForSingularity,
    /// The same for [`lockup_time`](super::ServoConfig::lockup_time), and no motion of the joints leads on from there.
    SingularityLockup,
    /// A joint stands at the end of its range, or beyond, and was to go further; or a position beyond it is wanted.
    JointBound,
    /// Velocity, acceleration and jerk do not allow to be where and when a chunk or a trajectory wants: the arm catches up.
    DecelerateForLimits,
    /// No command, or none for longer than `command_timeout`, before the first and after the last time of chunks, or after the
    /// end of a trajectory: the arm brakes or stands.
    NoCommand,
    /// Something is at the stop distance or closer, and nothing of what is wanted leads away from it: the arm brakes or stands.
    /// Where no braking motion inside the limits of jerk is proven not to touch, it brakes as hard as acceleration allows.
    EmergencyStop,
}

impl ServoStatus {
    /// Whether a singularity is what kept it.
    pub fn is_singularity(self) -> bool {
        matches!(self, Self::DecelerateForSingularity | Self::HaltForSingularity | Self::SingularityLockup)
    }

    /// Whether obstacles that take a part are rather to be named.
    pub(super) fn gives_way(self) -> bool {
        matches!(self, Self::DecelerateForLimits)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoWarning => "no_warning",
            Self::DecelerateForCollision => "decelerate_for_collision",
            Self::HaltForCollision => "halt_for_collision",
            Self::DecelerateForSingularity => "decelerate_for_singularity",
            Self::HaltForSingularity => "halt_for_singularity",
            Self::SingularityLockup => "singularity_lockup",
            Self::JointBound => "joint_bound",
            Self::DecelerateForLimits => "decelerate_for_limits",
            Self::NoCommand => "no_command",
            Self::EmergencyStop => "emergency_stop",
        }
    }
}

/// The next command, and what it keeps of what was wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct ServoOutput {
    /// Positions, velocities and accelerations at the end of the tick.
    pub state: MotionState,
    /// What kept the tick from what was wanted.
    pub status: ServoStatus,
    /// Whether the tick exceeds the limits of jerk to stop.
    pub exceeds_limits: bool,
    /// Part of the wanted velocity that was taken as the target.
    pub scale: f64,
    /// What chunks of joint positions want at the end of the tick less what the tick gives, or where a trajectory is at its
    /// [time](super::Servo::trajectory_time) less that, rad or m; zeros for other commands.
    pub joint_deviations: Vec<f64>,
    /// How far the tool is from where chunks of poses want it, m and rad; zeros for other commands.
    pub tool_deviation: [f64; 2],
    /// Least signed distance to objects of the scene where the tick began, m; infinite when none is within the slowdown distance.
    pub min_distance: f64,
    /// The same between links of the robot and attached bodies.
    pub min_self_distance: f64,
}

impl ServoOutput {
    pub(super) fn before_the_first_tick(dof: usize) -> Self {
        Self {
            state: MotionState::at_rest(&vec![0.0; dof]),
            status: ServoStatus::NoCommand,
            exceeds_limits: false,
            scale: 0.0,
            joint_deviations: vec![0.0; dof],
            tool_deviation: [0.0; 2],
            min_distance: f64::INFINITY,
            min_self_distance: f64::INFINITY,
        }
    }
}
