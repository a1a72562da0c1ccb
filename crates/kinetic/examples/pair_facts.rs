//! Writes `robot_configs/<name>/pairs.json` for every built-in robot, or for those named:
//! `cargo run --release -p kinetic --example pair_facts [NAME…]`.
//!
//! The file holds which pairs of links always touch and which are proven never to. Without it a robot works as well, and
//! finds out less, anew in every program. To be run again after a change of joints, limits, hulls or disabled pairs;
//! a test says when that was forgotten.

#![allow(clippy::print_stdout, reason = "a program")]

use std::path::Path;

use kinetic::core::{KineticError, Result};
use kinetic::robot::Robot;
use kinetic::scene::Effort;
use kinetic::scene::geometry::find_pair_facts;

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_configs");
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = kinetic::robot_names().into_iter().map(str::to_owned).collect();
    }
    for name in names {
        let robot = Robot::from_path(folder.join(&name))?;
        let mut facts = find_pair_facts(&robot, &Effort::TO_STORE)?;
        // Rounded down, so that it stays proven.
        facts.never.iter_mut().for_each(|(_, distance)| *distance = (*distance * 1e5).floor() / 1e5);
        let path = folder.join(&name).join("pairs.json");
        std::fs::write(&path, facts.to_json(&robot)).map_err(|error| KineticError::io(path, &error))?;
        println!("{name}: {} pairs always touch, {} never", facts.always.len(), facts.never.len());
    }
    Ok(())
}
