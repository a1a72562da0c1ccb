//! Trajectories of several groups as one. Oracle: samples of the parts.

use kinetic_core::rng::SeededRng;
use kinetic_core::{TimedTrajectory, TrajectoryIdentity};
use kinetic_trajectory::{TimingOptions, stack, time_parameterize, trapezoidal};

use crate::support::{degenerate_path, largest_difference, path, random_limits};

/// Taylor shifts of coefficients of order 10 round a few times.
const TOLERANCE: f64 = 1e-11;

fn named(timed: TimedTrajectory, prefix: &str) -> TimedTrajectory {
    let joint_names = (0..timed.dof()).map(|joint| format!("{prefix}{joint}")).collect();
    let identity = TrajectoryIdentity { joint_names, group: Some(prefix.to_owned()), robot_name: Some("r".to_owned()) };
    timed.with_identity(identity).unwrap()
}

fn random(rng: &mut SeededRng, law: &str, prefix: &str) -> TimedTrajectory {
    let path = degenerate_path(rng);
    let limits = random_limits(rng, path.dof());
    named(time_parameterize(&path, law, &limits, &TimingOptions::default(), &mut |_| true).unwrap(), prefix)
}

#[test]
fn a_stack_moves_every_part_as_it_is_and_holds_what_has_ended() {
    for seed in 0..200 {
        let mut rng = SeededRng::new(seed);
        let parts =
            [random(&mut rng, "trapezoidal", "a"), random(&mut rng, "totp", "b"), random(&mut rng, "trapezoidal", "c")];
        let whole = stack(&parts, None).unwrap();
        assert_eq!(whole.duration(), parts.iter().map(TimedTrajectory::duration).fold(0.0, f64::max));
        for step in 0..=200 {
            let t = whole.duration() * f64::from(step) / 200.0;
            for order in [0, 1] {
                let wanted = parts.iter().flat_map(|part| {
                    let moves = order == 0 || t < part.duration();
                    let own = part.curve().sample(t, order);
                    own.into_iter().map(move |value| if moves { value } else { 0.0 })
                });
                let gap = largest_difference(&whole.curve().sample(t, order), &wanted.collect::<Vec<_>>());
                // At its end a part may be at 1e-10 per s, where the stack holds it.
                assert!(gap < TOLERANCE.max(1e-9 * order as f64), "seed {seed} t {t} order {order}: {gap}");
            }
        }
    }
}

#[test]
fn a_stack_is_named_after_all_of_its_joints_and_has_no_certificate() {
    let short = named(trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 2.0).unwrap(), "a");
    let long = named(trapezoidal(&path(&[&[0.0, 1.0], &[2.0, 0.0]]), 1.0, 2.0).unwrap(), "b");
    let whole = stack(&[short.clone(), long.clone()], None).unwrap();
    assert_eq!(whole.joint_names(), ["a0", "b0", "b1"]);
    assert_eq!((whole.group(), whole.robot_name(), whole.certificate()), (None, Some("r"), None));
    assert_eq!(whole.waypoint_times(), [0.0, short.duration(), long.duration()]);
    assert_eq!(stack(&[long.clone(), short.clone()], None).unwrap().joint_names(), ["b0", "b1", "a0"]);
    let names = ["x", "y", "z"].map(str::to_owned);
    assert_eq!(stack(&[short.clone(), long], Some(&names)).unwrap().joint_names(), names);
    // Alone it is what it was.
    assert_eq!(stack(std::slice::from_ref(&short), None).unwrap(), short);
}

#[test]
fn joints_that_two_parts_move_and_parts_without_names_are_refused() {
    let part = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 2.0).unwrap();
    let (a, b) = (named(part.clone(), "a"), named(part.clone(), "b"));
    for (parts, names, wanted) in [
        (vec![], None, "at least one"),
        (vec![a.clone(), a.clone()], None, "a0"),
        (vec![a.clone(), part], None, "trajectory 1"),
        (vec![a.clone(), b.clone()], Some(vec!["x".to_owned(); 2]), "x"),
    ] {
        let error = stack(&parts, names.as_deref()).unwrap_err();
        assert!(error.code() == "InvalidValue" && error.to_string().contains(wanted), "{error}");
    }
    let names = ["x".to_owned()];
    assert_eq!(stack(&[a, b], Some(&names)).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn a_part_that_ends_under_way_is_refused_unless_it_is_the_longest() {
    let slow = named(trapezoidal(&path(&[&[0.0], &[3.0]]), 1.0, 2.0).unwrap(), "a");
    let cut = kinetic_trajectory::remaining(&kinetic_trajectory::reverse(&slow).unwrap(), 1.0).unwrap();
    let under_way = named(kinetic_trajectory::reverse(&cut).unwrap(), "b");
    let error = stack(&[slow.clone(), under_way.clone()], None).unwrap_err();
    assert!(error.to_string().contains("at the end of trajectory 1"), "{error}");
    let short = named(trapezoidal(&path(&[&[0.0], &[0.1]]), 1.0, 2.0).unwrap(), "c");
    assert!(stack(&[short, under_way], None).is_ok());
}
