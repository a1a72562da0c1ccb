//! How long does the surface of a field take?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Control;
use kinetic_perception::{ScalarGrid, marching_cubes};
use nalgebra::{Point3, Vector3};

/// Distances from a ball in the middle that reaches 45 % of the edge far, in cells.
fn ball(nodes: usize) -> Vec<f32> {
    let along = |index: usize| index as f64 - (nodes - 1) as f64 / 2.0;
    let distance = |index: usize| {
        let place = [index / (nodes * nodes), index / nodes % nodes, index % nodes].map(along);
        (Vector3::from(place).norm() - 0.45 * nodes as f64) as f32
    };
    (0..nodes * nodes * nodes).map(distance).collect()
}

fn surfaces(criterion: &mut Criterion) {
    for nodes in [64, 128, 256] {
        let values = ball(nodes);
        let grid = ScalarGrid::new(&values, [nodes; 3], &Point3::origin(), &Vector3::repeat(0.01)).unwrap();
        let mesh = marching_cubes(&grid, 0.0, &Control::default()).unwrap();
        eprintln!("{nodes}³: {} vertices, {} triangles", mesh.vertices.len(), mesh.triangles.len());
        criterion.bench_function(&format!("marching_cubes/ball/{nodes}"), |bencher| {
            bencher.iter(|| marching_cubes(black_box(&grid), 0.0, &Control::default()).unwrap());
        });
    }
}

criterion_group!(benches, surfaces);
criterion_main!(benches);
