//! A timed trajectory that the arm follows, in a time of its own.
//!
//! Where the arm is slower than the trajectory, because something is near or a joint is late, the time along the trajectory slows with
//! it (online time scaling: Dahl and Nielsen 1990, *Torque-Limited Path Following by Online Trajectory Time Scaling*). That time is
//! where the arm is: its state is projected on the trajectory in every tick, so that nothing waits and nothing winds up.

use kinetic_core::TimedTrajectory;
use kinetic_trajectory::MotionState;
use kinetic_trajectory::state::{AxisLimits, AxisState, Phases, write_velocity_change};

use super::joint_pursuit::CAREFUL_RATIO;

/// A joint may be this far off, rad or m, before the time slows, and so far that it stands.
const UNNOTICED_DEVIATION: f64 = 2e-3;
const LARGEST_DEVIATION: f64 = 2e-2;

/// Part of the limits of jerk that a change of the pace takes at full velocity.
const PACE_PART_OF_JERK: f64 = 0.2;

/// The pace may always change by so much, 1/s, where the joints leave nothing.
const LEAST_CHANGE: f64 = 1e-3;

/// Times ahead, s, at which accelerations of the trajectory are looked at where the pace is changed.
const TIMES_AHEAD: [f64; 5] = [0.0, 0.025, 0.05, 0.075, 0.1];

/// Below this part of the joints' largest velocities, the trajectory is too slow for a projection to say much.
const SLOW_PART: f64 = 0.01;

/// The joints' way along a trajectory.
#[derive(Debug)]
pub(super) struct TrajectoryFollower {
    trajectory: Option<TimedTrajectory>,
    /// Time along the trajectory; its pace is 1 where the arm is as fast as the trajectory.
    time: AxisState,
    /// How the time goes on.
    pace: Phases,
    limits: Vec<AxisLimits>,
    /// The trajectory at the time, and its velocities at a pace of 1.
    here: MotionState,
    tangent: Vec<f64>,
    curvature: Vec<f64>,
}

impl TrajectoryFollower {
    /// For joints with these limits.
    pub(super) fn new(limits: &[AxisLimits]) -> Self {
        let zeros = vec![0.0; limits.len()];
        Self {
            trajectory: None,
            time: AxisState::default(),
            pace: Phases::at(AxisState::default()),
            limits: limits.to_vec(),
            here: MotionState::at_rest(&zeros),
            tangent: zeros.clone(),
            curvature: zeros,
        }
    }

    /// Takes a trajectory, from its start on.
    pub(super) fn begin(&mut self, trajectory: TimedTrajectory, state: &MotionState) {
        self.trajectory = Some(trajectory);
        self.time = AxisState::default();
        self.look();
        self.time.velocity = pace_at(self.deviation(state));
    }

    /// Time along the trajectory, s.
    pub(super) fn time(&self) -> f64 {
        self.time.position
    }

    /// Duration of the trajectory, s.
    pub(super) fn duration(&self) -> f64 {
        self.trajectory.as_ref().map_or(0.0, TimedTrajectory::duration)
    }

    /// Where the trajectory is at its time.
    pub(super) fn here(&self) -> &MotionState {
        &self.here
    }

    /// Whether the arm is at the end.
    pub(super) fn is_over(&self, state: &MotionState) -> bool {
        self.time() >= self.duration() && self.deviation(state) <= UNNOTICED_DEVIATION
    }

    /// Slows the time to the pace of the arm, and plans how it goes on.
    pub(super) fn plan(&mut self, state: &MotionState) {
        let deviation = self.deviation(state);
        if deviation > UNNOTICED_DEVIATION {
            self.slow_to(state);
        }
        self.go_on_with(pace_at(deviation));
    }

    /// The pace now.
    pub(super) fn pace(&self) -> f64 {
        self.time.velocity
    }

    /// Plans to go on with this pace.
    pub(super) fn go_on_with(&mut self, pace: f64) {
        let limits = self.pace_limits();
        write_velocity_change(&self.time, pace, &limits, &mut self.pace);
    }

    /// Limits of the pace with which the joints keep theirs: of q(s(t)) the acceleration is ṡ² q″ + s̈ q′. While the pace rises, any
    /// acceleration that a trajectory may have can come before the rise can end; while it falls, the joints' present ones count.
    fn pace_limits(&mut self) -> AxisLimits {
        let least = |of: fn(&AxisLimits) -> f64| {
            self.limits.iter().map(|axis| of(axis) / axis.velocity[1]).fold(f64::INFINITY, f64::min)
        };
        let squared = self.time.velocity * self.time.velocity;
        let faster = CAREFUL_RATIO * (1.0 - squared) * least(|axis| axis.acceleration[1]);
        let jerk = PACE_PART_OF_JERK * least(|axis| axis.jerk[1]);
        let slower = self.fastest_slowdown(squared);
        let acceleration = [-slower.max(LEAST_CHANGE), faster.max(LEAST_CHANGE)];
        AxisLimits { velocity: [0.0, 1.0], acceleration, jerk: [-jerk, jerk] }
    }

    fn fastest_slowdown(&mut self, squared: f64) -> f64 {
        let Self { trajectory: Some(trajectory), time, limits, tangent, curvature, .. } = self else { return 0.0 };
        let mut slower = f64::INFINITY;
        for ahead in TIMES_AHEAD {
            trajectory.curve().sample_into(time.position + ahead, 1, tangent);
            trajectory.curve().sample_into(time.position + ahead, 2, curvature);
            for ((limits, tangent), curvature) in limits.iter().zip(&*tangent).zip(&*curvature) {
                let along = tangent.signum() * squared * curvature;
                // Joints at rest say nothing of the pace.
                let speed = tangent.abs().max(SLOW_PART * limits.velocity[1]);
                slower = slower.min((CAREFUL_RATIO * limits.acceleration[1] + along) / speed);
            }
        }
        slower
    }

    /// Where the arm is to be `after` seconds from now.
    pub(super) fn write(&self, after: f64, state: &mut MotionState) {
        self.write_at(self.pace.sample(after), state);
    }

    /// Moves the time on by `period` seconds, as it was planned.
    pub(super) fn advance(&mut self, period: f64) {
        self.time = self.pace.sample(period);
        self.time.position = self.time.position.clamp(0.0, self.duration());
        self.look();
    }

    /// Positions, velocities and accelerations of the joints where the time, its pace and the change of that are so.
    fn write_at(&self, time: AxisState, state: &mut MotionState) {
        let Some(trajectory) = &self.trajectory else { return };
        let curve = trajectory.curve();
        let MotionState { positions, velocities, accelerations } = state;
        curve.sample_into(time.position, 0, positions);
        if time.position >= trajectory.duration() {
            velocities.fill(0.0);
            accelerations.fill(0.0);
            return;
        }
        curve.sample_into(time.position, 1, velocities);
        curve.sample_into(time.position, 2, accelerations);
        for (velocity, acceleration) in velocities.iter_mut().zip(accelerations) {
            *acceleration = time.velocity * time.velocity * *acceleration + time.acceleration * *velocity;
            *velocity *= time.velocity;
        }
    }

    fn look(&mut self) {
        let mut here = std::mem::take(&mut self.here);
        self.write_at(self.time, &mut here);
        self.here = here;
    }

    /// The farthest joint.
    fn deviation(&self, state: &MotionState) -> f64 {
        let pairs = self.here.positions.iter().zip(&state.positions);
        pairs.map(|(wanted, is)| (wanted - is).abs()).fold(0.0, f64::max)
    }

    /// Takes the pace that the arm has where it is slower than was planned: what of its velocity lies along the trajectory. Joints are
    /// weighed by their largest velocities.
    fn slow_to(&mut self, state: &MotionState) {
        let Self { trajectory: Some(trajectory), time, limits, here, tangent, .. } = self else { return };
        trajectory.curve().sample_into(time.position, 1, tangent);
        let (mut square, mut along) = (SLOW_PART * SLOW_PART, 0.0);
        for (joint, limits) in limits.iter().enumerate() {
            let weighed = tangent[joint] / (limits.velocity[1] * limits.velocity[1]);
            square += weighed * tangent[joint];
            along += weighed * (state.velocities[joint] - here.velocities[joint]);
        }
        if along < 0.0 {
            (time.velocity, time.acceleration) = ((time.velocity + along / square).max(0.0), 0.0);
        }
    }
}

/// The pace to go to where the farthest joint is so far off.
fn pace_at(deviation: f64) -> f64 {
    ((LARGEST_DEVIATION - deviation) / (LARGEST_DEVIATION - UNNOTICED_DEVIATION)).clamp(0.0, 1.0)
}
