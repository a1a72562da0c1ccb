//! Writes `spheres.json` into the folders of `robot_configs/` that are named, or into all, from the convex shapes there:
//! `cargo run --release -p kinetic --example sphere_models [folder ...]`.
//!
//! Loading a robot with stored spheres takes a hundredth of the time of fitting them. Numbers are rounded to
//! micrometres, radii upwards by what the rounding of a centre can cost; the excess of each link is upwards too.

#![allow(clippy::print_stdout, reason = "a program")]

#[path = "shared/folders.rs"]
mod folders;

use std::fmt::Write;

use kinetic::collision::fit::Cover;
use kinetic::collision::{RobotSphereModel, Sphere, SphereGenConfig};
use kinetic::core::{Result, files};
use kinetic::robot::Robot;

/// Centre and radius in micrometre steps; never smaller than what was given.
fn rounded(ball: &Sphere) -> [f64; 4] {
    let center = ball.center.coords.map(|value| (value * 1e6).round() / 1e6);
    let radius = ((ball.radius + (center - ball.center.coords).norm()) * 1e6).ceil() / 1e6;
    [center.x, center.y, center.z, radius]
}

/// The document of a sphere model; links in the order of the robot.
fn document<'a>(links: impl Iterator<Item = (&'a str, &'a Cover)> + Clone) -> String {
    let spheres = |(name, cover): (&str, &Cover)| {
        let lines: Vec<String> = cover.spheres.iter().map(|ball| format!("      {:?}", rounded(ball))).collect();
        format!("    {name:?}: [\n{}\n    ]", lines.join(",\n"))
    };
    // Twice the micrometre of the radius, for the centre as well.
    let excess =
        |(name, cover): (&str, &Cover)| format!("    {name:?}: {:?}", ((cover.excess * 1e6).ceil() + 2.0) / 1e6);
    let mut text = String::from("{\n  \"links\": {\n");
    let _ = write!(text, "{}\n  }},\n", links.clone().map(spheres).collect::<Vec<_>>().join(",\n"));
    let _ = write!(text, "  \"excess\": {{\n{}\n  }}\n}}\n", links.map(excess).collect::<Vec<_>>().join(",\n"));
    text
}

fn main() -> Result<()> {
    for folder in folders::chosen()? {
        let robot = Robot::from_path(&folder)?;
        let model = RobotSphereModel::from_robot(&robot, &SphereGenConfig::default(), None)?;
        let links = robot.links.iter().zip(&model.covers).filter(|(_, cover)| !cover.spheres.is_empty());
        let text = document(links.map(|(link, cover)| (link.name.as_str(), cover)));
        let path = folder.join("spheres.json");
        files::write(&path, text)?;
        let count: usize = model.covers.iter().map(|cover| cover.spheres.len()).sum();
        let excess = model.covers.iter().map(|cover| cover.excess).fold(0.0, f64::max);
        println!("{}: {count} spheres, at most {:.1} mm beyond", folders::name(&folder), excess * 1e3);
    }
    Ok(())
}
