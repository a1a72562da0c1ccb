//! Euclidean distance fields against the distances from all cells, one by one.

use std::sync::Arc;

use kinetic_collision::{CellBits, DistanceTransform, DistanceTransformer, EuclideanDistanceField, NodeBox};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, Result, StopFlag};
use nalgebra::{Point3, Vector3};

use crate::support::cases;

pub(crate) const RESOLUTION: f64 = 0.05;

/// Cells of random boxes between two corners.
#[allow(clippy::cast_possible_wrap, reason = "indices are small")]
pub(crate) fn cells(rng: &mut SeededRng, low: i32, high: i32) -> Vec<[i32; 3]> {
    let mut found = Vec::new();
    let span = (high - low) as usize;
    for _ in 0..=rng.below(4) {
        let from = [0; 3].map(|_: i32| low + rng.below(span) as i32);
        let to = from.map(|first| (first + 1 + rng.below(5) as i32).min(high));
        for x in from[0]..to[0] {
            for y in from[1]..to[1] {
                found.extend((from[2]..to[2]).map(|z| [x, y, z]));
            }
        }
    }
    found
}

/// Distance of a point from a cell, m.
fn from_cell(point: &Point3<f64>, cell: [i32; 3]) -> f64 {
    let low = Vector3::from(cell.map(f64::from)) * RESOLUTION;
    let high = Vector3::from(cell.map(|index| f64::from(index + 1))) * RESOLUTION;
    Vector3::from_fn(|axis, _| (low[axis] - point[axis]).max(point[axis] - high[axis]).max(0.0)).norm()
}

/// Signed distance of a point, from all occupied cells, and inside of them from all that are free.
pub(crate) fn exact(occupied: &[[i32; 3]], point: &Point3<f64>) -> f64 {
    let outside = occupied.iter().map(|cell| from_cell(point, *cell)).fold(f64::INFINITY, f64::min);
    if outside > 0.0 || occupied.is_empty() {
        return outside;
    }
    let low = [0, 1, 2].map(|axis| occupied.iter().map(|cell| cell[axis]).fold(i32::MAX, i32::min));
    let high = [0, 1, 2].map(|axis| occupied.iter().map(|cell| cell[axis]).fold(i32::MIN, i32::max));
    let mut inside = f64::INFINITY;
    for x in low[0] - 1..=high[0] + 1 {
        for y in low[1] - 1..=high[1] + 1 {
            for z in low[2] - 1..=high[2] + 1 {
                if !occupied.contains(&[x, y, z]) {
                    inside = inside.min(from_cell(point, [x, y, z]));
                }
            }
        }
    }
    -inside
}

fn node(field: &EuclideanDistanceField, index: usize) -> Point3<f64> {
    let [_, ny, nz] = field.nodes();
    let place = [index / (ny * nz), index / nz % ny, index % nz];
    field.low() + Vector3::from(place.map(|along| along as f64)) * field.resolution()
}

#[test]
fn nodes_have_the_exact_distances_of_either_sign() {
    for seed in 0..cases(20, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let occupied = cells(&mut rng, -8, 9);
        let corner = Point3::from([9.0 * RESOLUTION; 3]);
        let mut field =
            EuclideanDistanceField::new(&Point3::from([-8.0 * RESOLUTION; 3]), &corner, RESOLUTION, None).unwrap();
        field.update(&occupied).unwrap();
        let mut sorted = occupied.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(field.occupied_cells(), sorted, "seed {seed}");
        for (index, found) in field.values().iter().enumerate().step_by(7) {
            let wanted = exact(&sorted, &node(&field, index));
            assert!((f64::from(*found) - wanted).abs() < 2e-7, "seed {seed}, node {index}: {found}, exact {wanted}");
        }
    }
}

#[test]
fn an_update_that_is_ended_leaves_the_field_as_it_was() {
    let mut rng = SeededRng::new(7);
    let (first, second) = (cells(&mut rng, 0, 12), cells(&mut rng, 0, 12));
    for most in [None, Some(0.2)] {
        let mut field =
            EuclideanDistanceField::new(&Point3::origin(), &Point3::from([0.6; 3]), RESOLUTION, most).unwrap();
        field.update(&first).unwrap();
        let before = field.values().to_vec();
        let mut ended = 0;
        for looks in 0.. {
            // A clock that goes on when it is looked at ends the update after so many looks.
            let clock = Arc::new(ManualClock::with_step(1_000));
            let control = Control::new(clock, 1e-6 * f64::from(looks), u64::MAX, StopFlag::default());
            if field.update_within(&second, &control).is_ok() {
                break;
            }
            assert!(field.values() == before && field.occupied_cells() == first, "{looks} looks");
            ended += 1;
        }
        assert!(ended > 20);
        let mut anew =
            EuclideanDistanceField::new(&Point3::origin(), &Point3::from([0.6; 3]), RESOLUTION, most).unwrap();
        anew.update(&second).unwrap();
        assert_eq!(field.values(), anew.values());
    }
}

#[test]
fn updates_of_a_field_with_a_maximum_end_with_what_a_new_one_has() {
    for seed in 0..cases(20, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (most, corner) = (rng.uniform(0.06, 0.4), Point3::from([0.6; 3]));
        let make = || EuclideanDistanceField::new(&Point3::origin(), &corner, RESOLUTION, Some(most)).unwrap();
        let mut field = make();
        for round in 0..4 {
            // Some of the cells are outside of the grid, where they count as far as the maximum reaches.
            let occupied = if round == 2 { Vec::new() } else { cells(&mut rng, -6, 18) };
            field.update(&occupied).unwrap();
            let mut anew = make();
            anew.update(&occupied).unwrap();
            assert_eq!(field.values(), anew.values(), "seed {seed}, round {round}");
            for (index, found) in field.values().iter().enumerate().step_by(97) {
                let wanted = exact(&occupied, &node(&field, index)).clamp(-most, most);
                assert!(
                    (f64::from(*found) - wanted).abs() < 1e-7,
                    "seed {seed}, node {index}: {found}, exact {wanted}"
                );
            }
        }
    }
}

#[test]
fn between_nodes_the_bounds_hold() {
    for seed in 0..cases(20, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let occupied = cells(&mut rng, 0, 12);
        let most = (seed % 2 == 0).then_some(0.2);
        let mut field =
            EuclideanDistanceField::new(&Point3::origin(), &Point3::from([0.6; 3]), RESOLUTION, most).unwrap();
        field.update(&occupied).unwrap();
        let limit = most.unwrap_or(f64::INFINITY);
        for _ in 0..100 {
            let point = Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.2, 0.8)));
            let wanted = exact(&occupied, &point);
            let (found, bound) = (field.distance(&point), field.lower_bound(&point));
            assert!(bound <= wanted, "seed {seed}: {bound} is not proven, {wanted}");
            if point.iter().all(|along| (0.0..=0.6).contains(along)) {
                let clipped = wanted.clamp(-limit, limit);
                assert!(
                    (found - clipped).abs() <= RESOLUTION * 0.75_f64.sqrt() + 1e-7,
                    "seed {seed}: {found}, {wanted}"
                );
                assert!(bound >= found - RESOLUTION * 3.0_f64.sqrt(), "seed {seed}: {bound}, {found}");
            }
            gradient_is_that_of_the_interpolation(&field, &point);
        }
    }
}

fn gradient_is_that_of_the_interpolation(field: &EuclideanDistanceField, point: &Point3<f64>) {
    let step = 1e-6;
    let cell = point.coords / RESOLUTION;
    if cell.iter().any(|along| (along - along.round()).abs() < 1e-3) {
        // The gradient jumps at the faces of cells.
        return;
    }
    let slope = |axis: usize| {
        let mut shift = Vector3::zeros();
        shift[axis] = step;
        (field.distance(&(point + shift)) - field.distance(&(point - shift))) / (2.0 * step)
    };
    let wanted = Vector3::new(slope(0), slope(1), slope(2));
    assert!((field.gradient(point) - wanted).norm() < 1e-7, "{point}: {wanted}");
}

#[test]
fn what_is_no_field_is_refused_and_one_without_cells_is_infinite() {
    let (low, high) = (Point3::origin(), Point3::from([1.0; 3]));
    let refused = [
        (low, high, 0.0, None),
        (low, high, f64::NAN, None),
        (high, low, 0.1, None),
        (low, Point3::from([f64::INFINITY; 3]), 0.1, None),
        (low, high, 0.1, Some(0.0)),
        (low, high, 0.1, Some(f64::INFINITY)),
        (low, Point3::new(201.0, 0.1, 0.1), 0.1, None),
        (low, Point3::new(1.0, 0.1, 0.1), 0.1, Some(150.0)),
        (Point3::from([1e9; 3]), Point3::from([1.000_000_001e9; 3]), 0.1, None),
    ];
    for (low, high, resolution, most) in refused {
        let made = EuclideanDistanceField::new(&low, &high, resolution, most);
        let named = matches!(made, Err(KineticError::InvalidValue { .. } | KineticError::NotFinite { .. }));
        assert!(named, "{low} {high} {resolution} {most:?}");
    }
    let mut field = EuclideanDistanceField::new(&low, &high, 0.25, None).unwrap();
    let inside = Point3::new(0.3, 0.4, 0.5);
    assert_eq!(field.distance(&inside), f64::INFINITY);
    assert_eq!(field.lower_bound(&inside), f64::INFINITY);
    assert_eq!(field.lower_bound(&Point3::new(2.0, 0.0, 0.0)), f64::NEG_INFINITY);
    assert_eq!(field.lower_bound(&Point3::new(f64::NAN, 0.0, 0.0)), f64::NEG_INFINITY);
    assert_eq!(field.gradient(&inside), Vector3::zeros());
    field.update(&[[1, 1, 1]]).unwrap();
    assert!(field.update(&[[1, 1, 4]]).is_err());
    assert_eq!(field.occupied_cells(), [[1, 1, 1]], "refused updates change nothing");
    field.update(&[]).unwrap();
    assert_eq!(field.distance(&inside), f64::INFINITY);
}

/// The transform of the processor, of whose answer the last values are missing, and which sees the cells that it was given.
#[derive(Debug, Default)]
struct Cut {
    transform: DistanceTransform,
    missing: usize,
    seen: Vec<[usize; 3]>,
}

impl DistanceTransformer for Cut {
    fn signed_squares(
        &mut self,
        cells: &CellBits,
        nodes: &NodeBox,
        most: Option<usize>,
        control: &Control,
    ) -> Result<&[f32]> {
        let [_, ny, nz] = cells.counts();
        let columns = cells.words().chunks_exact(cells.words_per_column()).enumerate();
        let set = columns.flat_map(|(column, words)| {
            let of_column = (0..nz).filter(|z| words[z / 64] >> (z % 64) & 1 == 1);
            of_column.map(move |z| [column / ny, column % ny, z])
        });
        self.seen = set.collect();
        let squares = self.transform.signed_squares(cells, nodes, most, control)?;
        assert_eq!(squares.len(), nodes.counts().iter().product::<usize>());
        Ok(&squares[..squares.len() - self.missing])
    }
}

#[test]
fn squares_can_be_computed_elsewhere_and_are_refused_where_some_are_missing() {
    let make =
        || EuclideanDistanceField::new(&Point3::origin(), &Point3::new(0.5, 0.6, 4.0), RESOLUTION, None).unwrap();
    let (mut own, mut elsewhere, mut cut) = (make(), make(), Cut::default());
    let cells = cells(&mut SeededRng::new(3), 0, 10);
    own.update(&cells).unwrap();
    elsewhere.update_with(&cells, &mut cut, &Control::default()).unwrap();
    assert!(own.values().iter().zip(elsewhere.values()).all(|(a, b)| a.to_bits() == b.to_bits()));
    let seen: Vec<[i32; 3]> = cut.seen.iter().map(|cell| cell.map(|along| i32::try_from(along).unwrap())).collect();
    assert_eq!(seen, elsewhere.occupied_cells());
    cut.missing = 1;
    let error = elsewhere.update_with(&[[1, 1, 79]], &mut cut, &Control::default()).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { .. }), "{error}");
    assert!(elsewhere.values() == own.values() && elsewhere.occupied_cells() == own.occupied_cells());
}
