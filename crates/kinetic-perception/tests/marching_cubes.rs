//! Surfaces of grids. Oracles: every edge of a closed surface is passed once in each direction; vertices lie where the values between
//! two nodes are the level; areas, volumes and Euler characteristics of balls and tori.

mod measures;

use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, StopFlag};
use kinetic_perception::{ScalarGrid, SurfaceMesh, marching_cubes};
use nalgebra::{Point3, Vector3};

use measures::{area, corners, euler_characteristic, open_edges, parts, volume};

/// Nodes along each axis of random grids.
const NODES: [usize; 3] = [9, 7, 8];
const LOW: [f64; 3] = [-0.3, 0.7, 2.0];
const SPACING: [f64; 3] = [0.1, 0.25, 0.04];

/// The place of every node, x slowest.
fn places(nodes: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [nx, ny, nz] = nodes;
    (0..nx * ny * nz).map(move |index| [index / (ny * nz), index / nz % ny, index % nz])
}

fn at(nodes: [usize; 3], [x, y, z]: [usize; 3]) -> usize {
    (x * nodes[1] + y) * nodes[2] + z
}

fn is_on_border(nodes: [usize; 3], place: [usize; 3]) -> bool {
    (0..3).any(|axis| place[axis] == 0 || place[axis] + 1 == nodes[axis])
}

/// Random values about 0, with outside on the border; a part of them inside.
fn random_values(rng: &mut SeededRng, inside: f64) -> Vec<f64> {
    let mut value = |place| {
        let size = rng.uniform(0.1, 1.0);
        if !is_on_border(NODES, place) && rng.unit() < inside { -size } else { size }
    };
    places(NODES).map(&mut value).collect()
}

fn surface(values: &[f64], nodes: [usize; 3], level: f64) -> SurfaceMesh {
    let (low, spacing) = (Point3::from(LOW), Vector3::from(SPACING));
    let grid = ScalarGrid::new(values, nodes, &low, &spacing).unwrap();
    marching_cubes(&grid, level, &Control::default()).unwrap()
}

/// The surface of a function over the cube from −1.5 to 1.5.
fn surface_of(value: impl Fn(&Point3<f64>) -> f64, nodes: usize) -> SurfaceMesh {
    let step = 3.0 / (nodes - 1) as f64;
    let low = Point3::from([-1.5; 3]);
    let node = |place: [usize; 3]| low + Vector3::from(place.map(|along| along as f64 * step));
    let values: Vec<f64> = places([nodes; 3]).map(|place| value(&node(place))).collect();
    let grid = ScalarGrid::new(&values, [nodes; 3], &low, &Vector3::repeat(step)).unwrap();
    marching_cubes(&grid, 0.0, &Control::default()).unwrap()
}

/// The nodes at the ends of the edge of the grid that a vertex lies on, and the part of the way from one to the other.
fn edge_of(vertex: &Point3<f64>) -> ([[usize; 3]; 2], f64) {
    let along = (vertex - Point3::from(LOW)).component_div(&Vector3::from(SPACING));
    let whole = along.map(f64::round);
    let axis = (along - whole).iamax();
    let mut from = [0, 1, 2].map(|axis| whole[axis] as usize);
    from[axis] = along[axis].floor() as usize;
    let mut to = from;
    to[axis] += 1;
    for other in (0..3).filter(|other| *other != axis) {
        assert!((along[other] - whole[other]).abs() < 1e-12, "{vertex} lies on no edge of the grid");
    }
    ([from, to], along[axis] - from[axis] as f64)
}

#[test]
fn surfaces_of_all_patterns_are_closed_and_have_no_edge_of_more_than_two_triangles() {
    let mut patterns = BTreeSet::new();
    for seed in 0..60 {
        let mut rng = SeededRng::new(seed);
        let values = random_values(&mut rng, [0.2, 0.5, 0.8][seed as usize % 3]);
        let mesh = surface(&values, NODES, 0.0);
        assert_eq!(open_edges(&mesh), 0, "seed {seed}");
        let used: BTreeSet<u32> = mesh.triangles.iter().flatten().copied().collect();
        assert_eq!(used.len(), mesh.vertices.len(), "seed {seed}: each vertex is a corner of a triangle");
        for place in places(NODES.map(|count| count - 1)) {
            let corner = |k: usize| [place[0] + (k & 1), place[1] + (k >> 1 & 1), place[2] + (k >> 2)];
            let bits = (0..8).filter(|k| values[at(NODES, corner(*k))] < 0.0);
            patterns.insert(bits.fold(0, |bits, k| bits | 1 << k));
        }
    }
    assert_eq!(patterns.len(), 256);
}

#[test]
fn every_edge_of_the_grid_through_the_surface_has_one_vertex_where_the_value_is_the_level() {
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let (values, level) = (random_values(&mut rng, 0.5), rng.uniform(-0.09, 0.09));
        let mesh = surface(&values, NODES, level);
        let mut cut = BTreeSet::new();
        for vertex in &mesh.vertices {
            let (ends, share) = edge_of(vertex);
            let [from, to] = ends.map(|place| values[at(NODES, place)]);
            assert!((from < level) != (to < level), "seed {seed}: {vertex} between {from} and {to}");
            assert!((from + (to - from) * share - level).abs() < 1e-9, "seed {seed}: {vertex}");
            assert!(cut.insert(ends), "seed {seed}: two vertices between {ends:?}");
        }
        let ahead = |place: [usize; 3], axis: usize| {
            let mut next = place;
            next[axis] += 1;
            (next[axis] < NODES[axis]).then_some(next)
        };
        let edges = places(NODES).flat_map(|place| [0, 1, 2].map(|axis| ahead(place, axis).map(|next| [place, next])));
        let is_cut =
            |[from, to]: &[[usize; 3]; 2]| (values[at(NODES, *from)] < level) != (values[at(NODES, *to)] < level);
        assert_eq!(cut, edges.flatten().filter(is_cut).collect::<BTreeSet<_>>(), "seed {seed}");
    }
}

#[test]
fn a_ball_has_its_area_its_volume_and_normals_that_point_outwards() {
    let (center, radius) = (Point3::new(0.11, -0.07, 0.05), 1.1);
    let mesh = surface_of(|point| (point - center).norm() - radius, 48);
    assert_eq!((open_edges(&mesh), parts(&mesh), euler_characteristic(&mesh)), (0, 1, 2));
    assert!((area(&mesh) / (4.0 * PI * radius.powi(2)) - 1.0).abs() < 0.01, "{}", area(&mesh));
    assert!((volume(&mesh) / (4.0 / 3.0 * PI * radius.powi(3)) - 1.0).abs() < 0.01, "{}", volume(&mesh));
    for [a, b, c] in corners(&mesh) {
        let (normal, outwards) = ((b - a).cross(&(c - a)), (a + b + c) / 3.0 - center.coords);
        assert!(normal.dot(&outwards) > 0.99 * normal.norm() * outwards.norm());
    }
}

#[test]
fn a_torus_has_one_hole_and_a_ball_in_a_ball_two_surfaces() {
    let torus = surface_of(|point| (point.x.hypot(point.y) - 0.9).hypot(point.z) - 0.35, 40);
    assert_eq!((open_edges(&torus), parts(&torus), euler_characteristic(&torus)), (0, 1, 0));
    let wanted = 2.0 * PI * PI * 0.9 * 0.35_f64.powi(2);
    assert!((volume(&torus) / wanted - 1.0).abs() < 0.02, "{}", volume(&torus));
    // Between two spheres: what is enclosed is the larger ball less the smaller one.
    let hollow = surface_of(|point| (point.coords.norm() - 1.0).abs() - 0.3, 60);
    assert_eq!((open_edges(&hollow), parts(&hollow), euler_characteristic(&hollow)), (0, 2, 4));
    let wanted = 4.0 / 3.0 * PI * (1.3_f64.powi(3) - 0.7_f64.powi(3));
    assert!((volume(&hollow) / wanted - 1.0).abs() < 0.01, "{}", volume(&hollow));
}

#[test]
fn nodes_that_touch_across_a_diagonal_are_apart_inside_and_together_outside() {
    for (first, second) in [([2, 2, 2], [3, 3, 2]), ([2, 3, 2], [2, 2, 3]), ([2, 2, 2], [3, 2, 3]), ([2; 3], [3; 3])] {
        let signed = |sign: f64| -> Vec<f64> {
            let value = |place| if place == first || place == second { -sign } else { sign };
            places([6; 3]).map(|place| if is_on_border([6; 3], place) { 1.0 } else { value(place) }).collect()
        };
        let apart = surface(&signed(1.0), [6; 3], 0.0);
        let wanted = (0, 2, [12, 16]);
        assert_eq!((open_edges(&apart), parts(&apart), [apart.vertices.len(), apart.triangles.len()]), wanted);
        // A block with two holes, which are one where they share a face's diagonal.
        let block = surface(&signed(-1.0), [6; 3], 0.0);
        let is_across_cube = (0..3).all(|axis| first[axis] != second[axis]);
        assert_eq!((open_edges(&block), parts(&block)), (0, if is_across_cube { 3 } else { 2 }));
    }
}

#[test]
fn a_surface_that_leaves_the_grid_is_open_there_and_only_there() {
    let nodes = [4, 5, 6];
    // Inside is what is below the plane between the second and the third node along z.
    let values: Vec<f32> = places(nodes).map(|place| place[2] as f32 - 1.25).collect();
    let grid = ScalarGrid::new(&values, nodes, &Point3::origin(), &Vector3::repeat(1.0)).unwrap();
    let mesh = marching_cubes(&grid, 0.0, &Control::default()).unwrap();
    assert_eq!([mesh.vertices.len(), mesh.triangles.len()], [4 * 5, 2 * 3 * 4]);
    assert!(mesh.vertices.iter().all(|vertex| vertex.z == 1.25));
    assert!(corners(&mesh).all(|[a, b, c]| (b - a).cross(&(c - a)).z > 0.0));
    assert_eq!(open_edges(&mesh), 2 * (3 + 4));
    // All inside and all outside have no surface.
    for level in [-10.0, 10.0] {
        assert_eq!(marching_cubes(&grid, level, &Control::default()).unwrap(), SurfaceMesh::default());
    }
}

#[test]
fn values_at_the_level_and_infinite_ones_give_vertices_that_are_numbers() {
    let extremes = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 5e-324, -5e-324, 1.0, -1.0];
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let mut value = |place| {
            let value: f64 = extremes[rng.below(extremes.len())];
            if is_on_border(NODES, place) { value.abs() } else { value }
        };
        let values: Vec<f64> = places(NODES).map(&mut value).collect();
        let mesh = surface(&values, NODES, 0.0);
        assert_eq!(open_edges(&mesh), 0, "seed {seed}");
        assert!(mesh.vertices.iter().all(|vertex| vertex.iter().all(|along| along.is_finite())), "seed {seed}");
    }
    let ends = |from: f64, to: f64| {
        let values = [from, from, from, from, to, to, to, to];
        let grid = ScalarGrid::new(&values, [2; 3], &Point3::origin(), &Vector3::repeat(1.0)).unwrap();
        let mesh = marching_cubes(&grid, 0.5, &Control::default()).unwrap();
        mesh.vertices.first().map(|vertex| vertex.x)
    };
    assert_eq!(ends(-1.0, 0.5), Some(1.0), "the level itself is outside");
    assert_eq!(ends(0.5, 0.6), None);
    assert_eq!(ends(f64::NEG_INFINITY, 0.5), Some(0.5));
    assert_eq!(ends(f64::INFINITY, f64::NEG_INFINITY), Some(0.5));
    assert_eq!(ends(f64::MIN, f64::MAX), Some(0.5));
}

#[test]
fn the_same_grid_gives_the_same_bytes() {
    let values = random_values(&mut SeededRng::new(3), 0.5);
    let bits = |mesh: &SurfaceMesh| -> Vec<u64> {
        mesh.vertices.iter().flat_map(|vertex| [0, 1, 2].map(|axis| vertex[axis].to_bits())).collect()
    };
    let (first, second) = (surface(&values, NODES, 0.0), surface(&values, NODES, 0.0));
    assert!(bits(&first) == bits(&second) && first.triangles == second.triangles);
    let single: Vec<f32> = values.iter().map(|value| if *value < 0.0 { -1.0 } else { 1.0 }).collect();
    let double: Vec<f64> = single.iter().map(|value| f64::from(*value)).collect();
    let grid = ScalarGrid::new(&single, NODES, &Point3::from(LOW), &Vector3::from(SPACING)).unwrap();
    assert_eq!(marching_cubes(&grid, 0.0, &Control::default()).unwrap(), surface(&double, NODES, 0.0));
}

#[test]
fn what_is_no_grid_is_refused_by_name() {
    let (low, spacing) = (Point3::origin(), Vector3::repeat(0.1));
    let code = |count: usize, nodes: [usize; 3], low: Point3<f64>, spacing: Vector3<f64>| {
        ScalarGrid::new(&vec![0.0; count], nodes, &low, &spacing).unwrap_err().code()
    };
    assert_eq!(code(4, [1, 2, 2], low, spacing), "InvalidValue");
    assert_eq!(code(0, [2, 0, 2], low, spacing), "InvalidValue");
    assert_eq!(code(7, [2; 3], low, spacing), "DimensionMismatch");
    assert_eq!(code(8, [usize::MAX, 2, 2], low, spacing), "DimensionMismatch");
    for bad in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(code(8, [2; 3], low, Vector3::new(0.1, bad, 0.1)), "InvalidValue", "{bad}");
    }
    assert_eq!(code(8, [2; 3], Point3::new(0.0, f64::NAN, 0.0), spacing), "NotFinite");
    assert_eq!(code(27, [3; 3], low, Vector3::repeat(f64::MAX)), "NotFinite", "the last node is not finite");

    let mut values = [1.0; 24];
    let grid = ScalarGrid::new(&values, [2, 3, 4], &low, &spacing).unwrap();
    for level in [f64::NAN, f64::INFINITY] {
        assert_eq!(marching_cubes(&grid, level, &Control::default()).unwrap_err().code(), "NotFinite");
    }
    values[at([2, 3, 4], [1, 2, 3])] = f64::NAN;
    let grid = ScalarGrid::new(&values, [2, 3, 4], &low, &spacing).unwrap();
    let refused = marching_cubes(&grid, 0.0, &Control::default()).unwrap_err();
    assert_eq!(refused, KineticError::invalid("grid value of node [1, 2, 3]", "NaN", "a number or an infinity"));
}

#[test]
fn a_control_ends_it_between_planes() {
    let values = random_values(&mut SeededRng::new(1), 0.5);
    let grid = ScalarGrid::new(&values, NODES, &Point3::from(LOW), &Vector3::from(SPACING)).unwrap();
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    assert_eq!(marching_cubes(&grid, 0.0, &stopped).unwrap_err().code(), "Cancelled");
    // A clock that goes on when it is looked at.
    let within =
        |looks: f64| Control::new(Arc::new(ManualClock::with_step(1_000)), 1e-6 * looks, u64::MAX, StopFlag::default());
    assert_eq!(marching_cubes(&grid, 0.0, &within(4.5)).unwrap_err().code(), "PlanningTimeout");
    assert!(marching_cubes(&grid, 0.0, &within(NODES[0] as f64 + 0.5)).is_ok());
}
