//! Motions under way in a scene that changes. Oracle: distances between balls by hand, at many moments.

use kinetic::prelude::*;

use crate::sliding_tool::{TOOL_RADIUS, add_ball, distance, world};

const SAMPLES: u32 = 4000;

fn moments(motion: &TimedTrajectory) -> impl Iterator<Item = (f64, Vec<f64>)> {
    let moment = move |sample: u32| motion.duration() * f64::from(sample) / f64::from(SAMPLES);
    (0..=SAMPLES).map(move |sample| (moment(sample), motion.curve().sample(moment(sample), 0)))
}

fn straight(planner: &Planner, from: [f64; 2], to: [f64; 2]) -> TimedTrajectory {
    planner.plan_timed(&from, &Goal::joints(to), "totp").unwrap().trajectory
}

#[test]
fn what_is_left_of_a_motion_is_blocked_by_what_is_ahead_alone() {
    let live = world();
    let planner = Planner::in_live_scene(&live).unwrap();
    let motion = straight(&planner, [-1.0, 0.0], [1.0, 0.0]);
    let at = |x: f64| moments(&motion).find(|(_, q)| q[0] >= x).unwrap().0;
    let (ball, radius) = ([0.2, 0.1], 0.1);
    add_ball(&live, "ball", ball, radius);
    let contact = moments(&motion).find(|(_, q)| distance(q, ball, radius) <= 0.0).unwrap().0;
    for from in [0.0, at(-0.5), 0.9 * contact] {
        let error = planner.check_remaining(&motion, from, &Control::default()).unwrap_err();
        let KineticError::TrajectoryInCollision { time, link, other, .. } = &error else { panic!("{error}") };
        assert_eq!((link.as_str(), other.as_str()), ("tool", "ball"));
        // The margin is kept a moment longer than there is none; the motion takes some seconds.
        assert!(*time >= from && *time <= contact + 1e-3 && *time > contact - 0.2, "{time} {contact}");
    }
    // The ball is passed.
    let passed = at(ball[0] + radius + TOOL_RADIUS + 0.05);
    assert_eq!(planner.check_remaining(&motion, passed, &Control::default()), Ok(()));
    live.edit(|scene| Ok(scene.remove("ball"))).unwrap();
    assert_eq!(planner.check_remaining(&motion, 0.0, &Control::default()), Ok(()));
    let late = planner.check_remaining(&motion, motion.duration() + 1.0, &Control::default()).unwrap_err();
    assert_eq!(late.code(), "InvalidValue");
    let stopped = StopFlag::default();
    stopped.stop();
    let error = planner.check_remaining(&motion, 0.0, &planner.control(stopped)).unwrap_err();
    assert_eq!(error.code(), "Cancelled");
}

#[test]
fn a_splice_is_certified_or_names_the_pair_on_its_connection() {
    let live = world();
    let planner = Planner::in_live_scene(&live).unwrap();
    let running = straight(&planner, [-1.0, 0.0], [1.0, 0.0]);
    let next = straight(&planner, [-0.2, 0.8], [-1.0, 0.8]);
    let (now, latency) = (0.3 * running.duration(), 0.02);
    let spliced = planner.splice(&running, now, latency, &next, &Control::default()).unwrap();
    assert!(spliced.certificate().is_some_and(|certificate| certificate.scene == live.version()));
    // It begins as the running one goes on, and ends as the next one does.
    let curve = spliced.curve();
    for order in 0..3 {
        let (own, running) = (curve.sample(0.5 * latency, order), running.curve().sample(now + 0.5 * latency, order));
        assert!(own.iter().zip(&running).all(|(a, b)| (a - b).abs() < 1e-9), "{own:?} {running:?}");
    }
    assert!(curve.sample(spliced.duration(), 0).iter().zip([-1.0, 0.8]).all(|(a, b)| (a - b).abs() < 1e-9));
    // A ball on the connection, away from both motions.
    let middle = moments(&spliced).map(|(_, q)| q).find(|q| q[1] > 0.4).unwrap();
    let (ball, radius) = ([middle[0], middle[1]], 0.1);
    for motion in [&running, &next] {
        assert!(moments(motion).all(|(_, q)| distance(&q, ball, radius) > 0.1));
    }
    add_ball(&live, "post", ball, radius);
    for motion in [&running, &next] {
        assert!(planner.certify(motion, &Control::default()).is_ok());
    }
    let error = planner.splice(&running, now, latency, &next, &Control::default()).unwrap_err();
    let KineticError::TrajectoryInCollision { time, link, other, .. } = &error else { panic!("{error}") };
    assert_eq!((link.as_str(), other.as_str()), ("tool", "post"));
    let contact = moments(&spliced).find(|(_, q)| distance(q, ball, radius) <= 0.0).unwrap().0;
    assert!(*time <= contact + 1e-3 && *time > contact - 0.2, "{time} {contact}");
}

#[test]
fn a_splice_into_a_motion_from_rest_joins_it_under_way() {
    let live = world();
    let planner = Planner::in_live_scene(&live).unwrap();
    let running = straight(&planner, [-1.0, 0.0], [1.0, 0.0]);
    let next = straight(&planner, [0.2, 0.0], [1.0, 0.8]);
    let now = moments(&running).find(|(_, q)| q[0] >= -0.3).unwrap().0;
    let least_speed = |motion: &TimedTrajectory| {
        let speeds = (50..350).map(|part| motion.curve().sample(motion.duration() * f64::from(part) / 400.0, 1));
        speeds.map(|v| v[0].hypot(v[1])).fold(f64::INFINITY, f64::min)
    };
    let plain = planner.splice(&running, now, 0.02, &next, &Control::default()).unwrap();
    let joined = planner.splice_into(&running, now, 0.02, &next, &Control::default()).unwrap();
    assert!(joined.certificate().is_some_and(|certificate| certificate.scene == live.version()));
    assert!(joined.duration() < plain.duration(), "{} {}", joined.duration(), plain.duration());
    assert!(
        least_speed(&plain) < 0.05 && least_speed(&joined) > 0.2,
        "{} {}",
        least_speed(&plain),
        least_speed(&joined)
    );
    let end = joined.curve().sample(joined.duration(), 0);
    assert!(end.iter().zip([1.0, 0.8]).all(|(a, b)| (a - b).abs() < 1e-9), "{end:?}");
    // All ways into it are blocked by a ball that it goes through: the pair of the quickest one is named.
    add_ball(&live, "post", [0.6, 0.4], 0.1);
    let error = planner.splice_into(&running, now, 0.02, &next, &Control::default()).unwrap_err();
    assert!(matches!(&error, KineticError::TrajectoryInCollision { other, .. } if other == "post"), "{error}");
}
