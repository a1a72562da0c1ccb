//! Distance fields against the shapes they are made from.

use std::sync::Arc;

use kinetic_collision::{PreparedShape, SignedDistanceField};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, Pose, Shape, StopFlag};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{bounded_shape, cases, pose, vector};

const RESOLUTION: f64 = 0.07;

fn plate() -> Shape {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Point3::new(0.3 * x, 0.3 * y, 0.0));
    Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3]], false).unwrap()
}

/// A field of a few shapes, and the shapes.
fn field(rng: &mut SeededRng) -> (SignedDistanceField, Vec<(String, Shape, Isometry3<f64>)>) {
    let mut field = SignedDistanceField::new(Point3::from([-0.7; 3]), Point3::from([0.7; 3]), RESOLUTION).unwrap();
    let mut shapes: Vec<_> =
        (0..4).map(|kind| (format!("shape {kind}"), bounded_shape(rng, kind), pose(rng, 0.5))).collect();
    shapes.push(("plate".to_owned(), plate(), pose(rng, 0.5)));
    for (name, shape, pose) in &shapes {
        field.add(name, shape, &Pose(*pose)).unwrap();
    }
    (field, shapes)
}

fn exact<'a>(shapes: impl IntoIterator<Item = &'a (String, Shape, Isometry3<f64>)>, point: &Point3<f64>) -> f64 {
    let distance = |(_, shape, pose): &(String, Shape, Isometry3<f64>)| {
        PreparedShape::new(shape, pose).unwrap().signed_distance(point)
    };
    shapes.into_iter().map(distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn distances_are_within_the_bound_and_lower_bounds_hold() {
    for seed in 0..cases(20, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let (field, shapes) = field(&mut rng);
        for _ in 0..200 {
            let point = Point3::from(vector(&mut rng, 0.9));
            let (found, bound, wanted) = (field.distance(&point), field.lower_bound(&point), exact(&shapes, &point));
            let label = format!("seed {seed}: {found}, at least {bound}, exact {wanted}");
            assert!((found - wanted).abs() <= RESOLUTION * 0.75_f64.sqrt() + 1e-12, "{label}");
            assert!(bound <= wanted + 1e-12 && bound >= found - RESOLUTION * 0.75_f64.sqrt() - 1e-12, "{label}");
            if point.coords.amax() > 0.72 {
                assert!((found - wanted).abs() < 1e-12, "{label}: exact outside of the grid");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_interpolation() {
    let mut rng = SeededRng::new(1);
    let (field, _) = field(&mut rng);
    let step = 1e-6;
    for _ in 0..cases(300, 10_000) {
        // Away from the faces of cells, where the gradient jumps.
        let cell = Vector3::from_fn(|_, _| rng.below(20) as f64 + rng.uniform(0.01, 0.99));
        let point = field.low() + cell * RESOLUTION;
        let slope = |axis: usize| {
            let mut shift = Vector3::zeros();
            shift[axis] = step;
            (field.distance(&(point + shift)) - field.distance(&(point - shift))) / (2.0 * step)
        };
        let wanted = Vector3::new(slope(0), slope(1), slope(2));
        assert!((field.gradient(&point) - wanted).norm() < 1e-8, "{point}: {wanted}");
    }
}

#[test]
fn adding_and_removing_in_any_order_ends_with_the_field_of_what_is_left() {
    for seed in 0..cases(10, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let (mut field, shapes) = field(&mut rng);
        let gone = &shapes[rng.below(shapes.len())].0;
        assert!(field.remove(gone) && !field.remove(gone));
        field.add("shape 0", &Shape::sphere(0.1).unwrap(), &Pose::from_xyz(0.1, 0.2, 0.3)).unwrap();
        let mut anew = SignedDistanceField::new(Point3::from([-0.7; 3]), Point3::from([0.7; 3]), RESOLUTION).unwrap();
        for (name, shape, pose) in field.shapes().map(|(name, shape, pose)| (name.to_owned(), shape.clone(), *pose)) {
            anew.add(&name, &shape, &pose).unwrap();
        }
        assert_eq!(field.values(), anew.values(), "seed {seed}");
    }
}

#[test]
fn work_that_is_ended_early_leaves_the_field_as_it_was() {
    let mut rng = SeededRng::new(8);
    let (mut field, shapes) = field(&mut rng);
    let (values, name) = (field.values().to_vec(), &shapes[0].0);
    let ball = Shape::sphere(0.2).unwrap();
    // The clock runs on with every look at it.
    let mut ended = 0;
    for looks in 0..200 {
        let clock = || Arc::new(ManualClock::with_step(1_000_000));
        let control = || Control::new(clock(), 1e-3 * f64::from(looks), u64::MAX, StopFlag::default());
        let pose = Pose::from_xyz(0.1, 0.0, 0.0);
        let outcomes = [
            field.add_within("new", &ball, &pose, &control()).map(|()| field.remove("new")),
            field.add_within(name, &ball, &pose, &control()).map(|()| true),
            field.remove_within(name, &control()),
        ];
        if !outcomes.iter().all(Result::is_err) {
            break;
        }
        ended += 1;
        assert_eq!(field.values(), values, "after {looks} looks");
        assert_eq!(field.shapes().count(), shapes.len());
    }
    assert!(ended > 5, "{ended}");
}

#[test]
fn the_obstacle_contains_every_point_of_the_shapes_and_not_much_more() {
    for seed in 0..cases(10, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let (field, shapes) = field(&mut rng);
        let (shape, pose) = field.obstacle().unwrap();
        let obstacle = PreparedShape::new(&shape, &pose.0).unwrap();
        let mut inside = 0;
        for _ in 0..2_000 {
            let point = Point3::from(vector(&mut rng, 0.7));
            let (wanted, found) = (exact(&shapes, &point), obstacle.signed_distance(&point));
            inside += usize::from(wanted <= 0.0);
            assert!(wanted > 0.0 || found <= 1e-12, "seed {seed}: a point of a shape is {found} outside");
            assert!(found > 0.0 || wanted <= RESOLUTION * 3.0_f64.sqrt() + 1e-9, "seed {seed}: {wanted} off");
        }
        assert!(inside > 10, "seed {seed}");
    }
}

#[test]
fn fields_that_are_none_are_refused_and_an_empty_one_is_infinite() {
    let (low, high) = (Point3::origin(), Point3::new(1.0, 1.0, 1.0));
    for (low, high, resolution) in
        [(low, high, 0.0), (low, high, f64::NAN), (high, low, 0.1), (low, low, 0.1), (low, high, 1e-4)]
    {
        let refused = SignedDistanceField::new(low, high, resolution);
        assert!(matches!(refused, Err(KineticError::InvalidValue { .. })), "{low} {high} {resolution}");
    }
    let mut field = SignedDistanceField::new(low, high, 0.5).unwrap();
    for point in [Point3::new(0.2, 0.3, 0.4), Point3::new(2.0, 0.0, 0.0)] {
        assert_eq!(field.distance(&point), f64::INFINITY);
        assert_eq!(field.gradient(&point), Vector3::zeros());
        assert_eq!(field.lower_bound(&point), f64::INFINITY);
    }
    assert!(field.obstacle().is_err());
    let nowhere = Pose::from_xyz(f64::NAN, 0.0, 0.0);
    assert!(field.add("ball", &Shape::sphere(0.1).unwrap(), &nowhere).is_err());
    assert_eq!(field.nodes(), [3; 3]);
}
