//! What an arm that goes to a target does.

use kinetic_core::KineticError;

/// What a [`TargetServo`](crate::TargetServo) does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetStatus {
    /// It has no target: the arm brakes or stands.
    #[default]
    Idle,
    /// It goes to the target by itself.
    Approaching,
    /// It comes no nearer: it brakes, to plan from rest. The tick in which the arm stands plans.
    Braking,
    /// It follows a plan.
    FollowingPlan,
    /// It is at the target, and stays there.
    Reached,
    /// It gave up, and stands: [`StuckReason`] says why.
    Stuck,
}

impl TargetStatus {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Approaching => "approaching",
            Self::Braking => "braking",
            Self::FollowingPlan => "following_plan",
            Self::Reached => "reached",
            Self::Stuck => "stuck",
        }
    }
}

/// Why an arm gave up.
#[derive(Debug, Clone, PartialEq)]
pub enum StuckReason {
    /// It came no nearer, and was not to plan.
    NoProgress,
    /// There was no plan.
    NoPlan(KineticError),
    /// It came no nearer after all the plans that it may make.
    PlansUsed(usize),
}

impl std::fmt::Display for StuckReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoProgress => write!(f, "the arm comes no nearer to its target"),
            Self::NoPlan(error) => write!(f, "the arm comes no nearer to its target, and there is no plan: {error}"),
            Self::PlansUsed(plans) => write!(f, "the arm comes no nearer to its target after {plans} plans"),
        }
    }
}
