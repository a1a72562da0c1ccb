//! A ball on two slides, in a plane: distances to other balls are known by hand.

use std::sync::Arc;

use kinetic::prelude::*;

/// Radius of the tool, and its height, m.
pub(crate) const TOOL_RADIUS: f64 = 0.05;
pub(crate) const HEIGHT: f64 = 1.0;

/// The robot.
pub(crate) fn robot() -> Arc<Robot> {
    let slide = |name: &str, parent: &str, child: &str, origin: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{origin}\"/><axis xyz=\"{axis}\"/><limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let ball = format!(
        "<link name=\"tool\"><collision><geometry><sphere radius=\"{TOOL_RADIUS}\"/></geometry></collision></link>"
    );
    let slides = [slide("x", "base", "carriage", "0 0 1", "1 0 0"), slide("y", "carriage", "tool", "0 0 0", "0 1 0")];
    let links = "<link name=\"base\"/><link name=\"carriage\"/>";
    Arc::new(
        Robot::from_urdf_string(&format!("<robot name=\"slides\">{links}{ball}{}</robot>", slides.concat())).unwrap(),
    )
}

/// A live scene without objects.
pub(crate) fn world() -> LiveScene {
    LiveScene::new(Scene::new(&robot()).unwrap())
}

/// Adds a ball.
pub(crate) fn add_ball(live: &LiveScene, name: &str, [x, y]: [f64; 2], radius: f64) {
    live.edit(|scene| scene.add(name, Shape::sphere(radius)?, Pose::from_xyz(x, y, HEIGHT))).unwrap();
}

/// Distance of the tool at `q` from a ball, by hand.
pub(crate) fn distance(q: &[f64], [x, y]: [f64; 2], radius: f64) -> f64 {
    (q[0] - x).hypot(q[1] - y) - radius - TOOL_RADIUS
}
