//! Writes `spheres.json` into every folder of `robot_configs/` from the convex hulls there:
//! `cargo run --release -p kinetic --example sphere_models`.
//!
//! Loading a robot with stored spheres takes a tenth of the time of covering its hulls anew. Numbers are rounded to
//! micrometres, radii upwards by what the rounding of a centre can cost.

use std::fmt::Write;
use std::path::Path;

use kinetic::collision::fit::{self, SphereGenConfig};
use kinetic::core::{KineticError, Result};
use kinetic::robot::{GeometryShape, Link, Robot};

fn spheres(link: &Link) -> Result<Vec<[f64; 4]>> {
    let mut shapes = Vec::new();
    for geometry in &link.collisions {
        if let GeometryShape::Shape(shape) = &geometry.shape {
            shapes.push((geometry.link_from_shape.0, shape));
        }
    }
    let round = |value: f64| (value * 1e6).round() / 1e6;
    let rounded = |ball: kinetic::collision::Sphere| {
        let center = ball.center.coords.map(round);
        let radius = ((ball.radius + (center - ball.center.coords).norm()) * 1e6).ceil() / 1e6;
        [center.x, center.y, center.z, radius]
    };
    Ok(fit::cover_all(&shapes, &SphereGenConfig::default())?.into_iter().map(rounded).collect())
}

fn main() -> Result<()> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_configs");
    let wrong = |error: std::io::Error| KineticError::io(&configs, &error);
    for entry in std::fs::read_dir(&configs).map_err(wrong)? {
        let folder = entry.map_err(wrong)?.path();
        let robot = Robot::from_path(&folder)?;
        let mut links = Vec::new();
        for link in robot.links.iter().filter(|link| !link.collisions.is_empty()) {
            let mut text = format!("    {:?}: [", link.name);
            for (index, sphere) in spheres(link)?.iter().enumerate() {
                let separator = if index == 0 { "" } else { "," };
                let _ = write!(text, "{separator}\n      {sphere:?}");
            }
            links.push(text + "\n    ]");
        }
        let text = format!("{{\n  \"links\": {{\n{}\n  }}\n}}\n", links.join(",\n"));
        let path = folder.join("spheres.json");
        std::fs::write(&path, text).map_err(|error| KineticError::io(path, &error))?;
    }
    Ok(())
}
