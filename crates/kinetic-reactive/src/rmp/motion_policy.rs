//! The interface of policies, and what they see of the arm.

use std::fmt::Debug;

use kinetic_core::Result;
use kinetic_kinematics::{FrameMotion, KinematicChain, Rigid, jacobian};

use super::acceleration_bounds::JointBounds;
use super::stop_path::StopPath;
use super::task_space::TaskSpaces;

/// A Riemannian motion policy: in each cycle it adds its task spaces, each with Jacobian, curvature, metric and wanted acceleration.
///
/// ```
/// use kinetic_core::Result;
/// use kinetic_reactive::rmp::{MotionPolicy, MotionState, TaskSpaces};
///
/// /// Keeps the tool at a height (m above the base).
/// #[derive(Debug)]
/// struct Height(f64);
///
/// impl MotionPolicy for Height {
///     fn name(&self) -> &str {
///         "height"
///     }
///
///     fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
///         let (x, xd) = (state.base_from_tool.translation.z, state.tool_velocity[2]);
///         let task = tasks.add(1);
///         state.jacobian_row(2, task.jacobian);
///         task.curvature[0] = state.tool_curvature[2];
///         task.metric[0] = 1.0;
///         task.acceleration[0] = 25.0 * (self.0 - x) - 10.0 * xd;
///         Ok(())
///     }
/// }
/// ```
pub trait MotionPolicy: Debug + Send {
    /// Its name, for errors.
    fn name(&self) -> &str;

    /// Adds the task spaces of this cycle.
    ///
    /// # Errors
    /// What keeps it from answering; the cycle then has no command, and the next one asks again.
    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()>;

    /// Whether the arm may take this way to rest, from where a command leads. Where a policy refuses that of the sum, and not that
    /// of braking at once, the arm brakes as much as is needed. All of them are taken unless a policy says otherwise.
    fn allows(&mut self, _way: &StopPath) -> bool {
        true
    }
}

/// State of the arm in one cycle. Twists are linear, then angular, of the tool's origin, in the axes of the group's base.
#[derive(Debug, Clone, Copy)]
pub struct MotionState<'a> {
    /// Positions, rad or m.
    pub q: &'a [f64],
    /// Velocities, rad/s or m/s.
    pub qd: &'a [f64],
    /// Length of the cycle, s.
    pub dt: f64,
    /// Limits of the joints.
    pub bounds: &'a [JointBounds],
    /// The chain of the group.
    pub chain: &'a KinematicChain,
    /// Poses of the chain's frames.
    pub frames: &'a [Rigid],
    /// Pose of the tool in the group's base.
    pub base_from_tool: Rigid,
    /// Jacobian of the tool, 6 × dof, column after column.
    pub tool_jacobian: &'a [f64],
    /// Twist of the tool, m/s and rad/s.
    pub tool_velocity: [f64; 6],
    /// `J̇ q̇` of the tool, m/s² and rad/s².
    pub tool_curvature: [f64; 6],
}

impl MotionState<'_> {
    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.q.len()
    }

    /// Copies a row of the tool's Jacobian.
    pub fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        for (out, column) in out.iter_mut().zip(self.tool_jacobian.chunks_exact(6)) {
            *out = column[row];
        }
    }
}

/// Memory for the kinematics of a cycle.
#[derive(Debug)]
pub(super) struct ToolKinematics {
    frames: Vec<Rigid>,
    motions: Vec<FrameMotion>,
    jacobian: Vec<f64>,
}

impl ToolKinematics {
    pub(super) fn new(chain: &KinematicChain) -> Self {
        let program = chain.program();
        Self { frames: chain.frame_buffer(), motions: program.motion_buffer(), jacobian: vec![0.0; 6 * chain.dof()] }
    }

    /// The state of the arm at `q` and `qd`.
    pub(super) fn state<'a>(
        &'a mut self,
        chain: &'a KinematicChain,
        bounds: &'a [JointBounds],
        (q, qd, dt): (&'a [f64], &'a [f64], f64),
    ) -> MotionState<'a> {
        let base_from_tool = chain.tip_rigid(q, &mut self.frames);
        jacobian::fill(chain, &self.frames, &base_from_tool.translation, &mut self.jacobian);
        chain.program().motions_into(&self.frames, qd, &mut self.motions);
        let carrier = chain.tip().0;
        let (motion, arm) = (self.motions[carrier], base_from_tool.translation - self.frames[carrier].translation);
        let (velocity, bias) = (motion.velocity_at(&arm), motion.bias_at(&arm));
        let (turn, turning) = (motion.angular, motion.angular_bias);
        MotionState {
            q,
            qd,
            dt,
            bounds,
            chain,
            frames: &self.frames,
            base_from_tool,
            tool_jacobian: &self.jacobian,
            tool_velocity: [velocity.x, velocity.y, velocity.z, turn.x, turn.y, turn.z],
            tool_curvature: [bias.x, bias.y, bias.z, turning.x, turning.y, turning.z],
        }
    }
}
