//! Surfaces of Euclidean distance fields against the ball that was put in, and against distances from all cells.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::sync::Arc;

use kinetic_collision::EuclideanDistanceField;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, ManualClock, Shape, StopFlag};
use kinetic_robot::TriangleMesh;
use nalgebra::{Point3, Vector3};

use crate::euclidean_fields::{RESOLUTION, cells, exact};
use crate::support::cases;

/// A field over the cube from −1 to 1 with the cells whose centres are in a ball.
fn field_of_ball(center: &Point3<f64>, radius: f64, max_distance: Option<f64>) -> EuclideanDistanceField {
    let corner = Point3::from([1.0; 3]);
    let mut field = EuclideanDistanceField::new(&-corner, &corner, RESOLUTION, max_distance).unwrap();
    let all = (-20..20).flat_map(|x| (-20..20).flat_map(move |y| (-20..20).map(move |z| [x, y, z])));
    let middle = |cell: &[i32; 3]| Point3::from(cell.map(|place| (f64::from(place) + 0.5) * RESOLUTION));
    field.update(&all.filter(|cell| (middle(cell) - center).norm() < radius).collect::<Vec<_>>()).unwrap();
    field
}

fn surface(field: &EuclideanDistanceField, level: f64) -> TriangleMesh {
    field.surface(level, &Control::default()).unwrap()
}

/// Edges that are not passed once in each direction.
fn open_edges(mesh: &TriangleMesh) -> usize {
    let mut passed: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for [a, b, c] in &mesh.triangles {
        for edge in [[*a, *b], [*b, *c], [*c, *a]] {
            *passed.entry(edge).or_default() += 1;
        }
    }
    passed.iter().filter(|([a, b], count)| **count != 1 || passed.get(&[*b, *a]) != Some(&1)).count()
}

fn volume(mesh: &TriangleMesh) -> f64 {
    let corners = mesh.triangles.iter().map(|triangle| triangle.map(|index| mesh.vertices[index as usize].coords));
    corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

#[test]
fn the_surface_of_a_ball_of_cells_is_within_half_a_cell_of_the_ball() {
    let (center, radius) = (Point3::new(0.013, -0.027, 0.008), 0.62);
    for max_distance in [None, Some(0.25)] {
        let field = field_of_ball(&center, radius, max_distance);
        for level in [0.0, 0.08, -0.08] {
            let mesh = surface(&field, level);
            assert_eq!(open_edges(&mesh), 0, "level {level}");
            let off: Vec<f64> =
                mesh.vertices.iter().map(|vertex| (vertex - center).norm() - radius - level).map(f64::abs).collect();
            // Cells belong to the ball by their centres, which are half a diagonal from their corners.
            let most = off.iter().copied().fold(0.0, f64::max);
            assert!(most < RESOLUTION * 0.75_f64.sqrt(), "level {level}: {most} m off");
            let mean = off.iter().sum::<f64>() / off.len() as f64;
            assert!(mean < RESOLUTION / 2.0, "level {level}: {mean} m off on average");
            let wanted = |reach: f64| 4.0 / 3.0 * PI * (radius + level + reach).powi(3);
            let found = volume(&mesh);
            assert!(
                (wanted(-RESOLUTION / 2.0)..wanted(RESOLUTION / 2.0)).contains(&found),
                "level {level}: {found} m³"
            );
        }
    }
}

#[test]
fn vertices_have_the_level_as_their_distance_from_all_cells_up_to_half_a_cell() {
    for seed in 0..cases(10, 300) as u64 {
        let mut rng = SeededRng::new(seed);
        let (occupied, corner) = (cells(&mut rng, 0, 12), Point3::from([0.9; 3]));
        let most = (seed % 2 == 0).then_some(0.3);
        let mut field = EuclideanDistanceField::new(&Point3::from([-0.3; 3]), &corner, RESOLUTION, most).unwrap();
        field.update(&occupied).unwrap();
        let level = rng.uniform(-0.5, 4.0) * RESOLUTION;
        let mesh = surface(&field, level);
        assert_eq!(open_edges(&mesh), 0, "seed {seed}");
        for vertex in mesh.vertices.iter().step_by(11) {
            let off = exact(&occupied, vertex) - level;
            // What changes by at most a metre per metre is between two nodes half their distance from linear.
            assert!(off.abs() <= RESOLUTION / 2.0 + 1e-6, "seed {seed}: {vertex} is {off} m off {level}");
        }
    }
}

#[test]
fn a_level_above_zero_encloses_a_cell_that_zero_leaves_out() {
    let corner = Point3::from([0.5; 3]);
    let mut field = EuclideanDistanceField::new(&-corner, &corner, RESOLUTION, None).unwrap();
    assert_eq!(surface(&field, 0.0), TriangleMesh::default(), "nothing is occupied");
    field.update(&[[2, -3, 1]]).unwrap();
    assert_eq!(surface(&field, 0.0), TriangleMesh::default());
    let mesh = surface(&field, 0.5 * RESOLUTION);
    // A solid of a scene, around all corners of the cell.
    Shape::mesh(&mesh.vertices, &mesh.triangles, true).unwrap();
    let corner = |k: usize| Vector3::new((2 + (k & 1)) as f64, (k >> 1 & 1) as f64 - 3.0, (1 + (k >> 2)) as f64);
    for cell_corner in (0..8).map(|k| corner(k) * RESOLUTION) {
        let nearest = mesh.vertices.iter().map(|vertex| (vertex.coords - cell_corner).norm()).fold(1.0, f64::min);
        assert!((nearest - 0.5 * RESOLUTION).abs() < 1e-6, "{cell_corner}: {nearest}");
    }
    assert!(volume(&mesh) > 2.0 * RESOLUTION.powi(3));
    // A cell at the border of the grid: the surface is open there.
    field.update(&[[9, 0, 0]]).unwrap();
    assert!(open_edges(&surface(&field, 0.5 * RESOLUTION)) > 0);
}

#[test]
fn levels_that_the_field_does_not_know_are_refused_and_a_control_ends_it() {
    let field = field_of_ball(&Point3::origin(), 0.5, Some(0.2));
    let code = |level: f64, control: &Control| field.surface(level, control).unwrap_err().code();
    let free = Control::default();
    for level in [0.2, -0.2, 0.3, f64::INFINITY] {
        assert_eq!(code(level, &free), "InvalidValue", "{level}");
    }
    assert_eq!(code(f64::NAN, &free), "NotFinite");
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    assert_eq!(code(0.0, &stopped), "Cancelled");
}
