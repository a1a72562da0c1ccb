//! Writes `pairs.json` into the folders of `robot_configs/` that are named, or into all:
//! `cargo run --release -p kinetic --example pair_facts [folder ...]`.
//!
//! The file holds which pairs of links always touch and which are proven never to. Without it a robot works as well, and
//! finds out less, anew in every program. To be run again after a change of joints, limits, hulls or disabled pairs;
//! a test says when that was forgotten.

#![allow(clippy::print_stdout, reason = "a program")]

#[path = "shared/folders.rs"]
mod folders;

use kinetic::core::{Result, files};
use kinetic::robot::Robot;
use kinetic::scene::Effort;
use kinetic::scene::geometry::find_pair_facts;

fn main() -> Result<()> {
    for folder in folders::chosen()? {
        let robot = Robot::from_path(&folder)?;
        let mut facts = find_pair_facts(&robot, &Effort::TO_STORE)?;
        // Rounded down, so that it stays proven.
        facts.never.iter_mut().for_each(|(_, distance)| *distance = (*distance * 1e5).floor() / 1e5);
        let path = folder.join("pairs.json");
        files::write(&path, facts.to_json(&robot))?;
        let (always, never) = (facts.always.len(), facts.never.len());
        println!("{}: {always} pairs always touch, {never} never", folders::name(&folder));
    }
    Ok(())
}
