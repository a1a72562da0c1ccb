//! A motion in a file and back, read at a fixed rate.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let start = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
    let motion = kinetic::plan("ur5e", &start, &Goal::named("ready"))?.trajectory;

    let path = std::env::temp_dir().join("kinetic_example_04.json");
    kinetic::trajectory::trajectory_to_json_file(&motion, &[], &path)?;
    let again = kinetic::trajectory::trajectory_from_json_file(&path)?.trajectory;

    // 125 Hz, as a controller would read it.
    let period = 0.008;
    let times: Vec<f64> =
        std::iter::successors(Some(0.0), |t| Some(t + period)).take_while(|t| *t < again.duration()).collect();
    let same = times.iter().all(|&t| again.sample_at(t) == motion.sample_at(t));
    println!("{} set points over {:.2} s; same curve: {same}", times.len(), again.duration());
    Ok(())
}
