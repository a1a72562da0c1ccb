//! Milliseconds of a Euclidean distance field of 128³ cells: on the processor, and on the adapter, in one run.
//!
//! A floor with twenty boxes on it, in a field of all distances and in one whose distances end at ten cells; the best of five calls
//! each, from no cells on. Arguments choose the adapter: `cargo bench -p kinetic-gpu --bench distance_field -- gpu:0`.
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]

mod common;

use std::time::Instant;

use kinetic_collision::{DistanceTransform, DistanceTransformer, EuclideanDistanceField};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result};
use kinetic_gpu::GpuDistanceTransform;
use nalgebra::Point3;

/// Cells along an axis.
const SIZE: i32 = 128;
/// Edge of a cell, m.
const RESOLUTION: f64 = 0.05;
const CALLS: usize = 5;

fn cells() -> Vec<[i32; 3]> {
    let mut rng = SeededRng::new(3);
    let mut found: Vec<[i32; 3]> = (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| [x, y, 0])).collect();
    for _ in 0..20 {
        let low = [0; 2].map(|_: i32| rng.uniform(0.0, f64::from(SIZE - 20)) as i32);
        let sizes = [0; 3].map(|_: i32| rng.uniform(4.0, 20.0) as i32);
        for (x, y) in (0..sizes[0]).flat_map(|x| (0..sizes[1]).map(move |y| (low[0] + x, low[1] + y))) {
            found.extend((1..=4 * sizes[2]).map(|z| [x, y, z]));
        }
    }
    found
}

/// Prints how many milliseconds the best of several calls takes that computes a field anew.
fn measure(name: &str, most: Option<f64>, transform: &mut dyn DistanceTransformer) -> Result<Vec<f32>> {
    let (full, corner) = (cells(), Point3::from([f64::from(SIZE) * RESOLUTION; 3]));
    let mut field = EuclideanDistanceField::new(&Point3::origin(), &corner, RESOLUTION, most)?;
    let mut best = f64::INFINITY;
    for _ in 0..CALLS {
        field.update_with(&[], transform, &Control::default())?;
        let start = Instant::now();
        field.update_with(&full, transform, &Control::default())?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let until = most.map_or(String::new(), |most| format!(", up to {most} m"));
    println!("{:<34}{:>12.1} ms", format!("{name}{until}"), best * 1e3);
    Ok(field.values().to_vec())
}

fn main() -> Result<()> {
    let mut on_device = common::device()?.map(|device| GpuDistanceTransform::new(&device)).transpose()?;
    for most in [None, Some(10.0 * RESOLUTION)] {
        let wanted = measure("processor", most, &mut DistanceTransform::default())?;
        if let Some(on_device) = &mut on_device {
            let found = measure("device", most, on_device)?;
            println!("{:<34}{:>12}", "the same bits", found == wanted);
        }
    }
    Ok(())
}
