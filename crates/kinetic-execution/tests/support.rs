//! Trajectories, and a driver that does as it is told.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use kinetic_core::{Certificate, Clock, ContentHash, Measurement, TimedTrajectory, Trajectory};
use kinetic_execution::{
    CommandSink, DriverError, ExecutionConfig, FeedbackSource, RealTimeExecutor, SimulatedClock, StopRequest, StopSink,
    WatchdogAction,
};
use kinetic_trajectory::jerk_limited;

/// Seconds between commands of the default options.
pub(crate) const PERIOD: f64 = 0.002;

/// Limits of the trajectories here.
pub(crate) const LIMITS: [f64; 3] = [1.0, 4.0, 40.0];

/// A clock that does not begin at 0: schedules count from the first command.
pub(crate) fn simulated_clock() -> Arc<SimulatedClock> {
    let clock = SimulatedClock::new();
    clock.advance(100.0);
    clock
}

/// A command, and when it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Command {
    pub(crate) time: f64,
    pub(crate) positions: Vec<f64>,
    pub(crate) velocities: Vec<f64>,
}

pub(crate) type Commands = Arc<Mutex<Vec<Command>>>;
type Script = Box<dyn FnMut(usize, &SimulatedClock) -> Result<(), DriverError> + Send>;

/// Keeps commands, then does as its script says for the command of that number.
pub(crate) struct Driver {
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) commands: Commands,
    pub(crate) script: Script,
    pub(crate) joint_names: Vec<String>,
    pub(crate) in_use: Option<Arc<std::sync::atomic::AtomicBool>>,
}

impl Driver {
    pub(crate) fn new(
        clock: &Arc<SimulatedClock>,
        script: impl FnMut(usize, &SimulatedClock) -> Result<(), DriverError> + Send + 'static,
    ) -> Self {
        let (clock, script) = (Arc::clone(clock), Box::new(script));
        Self { clock, commands: Commands::default(), script, joint_names: Vec::new(), in_use: None }
    }
}

impl CommandSink for Driver {
    fn send_command(&mut self, positions: &[f64], velocities: &[f64]) -> Result<(), DriverError> {
        let (time, positions, velocities) = (self.clock.now(), positions.to_vec(), velocities.to_vec());
        let number = {
            let mut commands = self.commands.lock().unwrap();
            commands.push(Command { time, positions, velocities });
            commands.len() - 1
        };
        (self.script)(number, &self.clock)
    }

    fn joint_names(&self) -> &[String] {
        &self.joint_names
    }

    fn in_use(&self) -> Option<Arc<std::sync::atomic::AtomicBool>> {
        self.in_use.clone()
    }
}

/// Commands at which the driver waits for the test.
pub(crate) struct Breakpoints {
    reached: Receiver<usize>,
    go: Sender<()>,
}

impl Breakpoints {
    /// With the script of a driver that waits at these commands.
    pub(crate) fn at(
        numbers: Vec<usize>,
    ) -> (Self, impl FnMut(usize, &SimulatedClock) -> Result<(), DriverError> + Send) {
        let ((say, reached), (go, wait)) = (channel(), channel());
        let script = move |number: usize, _: &SimulatedClock| {
            if numbers.contains(&number) {
                say.send(number)?;
                wait.recv()?;
            }
            Ok(())
        };
        (Self { reached, go }, script)
    }

    /// Waits until the driver is dropped, which is when no command is to come any more.
    pub(crate) fn wait_for_the_end(&self) {
        assert!(self.reached.recv().is_err());
    }

    /// Does something while the driver waits at the next of its commands, and lets it go on.
    pub(crate) fn meanwhile<T>(&self, act: impl FnOnce() -> T) -> T {
        self.reached.recv().unwrap();
        let result = act();
        self.go.send(()).unwrap();
        result
    }
}

/// Where a robot is: what the function makes of the last command and its number.
pub(crate) struct Robot<F> {
    pub(crate) commands: Commands,
    pub(crate) start: Vec<f64>,
    pub(crate) place: F,
    pub(crate) scaling: f64,
    pub(crate) positions: Vec<f64>,
}

impl<F: FnMut(usize, &[f64]) -> Option<Vec<f64>> + Send> Robot<F> {
    pub(crate) fn new(driver: &Driver, place: F) -> Self {
        let commands = Arc::clone(&driver.commands);
        Self { commands, start: vec![0.0, 0.0], place, scaling: 1.0, positions: Vec::new() }
    }
}

impl<F: FnMut(usize, &[f64]) -> Option<Vec<f64>> + Send> FeedbackSource for Robot<F> {
    fn read_positions(&mut self) -> Option<&[f64]> {
        let (number, last) = {
            let commands = self.commands.lock().unwrap();
            (commands.len(), commands.last().map_or(self.start.clone(), |command| command.positions.clone()))
        };
        self.positions = (self.place)(number, &last)?;
        Some(&self.positions)
    }

    fn speed_scaling(&mut self) -> f64 {
        self.scaling
    }
}

/// When a stop was asked for, which, and where the last command was.
pub(crate) type Asked = (f64, WatchdogAction, Vec<f64>);

/// Keeps what the watchdog asked for, and when.
pub(crate) struct Stops {
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) asked: Mutex<Vec<Asked>>,
}

impl Stops {
    pub(crate) fn new(clock: &Arc<SimulatedClock>) -> Arc<Self> {
        Arc::new(Self { clock: Arc::clone(clock), asked: Mutex::default() })
    }
}

impl StopSink for Stops {
    fn stop(&self, request: &StopRequest<'_>) {
        self.asked.lock().unwrap().push((self.clock.now(), request.action, request.positions.to_vec()));
    }
}

pub(crate) fn timed(waypoints: &[[f64; 2]]) -> TimedTrajectory {
    let path = Trajectory::from_waypoints(waypoints).unwrap();
    jerk_limited(&path, LIMITS[0], LIMITS[1], LIMITS[2]).unwrap()
}

/// About 1.4 s.
pub(crate) fn forth() -> TimedTrajectory {
    timed(&[[0.0, 0.0], [1.0, -0.5]])
}

/// Options under which trajectories without certificate run.
pub(crate) fn options() -> ExecutionConfig {
    ExecutionConfig { allow_unverified: true, ..ExecutionConfig::default() }
}

pub(crate) fn executor(config: ExecutionConfig, clock: &Arc<SimulatedClock>) -> RealTimeExecutor {
    let clock: Arc<SimulatedClock> = Arc::clone(clock);
    RealTimeExecutor::new(config).unwrap().with_simulated_clock(clock)
}

/// Differences of commanded positions hold limits of velocity and acceleration: a difference quotient of first order is a
/// velocity somewhere, one of second order a mean of accelerations. Commands are a period apart.
pub(crate) fn assert_within_limits(commands: &[Command], case: &str) {
    for window in commands.windows(3) {
        let [a, b, c] = window else { unreachable!() };
        for joint in 0..a.positions.len() {
            let [p, q, r] = [a, b, c].map(|command| command.positions[joint]);
            let (velocity, acceleration) = ((r - q) / PERIOD, (r - 2.0 * q + p) / (PERIOD * PERIOD));
            assert!(velocity.abs() <= LIMITS[0] * (1.0 + 1e-6), "{case} at {}: velocity {velocity}", c.time);
            // Positions are rounded at 1e-16, which the square of the period makes 1e-10.
            let limit = LIMITS[1] * (1.0 + 1e-6) + 1e-6;
            assert!(acceleration.abs() <= limit, "{case} at {}: acceleration {acceleration}", c.time);
            assert!((b.velocities[joint] - velocity).abs() <= LIMITS[1] * PERIOD, "{case}: velocities of commands");
        }
    }
}

/// Differences of third order are means of jerk.
pub(crate) fn assert_within_jerk_limits(commands: &[Command], case: &str) {
    for window in commands.windows(4) {
        let [a, b, c, d] = window else { unreachable!() };
        for joint in 0..a.positions.len() {
            let [p, q, r, s] = [a, b, c, d].map(|command| command.positions[joint]);
            let jerk = (s - 3.0 * r + 3.0 * q - p) / PERIOD.powi(3);
            // Positions are rounded at 1e-16, which the cube of the period makes 1e-7.
            assert!(jerk.abs() <= LIMITS[2] * (1.0 + 1e-6) + 1e-6, "{case} at {}: jerk {jerk}", d.time);
        }
    }
}

/// The same trajectory with a certificate of its curve, which says nothing of a scene.
pub(crate) fn certified(trajectory: TimedTrajectory) -> TimedTrajectory {
    let certificate = Certificate {
        curve: trajectory.curve().content_hash(),
        scene: ContentHash::default(),
        group: "arm".to_owned(),
        unchecked_links: Vec::new(),
        ghosts: Vec::new(),
        checks: 1,
        closest_approaches: Measurement::known(None),
        margin: 0.0,
        self_margin: 0.0,
        max_velocity_ratio: 1.0,
        max_acceleration_ratio: 1.0,
        max_jerk_ratio: None,
        path_deviation: 0.0,
        limits: None,
        max_torque_ratio: None,
        dynamics: None,
        payload: None,
        constraints: Vec::new(),
        tool: None,
    };
    trajectory.with_certificate(certificate).unwrap()
}
