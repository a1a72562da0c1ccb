//! How long does a depth frame take until the map knows it?
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use kinetic_core::Control;
use kinetic_perception::{Octree, OctreeConfig};
use nalgebra::{Point3, Vector3};

/// A room with a table, seen from a corner by a camera of 640 × 480 pixels: points in the frame of the map, m.
fn room(origin: &Point3<f64>) -> Vec<Point3<f64>> {
    let forward = Vector3::new(1.0, 0.7, -0.25).normalize();
    let right = forward.cross(&Vector3::z()).normalize();
    let down = forward.cross(&right);
    let pixel = |index: usize| {
        let (u, v) = ((index % 640) as f64 - 319.5, (index / 640) as f64 - 239.5);
        let ray = forward + right * (u / 600.0) + down * (v / 600.0);
        origin + ray * depth(origin, &ray)
    };
    (0..640 * 480).map(pixel).collect()
}

/// Where a ray meets the walls x = 2.5 and y = 2.2, the floor, or the top of the table.
fn depth(origin: &Point3<f64>, ray: &Vector3<f64>) -> f64 {
    let plane = |axis: usize, value: f64| Some((value - origin[axis]) / ray[axis]).filter(|depth| *depth > 0.0);
    let walls = [plane(0, 2.5), plane(1, 2.2), plane(2, 0.0)].into_iter().flatten().fold(8.0, f64::min);
    let on_table = |depth: &f64| {
        let point = origin + ray * *depth;
        (1.0..1.8).contains(&point.x) && (0.6..1.6).contains(&point.y)
    };
    plane(2, 0.7).filter(on_table).map_or(walls, |depth| depth.min(walls))
}

fn octree(criterion: &mut Criterion) {
    let (origin, control) = (Point3::new(0.013, 0.007, 1.309), Control::default());
    let empty = Octree::new(OctreeConfig { resolution: 0.02, ..OctreeConfig::default() }).unwrap();
    // The room as it is, about 3 m deep with 5 million cells along the rays, and one about 2 m deep with a third of them.
    for (name, scale) in [("room", 1.0), ("near", 0.65)] {
        let points: Vec<_> = room(&origin).iter().map(|point| origin + (point - origin) * scale).collect();
        let insert =
            |tree: &mut Octree| tree.insert_cloud(black_box(&points), &origin, f64::INFINITY, &control).unwrap();
        let mut known = empty.clone();
        let report = insert(&mut known);
        eprintln!("{report:?}, {} nodes, {} bytes", known.num_nodes(), known.memory_bytes());
        criterion.bench_function(&format!("octree/insert_640x480_2cm/{name}/first"), |bencher| {
            bencher.iter_batched_ref(|| empty.clone(), insert, BatchSize::LargeInput);
        });
        criterion.bench_function(&format!("octree/insert_640x480_2cm/{name}/again"), |bencher| {
            bencher.iter(|| insert(&mut known));
        });
        let direction = Vector3::new(1.0, 0.6, -0.2);
        criterion.bench_function(&format!("octree/cast_ray/{name}"), |bencher| {
            bencher.iter(|| known.cast_ray(&origin, black_box(&direction), 10.0, true).unwrap());
        });
    }
}

criterion_group!(benches, octree);
criterion_main!(benches);
