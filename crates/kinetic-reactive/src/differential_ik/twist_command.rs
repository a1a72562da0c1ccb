//! Commands of the front: what the tool or the tasks are to do now.

use kinetic_core::{AxisMask, Pose, Twist};
use kinetic_ik::tasks::TaskProblem;
use kinetic_robot::Robot;

/// The frame along whose axes a twist is given. The velocity is always that of the tool's origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TwistFrame {
    /// The base of the group.
    #[default]
    Base,
    /// The tool.
    Tool,
    /// A link, by its index in the robot.
    Link(usize),
}

impl TwistFrame {
    /// The frame of this name: `base`, `tool`, or a link.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::LinkNotFound`].
    pub fn by_name(robot: &Robot, name: &str) -> kinetic_core::Result<Self> {
        match name {
            "base" => Ok(Self::Base),
            "tool" => Ok(Self::Tool),
            _ => robot.link_index(name).map(Self::Link),
        }
    }
}

/// What holds besides the wish: the null space, the velocities before, and inequalities.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VelocityContext<'a> {
    /// Joint velocities for what the task leaves over, one per joint; none for zeros.
    pub posture: Option<&'a [f64]>,
    /// Joint velocities that are added to what the task wants, before bounds and rows, one per joint, or none.
    pub bias: &'a [f64],
    /// Joint velocities of the period before; with them acceleration limits hold.
    pub previous: Option<&'a [f64]>,
    /// Inequalities `rows · q̇ ≥ row_bounds`, k × n, row after row.
    pub rows: &'a [f64],
    /// Lowest values of the rows.
    pub row_bounds: &'a [f64],
    /// Per row ∞ when it is hard, else its weight; empty when all are hard.
    pub row_weights: &'a [f64],
}

/// A velocity that the tool is to have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwistCommand<'a> {
    /// Velocity of the tool's origin, m/s, and its angular velocity, rad/s, along the axes of [`frame`](Self::frame).
    pub twist: Twist,
    /// The axes.
    pub frame: TwistFrame,
    /// Linear components that are commanded; others are left free.
    pub position_mask: AxisMask,
    /// Angular components that are commanded.
    pub rotation_mask: AxisMask,
    /// What holds besides.
    pub context: VelocityContext<'a>,
}

impl TwistCommand<'_> {
    /// All six components, and nothing besides.
    pub fn new(twist: Twist, frame: TwistFrame) -> Self {
        let (position_mask, rotation_mask) = (AxisMask::ALL, AxisMask::ALL);
        Self { twist, frame, position_mask, rotation_mask, context: VelocityContext::default() }
    }

    /// Number of components that are commanded.
    pub fn num_rows(&self) -> usize {
        self.position_mask.count() + self.rotation_mask.count()
    }
}

/// Tasks that are to be brought about, the first priority level before the second.
#[derive(Debug, Clone, Copy)]
pub struct TaskCommand<'a> {
    /// The tasks, over the joints of the group and a base that stands.
    pub problem: &'a TaskProblem,
    /// Part of the error that is to vanish per second, 1/s; at most one over the period.
    pub gain: f64,
    /// Where the root of the robot stands.
    pub world_from_root: Pose,
    /// What holds besides. A posture is for what both levels leave over.
    pub context: VelocityContext<'a>,
}

/// What the joints are to bring about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VelocityCommand<'a> {
    /// A velocity of the tool.
    Twist(&'a TwistCommand<'a>),
    /// The first priority level of tasks.
    Tasks(&'a TaskCommand<'a>),
}

impl<'a> TaskCommand<'a> {
    /// The tasks alone, with the robot at the origin of the world.
    pub fn new(problem: &'a TaskProblem, gain: f64) -> Self {
        Self { problem, gain, world_from_root: Pose::identity(), context: VelocityContext::default() }
    }
}
