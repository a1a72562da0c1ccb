//! Riemannian motion policies: many wishes about the motion of an arm, each with a metric, combined in every control cycle.
//!
//! Ratliff, Issac, Kappler, Birchfield, Fox 2018, "Riemannian Motion Policies"; Cheng, Mukadam, Issac, Birchfield, Fox, Boots,
//! Ratliff 2018, "`RMPflow`". They suit an arm that has to react at once, to obstacles that move and targets that change; they are
//! local and may stop before an obstacle around which a planner finds a way.
//!
//! The acceleration is the weighted least-squares solution of all policies, curvature included ([`NormalEquations`]), among the
//! accelerations that the limits of the joints allow ([`JointBounds`]). Where no limit interferes it is
//! `(Σ Jᵀ M J)⁺ Σ Jᵀ M (a − J̇ q̇)`.

mod acceleration_bounds;
mod avoid_obstacles;
mod avoid_self_collision;
mod barrier;
mod bounded_least_squares;
mod combination;
mod damping;
mod distance_policy;
mod escape;
mod joint_limit_avoidance;
mod motion_policy;
mod obstacle_motion;
mod policy;
mod promise;
mod reach_target;
mod singularity_avoidance;
mod stop_path;
mod task_space;

use std::sync::Arc;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{JointValues, KineticError, Result};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot};

pub use acceleration_bounds::JointBounds;
use bounded_least_squares::BoxLeastSquares;
pub use combination::NormalEquations;
use motion_policy::ToolKinematics;
pub use motion_policy::{MotionPolicy, MotionState};
pub use policy::{POLICIES, Policy, PolicyRow};
use promise::Promise;
pub use stop_path::StopPath;
pub use task_space::{TaskSpace, TaskSpaceView, TaskSpaces};

/// Longest cycle, s. Policies look at a state, and are blind between two cycles.
pub const LONGEST_CYCLE_S: f64 = 0.1;

/// How far outside its limits a joint may stand, rad or m: what encoders and controllers are off. From there it is led back.
const LIMIT_TOLERANCE_RAD_M: f64 = 0.01;

/// Parts of a command that are tried where all of it leaves no way to stop.
const PARTS_OF_A_COMMAND: [f64; 3] = [0.75, 0.5, 0.25];

/// The acceleration that brakes a joint most without reversing it.
fn braking(qd: f64, (low, high): (f64, f64), dt: f64) -> f64 {
    (-qd / dt).clamp(low, high)
}

/// The command of a cycle: where the joints are at its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JointCommand {
    /// Positions at the end of the cycle, rad or m.
    pub positions: JointValues,
    /// Velocities at the end of the cycle, rad/s or m/s.
    pub velocities: JointValues,
    /// Accelerations, constant over the cycle, rad/s² or m/s².
    pub accelerations: JointValues,
}

/// Riemannian motion policies of an arm.
///
/// ```
/// use std::sync::Arc;
/// use kinetic_core::Pose;
/// use kinetic_reactive::rmp::{Policy, Rmp};
/// use kinetic_robot::Robot;
///
/// let mut rmp = Rmp::new(&Arc::new(Robot::from_name("ur5e")?))?;
/// rmp.add(&Policy::ReachTarget { target: Pose::from_xyz_rpy(0.4, 0.2, 0.4, 3.1, 0.0, 0.0), gain: 10.0 })?;
/// rmp.add(&Policy::Damping { coefficient: 1.0 })?;
/// let (mut q, mut qd) = (vec![0.0, -1.57, 1.0, -1.0, -1.57, 0.0], vec![0.0; 6]);
/// for _ in 0..10 {
///     let command = rmp.compute(&q, &qd, 0.002)?;
///     (q, qd) = (command.positions.0, command.velocities.0);
/// }
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug)]
pub struct Rmp {
    robot: Arc<Robot>,
    group: PlanningGroup,
    chain: KinematicChain,
    bounds: Vec<JointBounds>,
    policies: Vec<Box<dyn MotionPolicy>>,
    kinematics: ToolKinematics,
    tasks: TaskSpaces,
    sum: NormalEquations,
    solver: BoxLeastSquares,
    ranges: Vec<(f64, f64)>,
    stop: StopPath,
    promise: Promise,
    wanted: Vec<f64>,
}

impl Rmp {
    /// Without policies, for the default group of a robot.
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`] for a group that is no chain, and [`KineticError::InvalidValue`] for limits that are not
    /// positive.
    pub fn new(robot: &Arc<Robot>) -> Result<Self> {
        Self::of_group(robot, &robot.groups[robot.default_group])
    }

    /// As [`new`](Self::new), for the group of this name.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KineticError::GroupNotFound`].
    pub fn for_group(robot: &Arc<Robot>, group: &str) -> Result<Self> {
        Self::of_group(robot, robot.resolve_group(group)?.as_ref())
    }

    fn of_group(robot: &Arc<Robot>, group: &PlanningGroup) -> Result<Self> {
        let chain = KinematicChain::from_group(robot, group)?;
        let limits = robot.limits(group);
        limits.check()?;
        let rows = robot.position_limits(group).into_iter().zip(limits.velocity).zip(limits.acceleration);
        let bounds =
            rows.map(|(((lower, upper), velocity), acceleration)| JointBounds { lower, upper, velocity, acceleration });
        Ok(Self {
            bounds: bounds.collect(),
            kinematics: ToolKinematics::new(&chain),
            chain,
            robot: Arc::clone(robot),
            group: group.clone(),
            policies: Vec::new(),
            tasks: TaskSpaces::default(),
            sum: NormalEquations::default(),
            solver: BoxLeastSquares::default(),
            ranges: Vec::new(),
            stop: StopPath::default(),
            promise: Promise::default(),
            wanted: Vec::new(),
        })
    }

    /// Adds a policy. This is the set-up of the policy: for a target it solves the inverse kinematics, and for avoidance it
    /// compiles the collision model, which takes milliseconds.
    ///
    /// # Errors
    /// Those of [`Policy::check`]; of a target those of the inverse kinematics ([`KineticError::NoIKSolution`] out of reach,
    /// [`KineticError::IKNotConverged`]); [`KineticError::InvalidValue`] for the scene of another robot.
    pub fn add(&mut self, policy: &Policy) -> Result<()> {
        let compiled = policy.compile(&self.robot, &self.group)?;
        self.promise.forget();
        self.policies.push(compiled);
        Ok(())
    }

    /// Adds a policy of one's own.
    pub fn add_custom(&mut self, policy: Box<dyn MotionPolicy>) {
        self.promise.forget();
        self.policies.push(policy);
    }

    /// Removes all policies.
    pub fn clear(&mut self) {
        self.policies.clear();
    }

    /// Number of policies.
    pub fn num_policies(&self) -> usize {
        self.policies.len()
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.bounds.len()
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// The planning group.
    pub fn group(&self) -> &PlanningGroup {
        &self.group
    }

    /// Limits of the joints, which every command keeps.
    pub fn bounds(&self) -> &[JointBounds] {
        &self.bounds
    }

    /// Task spaces of the last cycle.
    pub fn task_spaces(&self) -> &TaskSpaces {
        &self.tasks
    }

    /// The command of a cycle of `dt` seconds from positions `q` and velocities `qd` (both in group length).
    ///
    /// Positions, velocities and accelerations keep the limits of the robot, and a joint can always still stop before its
    /// position limits. A joint that is measured faster than its limit brakes with all it has, and one that is measured up to
    /// 0.01 rad outside its range returns. With an error there is no command; the next cycle is computed as if this one had not
    /// been.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], [`KineticError::JointLimitViolation`],
    /// [`KineticError::InvalidValue`] for `dt` outside (0, [`LONGEST_CYCLE_S`]], and those of policies.
    pub fn compute(&mut self, q: &[f64], qd: &[f64], dt: f64) -> Result<JointCommand> {
        let mut command = JointCommand::default();
        self.compute_into(q, qd, dt, &mut command)?;
        Ok(command)
    }

    /// As [`compute`](Self::compute), into a command whose memory is used again; without allocation once buffers have grown,
    /// unless bodies overlap or the scene was edited. After an error the command is what it was.
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    pub fn compute_into(&mut self, q: &[f64], qd: &[f64], dt: f64, command: &mut JointCommand) -> Result<()> {
        self.check(q, qd, dt)?;
        // A promise is of the last cycle; one that fails has none.
        let is_known = self.promise.is_kept(q, qd, dt);
        self.promise.forget();
        self.evaluate(q, qd, dt)?;
        self.sum.sum(&self.tasks, q.len());
        if !self.sum.is_finite() {
            let wanted = "metrics and accelerations whose sum is finite";
            return Err(KineticError::invalid("sum of the policies", "not finite", wanted));
        }
        self.sum.damp();
        self.ranges.clear();
        self.ranges
            .extend(self.bounds.iter().zip(q).zip(qd).map(|((bounds, q), qd)| bounds.accelerations(*q, *qd, dt)));
        self.wanted.resize(q.len(), 0.0);
        self.solver.solve(&self.sum.matrix, &self.sum.vector, &self.ranges, &mut self.wanted);
        self.brake_where_needed((q, qd, dt), is_known);
        command.accelerations.0.clone_from(&self.wanted);
        let of = |values: &mut Vec<f64>, value: &dyn Fn(usize) -> f64| {
            values.clear();
            values.extend((0..q.len()).map(value));
        };
        let acceleration = &command.accelerations.0;
        of(&mut command.velocities.0, &|joint| qd[joint] + acceleration[joint] * dt);
        of(&mut command.positions.0, &|joint| q[joint] + (qd[joint] + 0.5 * acceleration[joint] * dt) * dt);
        Ok(())
    }

    fn evaluate(&mut self, q: &[f64], qd: &[f64], dt: f64) -> Result<()> {
        let state = self.kinematics.state(&self.chain, &self.bounds, (q, qd, dt));
        self.tasks.clear(q.len());
        for policy in &mut self.policies {
            let first = self.tasks.len();
            policy.evaluate(&state, &mut self.tasks)?;
            self.tasks.check_from(first, policy.name())?;
        }
        Ok(())
    }

    /// Replaces the wanted accelerations by ones nearer to braking, where those leave no way to stop and braking does.
    fn brake_where_needed(&mut self, (q, qd, dt): (&[f64], &[f64], f64), is_known: bool) {
        let is_proven = self.leaves_a_stop(1.0, (q, qd, dt), false);
        if !is_proven && !self.leaves_a_stop(0.0, (q, qd, dt), is_known) {
            return;
        }
        if !is_proven {
            let part = PARTS_OF_A_COMMAND.into_iter().find(|part| self.leaves_a_stop(*part, (q, qd, dt), false));
            for (joint, wanted) in self.wanted.iter_mut().enumerate() {
                let braking = braking(qd[joint], self.ranges[joint], dt);
                *wanted = braking + part.unwrap_or(0.0) * (*wanted - braking);
            }
        }
        self.promise.make(q, qd, &self.wanted, dt);
    }

    /// Whether every policy allows the way to rest after a part of the command, the rest being braking.
    fn leaves_a_stop(&mut self, part: f64, (q, qd, dt): (&[f64], &[f64], f64), is_known: bool) -> bool {
        let cycle = self.wanted.iter().enumerate().map(|(joint, wanted)| {
            let braking = braking(qd[joint], self.ranges[joint], dt);
            (q[joint], qd[joint], braking + part * (wanted - braking))
        });
        self.stop.set(cycle, (&self.bounds, dt), is_known);
        let stop = &self.stop;
        self.policies.iter_mut().all(|policy| policy.allows(stop))
    }

    fn check(&self, q: &[f64], qd: &[f64], dt: f64) -> Result<()> {
        self.chain.check(q)?;
        check_len("joint velocities", qd.len(), self.dof())?;
        check_finite("joint velocities", qd)?;
        if !(dt > 0.0 && dt <= LONGEST_CYCLE_S) {
            return Err(KineticError::invalid("dt", dt, format!("a cycle in (0, {LONGEST_CYCLE_S}] s")));
        }
        for (joint, (value, bounds)) in q.iter().zip(&self.bounds).enumerate() {
            if *value < bounds.lower - LIMIT_TOLERANCE_RAD_M || *value > bounds.upper + LIMIT_TOLERANCE_RAD_M {
                return Err(KineticError::JointLimitViolation {
                    name: self.chain.joint_names()[joint].clone(),
                    value: *value,
                    min: bounds.lower,
                    max: bounds.upper,
                });
            }
        }
        Ok(())
    }
}
