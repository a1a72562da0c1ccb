//! A ball on two slides: its configuration is where it is.

use kinetic_core::Result;
use kinetic_robot::Robot;

/// The robot, whose slides go from `−reach` to `reach`, m.
pub(crate) fn robot(reach: f64, ball: f64) -> Result<Robot> {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"{}\" upper=\"{reach}\" velocity=\"1\" effort=\"1\"/></joint>",
            -reach
        )
    };
    let ball = format!("<collision><geometry><sphere radius=\"{ball}\"/></geometry></collision>");
    let urdf = format!(
        "<robot name=\"gantry\"><link name=\"base\"/><link name=\"bridge\"/><link name=\"ball\">{ball}</link>{}{}</robot>",
        slide("x", "base", "bridge", "1 0 0"),
        slide("y", "bridge", "ball", "0 1 0"),
    );
    Robot::from_urdf_string(&urdf)
}
