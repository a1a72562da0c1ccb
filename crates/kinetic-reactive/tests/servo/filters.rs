//! Filters of commands. Oracles: the filters alone, driven by the test, and what they are for.

use kinetic_core::{Pose, Result, Twist};
use kinetic_reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic_reactive::filter::{COMMAND_FILTERS, CommandFilter, CommandFilterSpec, FilterOptions};
use kinetic_reactive::{Servo, ServoConfig};

use crate::support::{live, scene_of};

const START: [f64; 6] = [0.0, -1.2, 1.5, -0.3, 1.57, 0.0];

fn servo(filter: &str) -> Servo {
    let config = ServoConfig { filter: filter.to_owned(), filter_cutoff: 2.0, ..ServoConfig::teleop() };
    let mut servo = Servo::new(live(scene_of("ur5e")), None, config).unwrap();
    servo.set_state(&START, &[0.0; 6]).unwrap();
    servo
}

/// A hand that shakes by 3 mm at 12 Hz around a slow motion.
fn shaking(time: f64) -> f64 {
    0.05 * (1.5 * time).sin() + 0.003 * (std::f64::consts::TAU * 12.0 * time).sin()
}

#[test]
fn every_filter_but_none_takes_most_of_a_tremor_and_lets_the_motion_pass() {
    let mut tremors = Vec::new();
    for spec in COMMAND_FILTERS {
        let mut servo = servo(spec.name);
        let start = servo.tool_pose().unwrap();
        let (mut roughness, mut farthest, mut before) = (0.0_f64, 0.0_f64, [0.0; 2]);
        for tick in 0..3000 {
            let y = shaking(f64::from(tick) * 0.002);
            servo.track_pose(&(Pose::from_xyz(0.0, y, 0.0) * start)).unwrap();
            servo.tick().unwrap();
            let now = servo.tool_pose().unwrap().translation().y;
            if tick > 500 {
                roughness = roughness.max((now - 2.0 * before[0] + before[1]).abs());
                farthest = farthest.max((now - start.translation().y).abs());
            }
            before = [now, before[0]];
        }
        assert!(farthest > 0.03, "{}: {farthest}", spec.name);
        tremors.push((spec.name, roughness));
    }
    let unfiltered = tremors[0].1;
    for (name, tremor) in &tremors[1..] {
        assert!(*tremor < 0.5 * unfiltered, "{name}: {tremors:?}");
    }
}

#[test]
fn joint_velocities_follow_what_the_filter_alone_answers() {
    for spec in COMMAND_FILTERS {
        let mut servo = servo(spec.name);
        let options = FilterOptions { period: 0.002, cutoff: 2.0, ..FilterOptions::default() };
        let mut alone = CommandFilterSpec::by_name(spec.name).unwrap().make(6, &options).unwrap();
        for tick in 0..800 {
            let velocity = 0.2 + 0.1 * (0.002 * f64::from(tick)).sin();
            servo.jog(&[velocity, 0.0, 0.0, 0.0, 0.0, -velocity]).unwrap();
            let mut filtered = [velocity, 0.0, 0.0, 0.0, 0.0, -velocity];
            alone.apply(&mut filtered).unwrap();
            let output = servo.tick().unwrap();
            if tick > 300 {
                // The velocity is reached but for the acceleration, which ends in every tick.
                let error = (output.state.velocities[0] - filtered[0]).abs();
                assert!(error < 1e-3, "{} tick {tick}: {error}", spec.name);
            }
        }
    }
}

#[test]
fn a_constant_twist_passes_a_filter_and_a_stop_is_not_filtered() {
    for spec in COMMAND_FILTERS {
        let mut filtered = servo(spec.name);
        let mut plain = servo("none");
        let command = TwistCommand::new(Twist::new([0.0, 0.05, 0.0].into(), [0.0, 0.0, 0.0].into()), TwistFrame::Base);
        for servo in [&mut filtered, &mut plain] {
            for _ in 0..400 {
                servo.twist(&command).unwrap();
                servo.tick().unwrap();
            }
        }
        let difference = filtered.output().state.velocities[0] - plain.output().state.velocities[0];
        assert!(difference.abs() < 1e-3, "{}: {difference}", spec.name);
        let ticks_to_rest = |servo: &mut Servo| {
            servo.stop();
            (0..2000).find(|_| servo.tick().unwrap().state.velocities.iter().all(|v| v.abs() < 1e-9)).unwrap()
        };
        assert_eq!(ticks_to_rest(&mut filtered), ticks_to_rest(&mut plain), "{}", spec.name);
    }
}

/// A filter that takes everything away.
#[derive(Debug)]
struct Nothing;
impl CommandFilter for Nothing {
    fn apply(&mut self, command: &mut [f64]) -> Result<()> {
        command.fill(0.0);
        Ok(())
    }
    fn reset(&mut self) {}
}

#[test]
fn options_of_filters_are_checked_and_own_filters_take_their_place() {
    let refused = |config: ServoConfig| Servo::new(live(scene_of("ur5e")), None, config).err().unwrap().to_string();
    let default = ServoConfig::teleop;
    assert!(refused(ServoConfig { filter: "ema".to_owned(), ..default() }).contains("exponential"));
    let exponential = || "exponential".to_owned();
    assert!(
        refused(ServoConfig { filter: exponential(), filter_cutoff: 250.0, ..default() }).contains("half the sampling")
    );
    assert!(refused(ServoConfig { filter: "one_euro".to_owned(), filter_beta: -1.0, ..default() }).contains("beta"));
    assert!(refused(ServoConfig { blend_time: f64::NAN, ..default() }).contains("blend_time"));
    let mut servo = servo("none");
    servo.set_filters(Some(Box::new(Nothing)), None);
    for _ in 0..50 {
        servo.jog(&[0.5; 6]).unwrap();
        assert_eq!(servo.tick().unwrap().state.positions, START);
    }
}
