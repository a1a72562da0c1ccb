//! An hour of commands of all kinds, at 500 Hz. Oracles: differences of the positions alone, and exact distances of the scene.

use allocation_counter::measure;
use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, Pose, Shape, Twist};
use kinetic_reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic_reactive::{Servo, ServoConfig, ServoStatus};
use kinetic_scene::{Checker, LiveScene};
use nalgebra::Vector3;

use super::{Bounds, DISTANCE_TOLERANCE, ROBOTS, assert_clear, checker};
use crate::cases;
use crate::support::{cluttered, live};

/// Of all robots together, in the full run: 3600 s.
const TICKS_OF_AN_HOUR: usize = 1_800_000;
const RATE_HZ: f64 = 500.0;
const NUM_OBJECTS: usize = 6;
/// The world changes when the arm has stood for so long.
const TICKS_AT_REST: usize = 5;
/// What is kept at the end may differ by what the objects need that are there then.
const BYTES_OF_EDITS: i64 = 128 * 1024;
/// A checker that follows an edit has new buffers, which grow when something is near for the first time.
const ALLOCATING_TICKS_PER_EDIT: usize = 20;

/// Differences of the positions of a joint over one, two and three ticks are velocity, acceleration and jerk, averaged over them,
/// and so inside the same limits.
#[derive(Default)]
struct Differences {
    rows: Vec<Vec<f64>>,
}

impl Differences {
    fn begin(&mut self, positions: &[f64]) {
        self.rows.clear();
        self.rows.push(positions.to_vec());
    }

    fn assert_next(&mut self, positions: &[f64], bounds: &Bounds, case: &str) {
        self.rows.insert(0, positions.to_vec());
        self.rows.truncate(4);
        let limits = [&bounds.velocity, &bounds.acceleration, &bounds.jerk];
        for (order, (limit, binomials)) in
            limits.iter().zip([[1.0, -1.0, 0.0, 0.0], [1.0, -2.0, 1.0, 0.0], [1.0, -3.0, 3.0, -1.0]]).enumerate()
        {
            if self.rows.len() < order + 2 {
                continue;
            }
            for joint in 0..positions.len() {
                let difference: f64 = self.rows.iter().zip(binomials).map(|(row, factor)| factor * row[joint]).sum();
                let rate = RATE_HZ.powi(i32::try_from(order).unwrap() + 1);
                // Positions are rounded in their last bit.
                let slack = 16.0 * f64::EPSILON * (1.0 + positions[joint].abs()) * rate;
                let found = (difference * rate).abs();
                assert!(found <= limit[joint] * (1.0 + 1e-6) + slack, "{case}: joint {joint}, order {order}: {found}");
            }
        }
    }
}

/// What is commanded for some ticks.
enum Phase {
    /// Joint velocities that change their sign in every tick.
    Flip(Vec<f64>),
    Jog(Vec<f64>),
    /// A twist that is turned round in every tick, or goes on.
    Twist(TwistCommand<'static>, bool),
    /// Positions at opposite ends of the ranges, one after the other.
    Ends(Vec<f64>, Vec<f64>),
    Pose(Pose),
    Silence,
    Stop,
}

struct Drive<'a> {
    rng: &'a mut SeededRng,
    servo: Servo,
    bounds: &'a Bounds,
    home: Pose,
    links: usize,
}

impl Drive<'_> {
    fn direction(&mut self, most: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.rng.uniform(-most, most))
    }

    fn phase(&mut self) -> Phase {
        let fastest = if self.rng.below(8) == 0 { 1e6 } else { 1.0 };
        let (rng, bounds) = (&mut *self.rng, self.bounds);
        let velocities: Vec<f64> = bounds.velocity.iter().map(|v| rng.uniform(-v, *v) * fastest).collect();
        match self.rng.below(8) {
            0 => Phase::Flip(velocities),
            1 => Phase::Jog(velocities),
            2 | 3 => Phase::Twist(self.twist(), self.rng.below(2) == 0),
            4 => {
                let (low, high) =
                    self.bounds.positions.iter().map(|(low, high)| (low.max(-1e3), high.min(1e3))).unzip();
                Phase::Ends(low, high)
            }
            5 => Phase::Pose(Pose::from(self.direction(0.5)) * self.home),
            6 => Phase::Silence,
            _ => Phase::Stop,
        }
    }

    fn twist(&mut self) -> TwistCommand<'static> {
        let frame = match self.rng.below(3) {
            0 => TwistFrame::Base,
            1 => TwistFrame::Tool,
            _ => TwistFrame::Link(self.rng.below(self.links)),
        };
        let twist = Twist::new(self.direction(2.0), self.direction(6.0));
        let masks = self.rng.below(63) + 1;
        let mask = |first: usize| AxisMask([0, 1, 2].map(|axis| masks >> (first + axis) & 1 == 1));
        TwistCommand { position_mask: mask(0), rotation_mask: mask(3), ..TwistCommand::new(twist, frame) }
    }

    /// Sends what a phase wants in a tick.
    fn command(&mut self, phase: &mut Phase, tick: usize) {
        let sent = match phase {
            Phase::Flip(velocities) => {
                for velocity in velocities.iter_mut() {
                    *velocity = -*velocity;
                }
                self.servo.jog(velocities)
            }
            Phase::Jog(velocities) => self.servo.jog(velocities),
            Phase::Twist(command, turns) => {
                if *turns {
                    command.twist = Twist::new(-command.twist.linear, -command.twist.angular);
                }
                self.servo.twist(command)
            }
            Phase::Ends(low, high) => {
                let target = if tick.is_multiple_of(2) { low } else { high };
                self.servo.track_joints(target, &self.bounds.velocity)
            }
            Phase::Pose(pose) => self.servo.track_pose(pose),
            Phase::Silence => Ok(()),
            Phase::Stop => {
                self.servo.stop();
                Ok(())
            }
        };
        sent.unwrap();
    }

    /// Input that is refused leaves the servo as it was.
    fn refuse(&mut self) {
        let before = self.servo.output().clone();
        let dof = self.servo.dof();
        let mut wrong = vec![0.0; dof];
        wrong[self.rng.below(dof)] = [f64::NAN, f64::INFINITY][self.rng.below(2)];
        assert!(self.servo.jog(&wrong).is_err());
        assert!(self.servo.track_joints(&wrong, &vec![0.0; dof]).is_err());
        assert!(self.servo.jog_joint(dof, 0.0).is_err());
        let twist = Twist::new(Vector3::new(f64::NAN, 0.0, 0.0), Vector3::zeros());
        assert!(self.servo.twist(&TwistCommand::new(twist, TwistFrame::Base)).is_err());
        assert!(self.servo.set_state(&wrong, &vec![0.0; dof]).is_err());
        assert_eq!(self.servo.output(), &before);
    }
}

/// Takes an object away and puts another one, which is not near the arm.
fn replace_object(scene: &LiveScene, number: usize, q: &[f64], margin: f64, rng: &mut SeededRng) {
    scene
        .edit(|own| {
            own.remove(&format!("object {}", number % NUM_OBJECTS));
            Ok(())
        })
        .unwrap();
    for _ in 0..20 {
        let (radius, angle) = (rng.uniform(0.3, 1.0), rng.uniform(-3.0, 3.0));
        let pose = Pose::from_xyz(radius * angle.cos(), radius * angle.sin(), rng.uniform(-0.2, 1.2));
        let shape = if rng.below(2) == 0 {
            Shape::box_from_size(rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3)).unwrap()
        } else {
            Shape::sphere(rng.uniform(0.03, 0.15)).unwrap()
        };
        let mut trial = scene.snapshot();
        trial.add(&format!("object {}", number % NUM_OBJECTS), shape, pose).unwrap();
        if checker(&live(trial.clone()), 0.0).world_distance(q).0 > margin {
            scene
                .edit(|own| {
                    *own = trial;
                    Ok(())
                })
                .unwrap();
            return;
        }
    }
}

/// What ticks and edits of a robot have come to.
#[derive(Default)]
struct Tally {
    statuses: Vec<ServoStatus>,
    edits: usize,
    /// Ticks of the second half of the time that allocated, without those right after an edit.
    allocating: usize,
    /// Bytes that are kept by ticks and edits, now, and at a quarter of the time.
    bytes: i64,
    bytes_at_a_quarter: i64,
}

/// A robot that is driven, and what watches it.
struct Hour<'a> {
    drive: Drive<'a>,
    scene: LiveScene,
    exact: Checker,
    margin: f64,
    differences: Differences,
    /// Ticks at rest, and ticks since the scene or the state was changed.
    rests: usize,
    unchanged: usize,
    tally: Tally,
}

impl Hour<'_> {
    /// Changes the world while the arm stands, since contact with what comes flying is no fault of the servo, and begins anew at times.
    fn change(&mut self) {
        let positions = self.drive.servo.output().state.positions.clone();
        let Self { drive, scene, tally, .. } = self;
        tally.bytes += measure(|| replace_object(scene, tally.edits, &positions, 0.05, drive.rng)).bytes_current;
        self.exact = checker(&self.scene, self.margin);
        self.tally.edits += 1;
        self.unchanged = 0;
        if self.drive.rng.below(2) == 0 {
            let still = vec![0.0; positions.len()];
            let servo = &mut self.drive.servo;
            self.tally.bytes += measure(|| servo.set_state(&positions, &still).unwrap()).bytes_current;
            self.differences.begin(&positions);
        }
    }

    fn tick(&mut self, is_late: bool, case: &str) {
        let before = self.drive.servo.output().state.clone();
        let servo = &mut self.drive.servo;
        let measured = measure(|| {
            servo.tick().unwrap();
        });
        self.tally.bytes += measured.bytes_current;
        self.tally.allocating += usize::from(is_late && measured.count_total > 0 && self.unchanged > 1);
        self.unchanged += 1;
        let output = self.drive.servo.output().clone();
        let case = format!("{case}, {:?}", output.status);
        assert!(!output.exceeds_limits, "{case}");
        self.drive.bounds.assert_tick(&before, &output.state, 1.0 / RATE_HZ, &case);
        self.differences.assert_next(&output.state.positions, self.drive.bounds, &case);
        assert_clear(&mut self.exact, &before.positions, &output.state.positions, &case);
        let is_at_rest = output.state.velocities.iter().all(|velocity| velocity.abs() < 1e-9);
        self.rests = if is_at_rest { self.rests + 1 } else { 0 };
        self.tally.statuses.push(output.status);
    }
}

fn drive(name: &str, seed: u64, ticks: usize) -> Tally {
    let mut rng = SeededRng::new(seed);
    let (scene, start) = cluttered(name, NUM_OBJECTS, 0.05, &mut rng);
    let scene = live(scene);
    let config = ServoConfig { rate_hz: RATE_HZ, ..ServoConfig::teleop() };
    let (bounds, margin) = (Bounds::of(&scene.robot(), &config), config.stop_distance - DISTANCE_TOLERANCE);
    let mut servo = Servo::new(scene.clone(), None, config).unwrap();
    servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
    let (home, links) = (servo.tool_pose().unwrap(), scene.robot().links.len());
    let drive = Drive { rng: &mut rng, servo, bounds: &bounds, home, links };
    let (exact, differences, tally) = (checker(&scene, margin), Differences::default(), Tally::default());
    let mut hour = Hour { drive, scene, exact, margin, differences, rests: 0, unchanged: 0, tally };
    hour.differences.begin(&start);
    let (mut phase, mut left) = (Phase::Stop, 0);
    for tick in 0..ticks {
        if left == 0 {
            phase = hour.drive.phase();
            // Long enough to come to rest.
            let least = if matches!(phase, Phase::Silence | Phase::Stop) { 500 } else { 1 };
            left = least + hour.drive.rng.below(250);
        }
        left -= 1;
        if hour.drive.rng.below(100) == 0 {
            hour.drive.refuse();
        }
        if hour.rests == TICKS_AT_REST {
            hour.change();
        }
        hour.drive.command(&mut phase, tick);
        hour.tick(2 * tick > ticks, &format!("seed {seed}, {name}, tick {tick}"));
        if tick == ticks / 4 {
            hour.tally.bytes_at_a_quarter = hour.tally.bytes;
        }
    }
    hour.tally
}

#[test]
fn an_hour_of_commands_keeps_limits_distances_and_memory() {
    let ticks = cases(100_000, TICKS_OF_AN_HOUR) / ROBOTS.len();
    let mut statuses = Vec::new();
    for (seed, name) in ROBOTS.into_iter().enumerate() {
        let tally = drive(name, seed as u64, ticks);
        let kept = tally.bytes - tally.bytes_at_a_quarter;
        assert!(tally.edits > 2, "{name}: {}", tally.edits);
        assert!(kept < BYTES_OF_EDITS, "{name}: {kept} bytes after {} edits", tally.edits);
        let most = ALLOCATING_TICKS_PER_EDIT * tally.edits;
        assert!(tally.allocating < most, "{name}: {} ticks allocated", tally.allocating);
        statuses.extend(tally.statuses);
    }
    for wanted in [
        ServoStatus::NoWarning,
        ServoStatus::DecelerateForCollision,
        ServoStatus::HaltForCollision,
        ServoStatus::JointBound,
        ServoStatus::NoCommand,
    ] {
        assert!(statuses.contains(&wanted), "{wanted:?}");
    }
}
