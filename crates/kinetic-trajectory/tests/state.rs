//! Motion between states. Oracles: durations worked out by hand, the limits by bounds of the polynomials, symmetries of
//! the problem, and motions made up from random jerks, which no fastest motion may be slower than.

use kinetic_core::curve::extremes;
use kinetic_core::rng::SeededRng;
use kinetic_trajectory::state::{AxisLimits, AxisState, Synchronization};
use kinetic_trajectory::{MotionLimits, MotionOptions, MotionState, StateToState, state_to_state};

use crate::support::cases;

/// Rounding of positions below 1000 after some 20 phases.
const END_TOLERANCE: f64 = 1e-8;

/// Part of a limit by which rounding may exceed it.
const LIMIT_TOLERANCE: f64 = 1e-9;

fn random_limits(rng: &mut SeededRng) -> AxisLimits {
    let mut pair = |low: f64, high: f64| {
        let first = rng.uniform(low, high);
        [-(if rng.below(2) == 0 { first } else { rng.uniform(low, high) }), first]
    };
    let (velocity, acceleration) = (pair(0.5, 5.0), pair(1.0, 10.0));
    let (exponent, other) = (rng.uniform(-0.3, 2.0), rng.uniform(-0.3, 2.0));
    let jerk = [-10.0_f64.powf(if rng.below(2) == 0 { exponent } else { other }), 10.0_f64.powf(exponent)];
    AxisLimits { velocity, acceleration, jerk }
}

/// A state inside the limits from which, and into which, the limits can be held.
fn random_state(rng: &mut SeededRng, limits: &AxisLimits) -> AxisState {
    let position = rng.uniform(-3.0, 3.0);
    if rng.below(6) == 0 {
        return AxisState { position, ..AxisState::default() };
    }
    loop {
        let velocity = rng.uniform(limits.velocity[0], limits.velocity[1]);
        let acceleration = rng.uniform(limits.acceleration[0], limits.acceleration[1]);
        let state = AxisState { position, velocity, acceleration };
        // Velocity where acceleration ends after, and where it began before, the state.
        let slope = |jerk: f64| velocity - acceleration * acceleration / (2.0 * jerk);
        let [after, before] = if acceleration > 0.0 {
            [slope(limits.jerk[0]), slope(limits.jerk[1])]
        } else {
            [slope(limits.jerk[1]), slope(limits.jerk[0])]
        };
        if [after, before].iter().all(|v| *v > limits.velocity[0] && *v < limits.velocity[1]) {
            return state;
        }
    }
}

fn gather(states: &[AxisState]) -> MotionState {
    let list = |field: fn(&AxisState) -> f64| states.iter().map(field).collect();
    MotionState {
        positions: list(|state| state.position),
        velocities: list(|state| state.velocity),
        accelerations: list(|state| state.acceleration),
    }
}

fn duration(start: AxisState, target: AxisState, limits: AxisLimits) -> f64 {
    let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
    planner.plan(&gather(&[start]), &gather(&[target]), &MotionOptions::default()).unwrap()
}

fn assert_holds(planner: &StateToState, case: &str) {
    let curve = planner.curve().unwrap();
    for (joint, limits) in planner.limits().axes().iter().enumerate() {
        for (order, [low, high]) in [(1, limits.velocity), (2, limits.acceleration), (3, limits.jerk)] {
            let slack = LIMIT_TOLERANCE * (high - low);
            for piece in 0..curve.pieces() {
                let range =
                    extremes(curve.coefficients(piece, joint), order, 0.0, curve.piece_duration(piece), slack / 2.0);
                assert!(
                    range.low >= low - slack && range.high <= high + slack,
                    "{case}: joint {joint} order {order} {range:?}"
                );
            }
        }
    }
}

#[test]
fn random_motions_end_in_their_targets_and_hold_every_limit_at_every_instant() {
    for seed in 0..cases(5000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let dof = 1 + rng.below(7);
        let limits: Vec<AxisLimits> = (0..dof).map(|_| random_limits(&mut rng)).collect();
        let start: Vec<AxisState> = limits.iter().map(|limits| random_state(&mut rng, limits)).collect();
        let target: Vec<AxisState> = limits.iter().map(|limits| random_state(&mut rng, limits)).collect();
        let mut planner = StateToState::new(MotionLimits::new(limits).unwrap());
        let (start, target) = (gather(&start), gather(&target));
        let minimum_duration = if rng.below(3) == 0 { rng.uniform(0.0, 20.0) } else { 0.0 };
        let options = MotionOptions { minimum_duration, ..MotionOptions::default() };
        let duration = planner.plan(&start, &target, &options).unwrap();
        assert!(duration >= minimum_duration, "seed {seed}: {duration}");
        let mut end = start.clone();
        planner.sample_into(0.0, &mut end);
        assert_eq!(end, start, "seed {seed}");
        planner.sample_into(duration, &mut end);
        for joint in 0..dof {
            let (end, target) = (end.axis(joint), target.axis(joint));
            let off = [
                end.position - target.position,
                end.velocity - target.velocity,
                end.acceleration - target.acceleration,
            ];
            assert!(off.iter().all(|value| value.abs() < END_TOLERANCE), "seed {seed}: joint {joint} {off:?}");
        }
        assert_holds(&planner, &format!("seed {seed}"));
    }
}

#[test]
fn durations_between_rests_are_those_worked_out_by_hand() {
    let from_rest = |way: f64, v: f64, a: f64, j: f64| {
        let target = AxisState { position: way, ..AxisState::default() };
        duration(AxisState::default(), target, AxisLimits::symmetric(v, a, j))
    };
    // Ramps of a/j = 1 s and of v/a = 2 s: way / v + v / a + a / j.
    assert!((from_rest(10.0, 2.0, 1.0, 1.0) - 8.0).abs() < 1e-12);
    // Neither limit is reached: four ramps of ∛(way / 2j).
    assert!((from_rest(2.0, 9.0, 9.0, 1.0) - 4.0).abs() < 1e-12);
    // Velocity is reached without full acceleration: way / v + 2 √(v / j).
    assert!((from_rest(-9.0, 1.0, 9.0, 4.0) - 10.0).abs() < 1e-12);
    assert_eq!(from_rest(0.0, 1.0, 1.0, 1.0), 0.0);
}

#[test]
fn a_motion_seen_in_a_mirror_or_backwards_takes_as_long() {
    for seed in 0..cases(3000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let limits = random_limits(&mut rng);
        let (start, target) = (random_state(&mut rng, &limits), random_state(&mut rng, &limits));
        let time = duration(start, target, limits);
        let flip = |[low, high]: [f64; 2]| [-high, -low];
        let mirror =
            |s: AxisState| AxisState { position: -s.position, velocity: -s.velocity, acceleration: -s.acceleration };
        let mirrored = AxisLimits {
            velocity: flip(limits.velocity),
            acceleration: flip(limits.acceleration),
            jerk: flip(limits.jerk),
        };
        assert!((duration(mirror(start), mirror(target), mirrored) - time).abs() < 1e-9, "seed {seed}");
        // t → −t keeps position and acceleration and turns velocity and jerk around.
        let back = |s: AxisState| AxisState { velocity: -s.velocity, ..s };
        let backwards = AxisLimits { velocity: flip(limits.velocity), jerk: flip(limits.jerk), ..limits };
        assert!((duration(back(target), back(start), backwards) - time).abs() < 1e-9, "seed {seed}");
    }
}

#[test]
fn no_motion_of_random_jerks_is_faster_than_the_fastest() {
    let mut compared = 0;
    for seed in 0..cases(20_000, 500_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let limits = random_limits(&mut rng);
        let start = random_state(&mut rng, &limits);
        let mut motion = vec![start];
        let mut taken = 0.0;
        for _ in 0..=rng.below(4) {
            // Less than the full jerk: at the very edge of what is possible rounding decides.
            let (time, jerk) = (rng.uniform(0.0, 0.5), limits.jerk[rng.below(2)] * [0.0, 0.9][rng.below(2)]);
            taken += time;
            let last = motion[motion.len() - 1];
            motion.extend((1..=20).map(|part| last.after(time * f64::from(part) / 20.0, jerk)));
        }
        let inside = |value: f64, [low, high]: [f64; 2]| value > low && value < high;
        let end = motion[motion.len() - 1];
        let holds =
            motion.iter().all(|s| inside(s.velocity, limits.velocity) && inside(s.acceleration, limits.acceleration));
        let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
        // Samples may miss a velocity just outside; a target that cannot be met inside is refused.
        let planned = planner.plan(&gather(&[start]), &gather(&[end]), &MotionOptions::default());
        if let (true, Ok(time)) = (holds, planned) {
            compared += 1;
            assert!(time <= taken + 1e-6, "seed {seed}: {time} instead of {taken}");
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn a_start_outside_the_limits_brakes_first_and_then_holds_them() {
    let limits = AxisLimits::symmetric(1.0, 2.0, 10.0);
    for (velocity, acceleration) in [(1.5, 0.0), (-3.0, 0.0), (0.95, 2.0), (0.0, 5.0), (2.0, -4.0), (-2.0, -3.0)] {
        let start = AxisState { position: 0.2, velocity, acceleration };
        let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
        let target = MotionState::at_rest(&[-0.5]);
        let duration = planner.plan(&gather(&[start]), &target, &MotionOptions::default()).unwrap();
        let mut state = target.clone();
        planner.sample_into(duration, &mut state);
        assert!((state.positions[0] + 0.5).abs() < 1e-12);
        // Once inside it stays inside, and speed above the limit never grows but for the acceleration it came with.
        let mut was_inside = false;
        for sample in 0..=1000 {
            planner.sample_into(duration * f64::from(sample) / 1000.0, &mut state);
            let (v, a) = (state.velocities[0], state.accelerations[0]);
            let inside = v.abs() <= 1.0 + 1e-9 && a.abs() <= 2.0 + 1e-9;
            let doomed = v + a * a.abs() / 20.0;
            assert!(inside || !was_inside, "{velocity} {acceleration}: leaves at {sample}: {v} {a}");
            was_inside |= inside && doomed.abs() < 1.0 - 1e-6;
        }
        assert!(was_inside);
    }
}

#[test]
fn phase_synchronized_joints_stay_on_the_line() {
    for seed in 0..cases(300, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let dof = 2 + rng.below(6);
        let limits: Vec<AxisLimits> = (0..dof).map(|_| random_limits(&mut rng)).collect();
        let direction: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
        let from: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
        let (way, speed) = (rng.uniform(-3.0, 3.0), rng.uniform(-0.2, 0.2));
        let along = |factor: f64| -> Vec<f64> { direction.iter().map(|d| factor * d).collect() };
        let start = MotionState { velocities: along(speed), ..MotionState::at_rest(&from) };
        let target: Vec<f64> = from.iter().zip(along(way)).map(|(a, b)| a + b).collect();
        let options = MotionOptions { synchronization: Synchronization::Phase, ..MotionOptions::default() };
        let mut planner = StateToState::new(MotionLimits::new(limits).unwrap());
        let duration = planner.plan(&start, &MotionState::at_rest(&target), &options).unwrap();
        let mut state = start.clone();
        for sample in 0..=50 {
            planner.sample_into(duration * f64::from(sample) / 50.0, &mut state);
            let part = (state.positions[0] - from[0]) / direction[0];
            for joint in 0..dof {
                let off = state.positions[joint] - from[joint] - part * direction[joint];
                assert!(off.abs() < 1e-9 / direction[0].abs(), "seed {seed}: {off}");
            }
        }
        assert!((state.positions[0] - target[0]).abs() < 1e-9, "seed {seed}");
        assert_holds(&planner, &format!("seed {seed}"));
    }
}

#[test]
fn phase_synchronization_is_refused_off_the_line() {
    let start = MotionState { velocities: vec![0.0, 0.1], ..MotionState::at_rest(&[0.0, 0.0]) };
    let options = MotionOptions { synchronization: Synchronization::Phase, ..MotionOptions::default() };
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 1.0, 1.0); 2]).unwrap();
    let error = state_to_state(&start, &MotionState::at_rest(&[1.0, 0.0]), &limits, &options).unwrap_err();
    assert!(error.to_string().contains("on one line"), "{error}");
}

#[test]
fn what_cannot_be_met_is_refused_with_joint_and_quantity() {
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 2.0, 4.0); 2]).unwrap();
    let start = MotionState::at_rest(&[0.0, 0.0]);
    let ask = |target: MotionState| state_to_state(&start, &target, &limits, &MotionOptions::default());
    let target = MotionState::at_rest(&[1.0, 1.0]);
    let fast = MotionState { velocities: vec![0.0, 1.5], ..target.clone() };
    assert!(ask(fast).unwrap_err().to_string().contains("target velocity of joint 1"));
    let hard = MotionState { accelerations: vec![-3.0, 0.0], ..target.clone() };
    assert!(ask(hard).unwrap_err().to_string().contains("target acceleration of joint 0"));
    // 0.9 + 1.5² / 8 is above 1 before the target.
    let doomed = MotionState { velocities: vec![0.9, 0.0], accelerations: vec![-1.5, 0.0], ..target.clone() };
    assert!(ask(doomed).unwrap_err().to_string().contains("joint 0"));
    let nan = MotionState { positions: vec![f64::NAN, 0.0], ..target.clone() };
    assert_eq!(ask(nan).unwrap_err().code(), "NotFinite");
    assert_eq!(ask(MotionState::at_rest(&[1.0])).unwrap_err().code(), "DimensionMismatch");
    let options = MotionOptions { minimum_duration: -1.0, ..MotionOptions::default() };
    assert_eq!(state_to_state(&start, &target, &limits, &options).unwrap_err().code(), "InvalidValue");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = MotionLimits::new(vec![AxisLimits::symmetric(1.0, bad, 1.0)]).unwrap_err();
        assert!(error.to_string().contains("acceleration of joint 0"), "{error}");
    }
}

#[test]
fn a_stop_ends_at_rest_and_holds_every_limit() {
    for seed in 0..cases(1000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let limits: Vec<AxisLimits> = (0..3).map(|_| random_limits(&mut rng)).collect();
        let start: Vec<AxisState> = limits.iter().map(|limits| random_state(&mut rng, limits)).collect();
        let mut planner = StateToState::new(MotionLimits::new(limits).unwrap());
        let duration = planner.plan_stop(&gather(&start)).unwrap();
        let mut end = gather(&start);
        planner.sample_into(duration, &mut end);
        let rest = end.velocities.iter().chain(&end.accelerations).all(|value| value.abs() < 1e-9);
        assert!(rest, "seed {seed}: {end:?}");
        assert_holds(&planner, &format!("seed {seed}"));
    }
}

#[test]
fn planning_and_sampling_allocate_nothing() {
    let mut rng = SeededRng::new(5);
    let limits: Vec<AxisLimits> = (0..7).map(|_| random_limits(&mut rng)).collect();
    let mut state = gather(&limits.iter().map(|limits| random_state(&mut rng, limits)).collect::<Vec<_>>());
    let target = gather(&limits.iter().map(|limits| random_state(&mut rng, limits)).collect::<Vec<_>>());
    let mut planner = StateToState::new(MotionLimits::new(limits).unwrap());
    let measured = allocation_counter::measure(|| {
        planner.plan(&state, &target, &MotionOptions::default()).unwrap();
        planner.sample_into(0.1, &mut state);
    });
    assert_eq!(measured.count_total, 0);
}

/// Lowest and highest position of a joint on a planned motion.
fn position_range(planner: &StateToState, joint: usize) -> [f64; 2] {
    let curve = planner.curve().unwrap();
    (0..curve.pieces()).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], piece| {
        let range = extremes(curve.coefficients(piece, joint), 0, 0.0, curve.piece_duration(piece), 1e-12);
        [low.min(range.low), high.max(range.high)]
    })
}

#[test]
fn a_change_of_velocity_ends_there_and_random_jerks_are_not_faster() {
    let endless = [[f64::NEG_INFINITY, f64::INFINITY]];
    let mut compared = 0;
    for seed in 0..cases(4000, 200_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let limits = random_limits(&mut rng);
        let start = random_state(&mut rng, &limits);
        // Acceleration is linear between the ends of phases, so that its limits need to be looked at there alone.
        let (mut state, mut taken, mut is_inside) = (start, 0.0, true);
        for _ in 0..=rng.below(4) {
            let (duration, jerk) = (rng.uniform(0.0, 0.5), rng.uniform(limits.jerk[0], limits.jerk[1]));
            (state, taken) = (state.after(duration, jerk), taken + duration);
            is_inside &= state.acceleration >= limits.acceleration[0] && state.acceleration <= limits.acceleration[1];
        }
        let jerk = limits.jerk[usize::from(state.acceleration < 0.0)];
        let last = -state.acceleration / jerk;
        (state, taken) = (state.after(last, jerk), taken + last);
        if !is_inside || state.velocity < limits.velocity[0] || state.velocity > limits.velocity[1] {
            continue;
        }
        let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
        let time = planner.plan_velocity(&gather(&[start]), &[state.velocity], &endless).unwrap();
        let mut end = gather(&[start]);
        planner.sample_into(time, &mut end);
        assert!((end.velocities[0] - state.velocity).abs() < 1e-9, "seed {seed}: {end:?}");
        assert!(end.accelerations[0].abs() < 1e-9, "seed {seed}: {end:?}");
        assert_holds(&planner, &format!("seed {seed}"));
        assert!(time <= taken + 1e-9, "seed {seed}: {time} instead of {taken}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn velocity_control_replanned_every_period_stays_inside_positions_and_every_limit() {
    for seed in 0..cases(300, 30_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let limits = random_limits(&mut rng);
        let period = [0.001, 0.002, 0.01, 0.05][rng.below(4)];
        let range = [rng.uniform(-3.0, -0.1), rng.uniform(0.1, 3.0)];
        let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
        let mut state = MotionState::at_rest(&[rng.uniform(range[0], range[1])]);
        let mut velocity = 0.0;
        for tick in 0..1500 {
            if rng.below(40) == 0 {
                // Full speed, none, and anything between.
                let [low, high] = limits.velocity;
                velocity = [low, high, 0.0, rng.uniform(low, high)][rng.below(4)];
            }
            planner.plan_velocity(&state, &[velocity], &[range]).unwrap();
            assert_holds(&planner, &format!("seed {seed} tick {tick}"));
            let planned = state.axis(0);
            // The plan may lead out of the range later on; what is followed of it may not, nor a stop after that.
            planner.sample_into(period, &mut state);
            planner.plan_stop(&state).unwrap();
            let [low, high] = position_range(&planner, 0);
            assert!(
                low > range[0] - 1e-9 && high < range[1] + 1e-9,
                "seed {seed} tick {tick}: {range:?} {planned:?} {velocity} {low} {high}"
            );
        }
    }
}

#[test]
fn a_joint_jogged_to_its_limit_arrives_there_as_early_as_possible() {
    let limits = AxisLimits::symmetric(1.0, 2.0, 8.0);
    let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
    let mut state = MotionState::at_rest(&[0.0]);
    let fastest = duration(AxisState::default(), AxisState { position: 1.0, ..AxisState::default() }, limits);
    let mut ticks = 0;
    while (state.positions[0] - 1.0).abs() > 1e-9 || state.velocities[0].abs() > 1e-9 {
        planner.plan_velocity(&state, &[1.0], &[[-1.0, 1.0]]).unwrap();
        planner.sample_into(0.002, &mut state);
        ticks += 1;
        assert!(ticks < 2000, "{state:?}");
    }
    assert!(f64::from(ticks) * 0.002 < fastest + 0.004, "{ticks} {fastest}");
}

#[test]
fn a_joint_outside_its_range_moves_back_in_and_not_further_out() {
    let limits = AxisLimits::symmetric(1.0, 2.0, 8.0);
    let mut planner = StateToState::new(MotionLimits::new(vec![limits]).unwrap());
    let outside = MotionState::at_rest(&[1.2]);
    assert_eq!(planner.plan_velocity(&outside, &[1.0], &[[-1.0, 1.0]]).unwrap(), 0.0);
    // Inwards as if there were no end behind it.
    let mut after = |range| {
        let mut state = outside.clone();
        planner.plan_velocity(&outside, &[-1.0], &[range]).unwrap();
        planner.sample_into(0.1, &mut state);
        state
    };
    let inwards = after([-1.0, 1.0]);
    assert_eq!(inwards, after([-10.0, 10.0]));
    assert!((inwards.velocities[0] + 0.04).abs() < 1e-12, "{inwards:?}");
}

#[test]
fn velocities_outside_the_limits_or_of_the_wrong_size_are_refused() {
    let mut planner = StateToState::new(MotionLimits::new(vec![AxisLimits::symmetric(1.0, 2.0, 8.0); 2]).unwrap());
    let (state, range) = (MotionState::at_rest(&[0.0, 0.0]), [[-1.0, 1.0]; 2]);
    let error = planner.plan_velocity(&state, &[0.0, 1.1], &range).unwrap_err().to_string();
    assert!(error.contains("target velocity of joint 1"), "{error}");
    assert_eq!(planner.plan_velocity(&state, &[0.0], &range).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(planner.plan_velocity(&state, &[0.0, f64::NAN], &range).unwrap_err().code(), "NotFinite");
    for bad in [[1.0, -1.0], [f64::NAN, 1.0], [-1.0, f64::NAN]] {
        let error = planner.plan_velocity(&state, &[0.0, 0.1], &[[-1.0, 1.0], bad]).unwrap_err().to_string();
        assert!(error.contains("position limits of joint 1"), "{error}");
    }
    // Ends as far as numbers go are as good as none.
    let far = [[f64::MIN, f64::MAX]; 2];
    let none = [[f64::NEG_INFINITY, f64::INFINITY]; 2];
    let [with, without] = [far, none].map(|range| planner.plan_velocity(&state, &[0.5, -1e-3], &range).unwrap());
    assert_eq!(with, without);
    assert_eq!(planner.plan_velocity(&state, &[0.0, 0.0], &range[..1]).unwrap_err().code(), "DimensionMismatch");
}
