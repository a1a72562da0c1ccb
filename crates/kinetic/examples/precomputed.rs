//! Writes `precomputed.json` into the folders of `robot_configs/` that are named, or into all:
//! `cargo run --release -p kinetic --example precomputed [folder ...]`.
//!
//! The file holds what searches find about the spheres of links that are near each other. Without it a robot works as well,
//! and its first plan in a program takes some milliseconds longer. To be run again after a change of joints, limits,
//! hulls, spheres or pairs; a test says when that was forgotten.

#![allow(clippy::print_stdout, reason = "a program")]

#[path = "shared/folders.rs"]
mod folders;

use kinetic::core::{Result, files};
use kinetic::robot::Robot;
use kinetic::scene::precompute;

fn main() -> Result<()> {
    for folder in folders::chosen()? {
        let text = precompute(&Robot::from_path(&folder)?)?.to_json();
        println!("{}: {} KiB", folders::name(&folder), text.len().div_ceil(1024));
        files::write(folder.join("precomputed.json"), text)?;
    }
    Ok(())
}
