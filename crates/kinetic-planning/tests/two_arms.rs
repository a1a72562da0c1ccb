//! A robot of two planar arms whose collisions are known in closed form: balls on links that turn about vertical axes.

use std::sync::Arc;

use kinetic_robot::Robot;
use kinetic_robot::srdf::SrdfModel;

/// Length of each of the two links of an arm, m.
const LINK_M: f64 = 0.4;

/// Radius of every ball, m.
const BALL_M: f64 = 0.05;

/// Distance of each arm's base from the middle, m. Both arms reach the other's base nearly.
const BASE_M: f64 = 0.5;

/// Where balls sit on a link, m.
const BALLS_M: [f64; 3] = [0.15, 0.25, 0.35];

/// Two arms that face each other; joint vectors of `left+right` are (left shoulder, left elbow, right shoulder, right elbow).
pub(crate) fn robot() -> Arc<Robot> {
    let balls: String = BALLS_M
        .map(|x| {
            format!("<collision><origin xyz='{x} 0 0'/><geometry><sphere radius='{BALL_M}'/></geometry></collision>")
        })
        .concat();
    let joint = |name: &str, parent: &str, child: &str, origin: &str| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>
             <origin {origin}/><axis xyz='0 0 1'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint>
             <link name='{child}'>{balls}</link>"
        )
    };
    let along = format!("xyz='{LINK_M} 0 0'");
    let text = [
        joint("left_shoulder", "base", "left_upper", &format!("xyz='-{BASE_M} 0 0'")),
        joint("left_elbow", "left_upper", "left_lower", &along),
        joint(
            "right_shoulder",
            "base",
            "right_upper",
            &format!("xyz='{BASE_M} 0 0' rpy='0 0 {}'", std::f64::consts::PI),
        ),
        joint("right_elbow", "right_upper", "right_lower", &along),
    ];
    let mut robot =
        Robot::from_urdf_string(&format!("<robot name='two_arms'><link name='base'/>{}</robot>", text.concat()))
            .unwrap();
    let srdf = "<robot name='two_arms'>
        <group name='left'><chain base_link='base' tip_link='left_lower'/></group>
        <group name='right'><chain base_link='base' tip_link='right_lower'/></group>
        <group name='both'><group name='left'/><group name='right'/></group>
        <group_state name='up' group='left'><joint name='left_shoulder' value='1.2'/></group_state>
        <group_state name='up' group='right'><joint name='right_shoulder' value='-1.2'/></group_state>
        <group_state name='down' group='left'><joint name='left_shoulder' value='-1.2'/></group_state>
        <group_state name='down' group='right'><joint name='right_shoulder' value='1.2'/></group_state>
        </robot>";
    SrdfModel::from_string(srdf).unwrap().apply_to_robot(&mut robot).unwrap();
    Arc::new(robot)
}

/// The least distance of a ball of the left arm from one of the right arm, m, by trigonometry.
pub(crate) fn distance_between_arms(q: &[f64]) -> f64 {
    let [left, right] = [(-BASE_M, 0.0, &q[..2]), (BASE_M, std::f64::consts::PI, &q[2..])].map(|(x, heading, q)| {
        let (first, second) = (heading + q[0], heading + q[0] + q[1]);
        let elbow = (x + LINK_M * first.cos(), LINK_M * first.sin());
        let on =
            |(x, y): (f64, f64), angle: f64| BALLS_M.map(|along| (x + along * angle.cos(), y + along * angle.sin()));
        [on((x, 0.0), first), on(elbow, second)].concat()
    });
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a.0 - b.0).hypot(a.1 - b.1) - 2.0 * BALL_M));
    pairs.fold(f64::INFINITY, f64::min)
}
