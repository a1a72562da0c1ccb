//! What limits allow, value by value. Oracle: the definition, asked for every value of a grid.

use kinetic_core::rng::SeededRng;
use kinetic_robot::{Robot, RobotConfig};

/// A leader and its follower.
#[derive(Debug, Clone, Copy)]
struct Pair {
    leader: [f64; 2],
    follower: [f64; 2],
    multiplier: f64,
    offset: f64,
    speeds: [f64; 2],
    /// The follower's.
    acceleration: f64,
}

impl Pair {
    /// A range around zero, and a follower's around where the leader takes it.
    fn random(rng: &mut SeededRng) -> Self {
        let mut range =
            |middle: f64, scale: f64| [middle - scale * rng.uniform(0.1, 2.0), middle + scale * rng.uniform(0.1, 2.0)];
        let (leader, wide) = (range(0.0, 1.0), range(0.0, 1.0));
        let sign = if rng.below(2) == 0 { -1.0 } else { 1.0 };
        let (multiplier, offset) = (sign * rng.uniform(0.3, 3.0), rng.uniform(-1.0, 1.0));
        let follower = wide.map(|value| multiplier.abs() * value + offset);
        Self {
            leader,
            follower,
            multiplier,
            offset,
            speeds: [rng.uniform(0.5, 4.0), rng.uniform(0.5, 4.0)],
            acceleration: rng.uniform(0.5, 9.0),
        }
    }

    fn allows(&self, q: f64) -> bool {
        let follower = self.multiplier * q + self.offset;
        (self.leader[0]..=self.leader[1]).contains(&q) && (self.follower[0]..=self.follower[1]).contains(&follower)
    }

    fn robot(&self) -> Robot {
        let limit = |[lower, upper]: [f64; 2], speed: f64, more: &str| {
            format!("<limit lower='{lower}' upper='{upper}' effort='1' velocity='{speed}' {more}/>")
        };
        let acceleration = format!("acceleration='{}'", self.acceleration);
        let leader = limit(self.leader, self.speeds[0], "");
        let follower = limit(self.follower, self.speeds[1], &acceleration);
        Robot::from_urdf_string(&format!(
            "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
            <joint name='leader' type='prismatic'><parent link='a'/><child link='b'/>{leader}</joint>
            <joint name='follower' type='prismatic'><parent link='b'/><child link='c'/>{follower}
            <mimic joint='leader' multiplier='{}' offset='{}'/></joint></robot>",
            self.multiplier, self.offset
        ))
        .unwrap()
    }
}

/// Asserts that `contains` allows what `allowed` does, but for rounding at the edges.
fn assert_same_values(contains: impl Fn(f64) -> bool, allowed: impl Fn(f64) -> bool, case: &str) {
    for step in -3000..=3000 {
        let q = f64::from(step) * 1e-3 + 1e-7;
        let is_edge = allowed(q - 1e-9) != allowed(q + 1e-9);
        assert!(is_edge || contains(q) == allowed(q), "{case}: {q}");
    }
}

#[test]
fn a_leader_may_go_where_its_own_range_and_its_followers_are_kept() {
    for seed in 0..100 {
        let pair = Pair::random(&mut SeededRng::new(seed));
        let robot = pair.robot();
        let limits = robot.joint_limits[0];
        assert_same_values(|q| limits.contains(q, 0.0), |q| pair.allows(q), &format!("seed {seed}: {pair:?}"));
        let speed = pair.speeds[0].min(pair.speeds[1] / pair.multiplier.abs());
        assert!((limits.velocity - speed).abs() <= 1e-12, "seed {seed}: {pair:?}");
        // The leader states none: it is at full speed after half a second.
        let acceleration = (speed / 0.5).min(pair.acceleration / pair.multiplier.abs());
        let found = robot.acceleration_limits(&robot.groups[0])[0];
        assert!((found - acceleration).abs() <= 1e-12, "seed {seed}: {found} {acceleration} {pair:?}");
    }
}

#[test]
fn a_leader_that_is_stricter_than_its_follower_keeps_its_own_limits() {
    let pair = Pair {
        leader: [-0.1, 0.2],
        follower: [-5.0, 5.0],
        multiplier: -2.0,
        offset: 0.5,
        speeds: [0.3, 9.0],
        acceleration: 99.0,
    };
    let limits = pair.robot().joint_limits[0];
    assert_eq!((limits.lower, limits.upper, limits.velocity), (-0.1, 0.2, 0.3));
    // One side each.
    let pair = Pair { follower: [-5.0, 0.6], ..pair };
    let limits = pair.robot().joint_limits[0];
    assert!((limits.lower + 0.05).abs() < 1e-12 && limits.upper == 0.2, "{limits:?}");
}

#[test]
fn stated_limits_narrow_what_followers_left_and_never_widen_it() {
    let mut tried = 0;
    for seed in 0..300 {
        let mut rng = SeededRng::new(seed);
        let pair = Pair::random(&mut rng);
        let mut robot = pair.robot();
        let before = robot.joint_limits[0];
        // Inside the joint's own range, which is what the file may state.
        let mut inside = || pair.leader[0] + (pair.leader[1] - pair.leader[0]) * rng.unit();
        let (lower, upper) = (inside(), inside());
        let text = format!(
            "[robot]\nname = \"r\"\nurdf = \"r.urdf\"\n[limits]\nlower = {{ leader = {lower} }}\nupper = {{ leader = {upper} }}\n"
        );
        let allowed = |q: f64| before.contains(q, 0.0) && q >= lower && q <= upper;
        if RobotConfig::from_string(&text).unwrap().apply_to_robot(&mut robot).is_err() {
            let most = before.upper.min(upper);
            assert!(before.lower.max(lower) > most || lower > before.upper, "seed {seed}: refused {lower} to {upper}");
            continue;
        }
        tried += 1;
        let case = format!("seed {seed}: {pair:?}, stated {lower} to {upper}");
        assert_same_values(|q| robot.joint_limits[0].contains(q, 0.0), allowed, &case);
    }
    assert!(tried > 30, "{tried}");
}

/// A turning and a sliding joint with the given range each.
fn two_joints(lower: f64, upper: f64) -> Robot {
    let joint = |name: &str, kind: &str, links: [&str; 2]| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{}'/><child link='{}'/>
            <limit lower='-1' upper='1' effort='1' velocity='1'/></joint>",
            links[0], links[1]
        )
    };
    let (turn, slide) = (joint("turn", "revolute", ["a", "b"]), joint("slide", "prismatic", ["b", "c"]));
    let text = format!("<robot name='r'><link name='a'/><link name='b'/><link name='c'/>{turn}{slide}</robot>");
    let mut robot = Robot::from_urdf_string(&text).unwrap();
    for limits in &mut robot.joint_limits {
        (limits.lower, limits.upper) = (lower, upper);
    }
    robot
}

#[test]
fn the_middle_of_a_range_that_is_open_is_what_is_nearest_to_zero() {
    let endless = f64::INFINITY;
    for ((lower, upper), wanted) in [
        ((0.5, endless), 0.5),
        ((-endless, -0.25), -0.25),
        ((-endless, 3.0), 0.0),
        ((-endless, endless), 0.0),
        ((1.0, 2.0), 1.5),
    ] {
        let robot = two_joints(lower, upper);
        assert_eq!(&*robot.mid_configuration(&robot.groups[0]), [wanted; 2], "{lower} to {upper}");
    }
}

#[test]
fn a_range_that_is_open_on_one_side_is_sampled_as_far_from_its_end_as_a_free_one_is_wide() {
    use std::f64::consts::{PI, TAU};
    let endless = f64::INFINITY;
    // A full turn, or 2 m, from the end that there is.
    for ((lower, upper), turn, slide) in [
        ((0.5, endless), (0.5, 0.5 + TAU), (0.5, 2.5)),
        ((-endless, 0.5), (0.5 - TAU, 0.5), (-1.5, 0.5)),
        ((-endless, endless), (-PI, PI), (-1.0, 1.0)),
        ((-0.25, 0.5), (-0.25, 0.5), (-0.25, 0.5)),
    ] {
        let robot = two_joints(lower, upper);
        let group = &robot.groups[0];
        let ranges = robot.sanitised_limits(group);
        for (found, wanted) in ranges.iter().zip([turn, slide]) {
            assert!((found.0 - wanted.0).abs() < 1e-12 && (found.1 - wanted.1).abs() < 1e-12, "{found:?} {wanted:?}");
        }
        let mut seen = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut rng = SeededRng::new(0);
        for _ in 0..500 {
            let q = robot.random_configuration(group, &mut rng);
            for ((seen, value), limits) in seen.iter_mut().zip(&*q).zip(&robot.joint_limits) {
                assert!(limits.contains(*value, 0.0), "{q:?} outside of {lower} to {upper}");
                *seen = [seen[0].min(*value), seen[1].max(*value)];
            }
        }
        for (seen, (low, high)) in seen.into_iter().zip([turn, slide]) {
            let width = high - low;
            assert!(seen[0] < low + 0.05 * width && seen[1] > high - 0.05 * width, "{seen:?} of {low} to {high}");
            assert!(seen[0] >= low && seen[1] <= high, "{seen:?} of {low} to {high}");
        }
    }
}
