//! Distance fields of a device against those of the processor, bit for bit, and against the distances from all cells, one by one.

use std::sync::Arc;

use kinetic_collision::{DistanceTransform, DistanceTransformer, EuclideanDistanceField};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, StopFlag};
use kinetic_gpu::{
    ComputeChoice, ComputeDevice, DeviceDistanceTransform, DeviceOptions, GpuDevice, GpuDistanceTransform,
};
use nalgebra::Point3;

use crate::cases;
use crate::support::{device, opened, small_device, turn_with_shared_device};

/// Edge of a cell, m: a power of two, so that corners of grids are exact.
const RESOLUTION: f64 = 0.25;

type Cell = [i32; 3];

/// A field of so many cells along each axis, from the origin on.
fn field(counts: [usize; 3], most: Option<f64>) -> EuclideanDistanceField {
    let corner = Point3::from(counts.map(|count| count as f64 * RESOLUTION));
    let field = EuclideanDistanceField::new(&Point3::origin(), &corner, RESOLUTION, most).unwrap();
    assert_eq!(field.nodes(), counts.map(|count| count + 1));
    field
}

fn all_cells(low: Cell, high: Cell) -> impl Iterator<Item = Cell> {
    let rows = (low[0]..high[0]).flat_map(move |x| (low[1]..high[1]).map(move |y| [x, y]));
    rows.flat_map(move |[x, y]| (low[2]..high[2]).map(move |z| [x, y, z]))
}

fn signed(counts: [usize; 3]) -> Cell {
    counts.map(|count| i32::try_from(count).unwrap())
}

/// A random whole number from 0 to less than another.
fn below(rng: &mut SeededRng, end: i32) -> i32 {
    i32::try_from(rng.below(usize::try_from(end).unwrap())).unwrap()
}

/// Random cells between two corners: few, many, or some boxes.
fn random_cells(rng: &mut SeededRng, low: Cell, high: Cell) -> Vec<Cell> {
    if rng.below(2) == 0 {
        let share = [0.001, 0.05, 0.5, 0.97][rng.below(4)];
        return all_cells(low, high).filter(|_| rng.unit() < share).collect();
    }
    let mut found = Vec::new();
    for _ in 0..=rng.below(3) {
        let from = [0, 1, 2].map(|axis| low[axis] + below(rng, high[axis] - low[axis]));
        let to = [0, 1, 2].map(|axis| (from[axis] + 1 + below(rng, 30)).min(high[axis]));
        found.extend(all_cells(from, to));
    }
    found
}

fn bits(field: &EuclideanDistanceField) -> Vec<u32> {
    field.values().iter().map(|value| value.to_bits()).collect()
}

fn update(field: &mut EuclideanDistanceField, cells: &[Cell], transform: &mut dyn DistanceTransformer) {
    field.update_with(cells, transform, &Control::default()).unwrap();
}

/// Updates two fields with the same cells, on the processor and on a device, and compares all bits.
fn compare(fields: &mut [EuclideanDistanceField; 2], cells: &[Cell], on_gpu: &mut GpuDistanceTransform, what: &str) {
    let [processor, device] = fields;
    processor.update(cells).unwrap();
    update(device, cells, on_gpu);
    assert!(bits(processor) == bits(device), "{what}");
    assert_eq!(processor.occupied_cells(), device.occupied_cells(), "{what}");
}

#[test]
fn fields_of_random_cells_have_the_bits_of_the_processor() {
    let Some(device) = device() else { return };
    let mut on_gpu = GpuDistanceTransform::new(&device).unwrap();
    for seed in 0..cases(40, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let counts = [1 + rng.below(40), 1 + rng.below(40), 1 + rng.below(140)];
        let most = (seed % 2 == 0).then(|| rng.uniform(0.1, 4.0));
        let cells = random_cells(&mut rng, [0; 3], signed(counts));
        let mut fields = [field(counts, most), field(counts, most)];
        compare(&mut fields, &cells, &mut on_gpu, &format!("seed {seed}, {counts:?}, {most:?}"));
    }
}

#[test]
fn columns_of_every_length_around_words_have_the_bits_of_the_processor() {
    let Some(device) = device() else { return };
    let mut on_gpu = GpuDistanceTransform::new(&device).unwrap();
    for height in [1, 2, 30, 31, 32, 33, 62, 63, 64, 65, 95, 96, 127, 128, 129] {
        let counts = [2, 3, height];
        let [_, _, top] = signed(counts);
        for most in [None, Some(0.3), Some(2.0)] {
            let mut fields = [field(counts, most), field(counts, most)];
            let (all, low, high) = (all_cells([0; 3], signed(counts)).collect::<Vec<_>>(), [0, 0, 0], [1, 2, top - 1]);
            let but_one: Vec<Cell> = all.iter().copied().filter(|cell| *cell != [1, 1, top / 2]).collect();
            for cells in [&[low][..], &[high], &[low, high], &all, &but_one, &[]] {
                compare(&mut fields, cells, &mut on_gpu, &format!("height {height}, {most:?}, {} cells", cells.len()));
            }
        }
    }
}

#[test]
fn updates_that_follow_each_other_have_the_bits_of_the_processor() {
    let Some(device) = device() else { return };
    let mut on_gpu = GpuDistanceTransform::new(&device).unwrap();
    for seed in 0..cases(15, 400) as u64 {
        let mut rng = SeededRng::new(seed);
        let (counts, most) = ([20, 25, 40], rng.uniform(0.1, 2.0));
        let mut fields = [field(counts, Some(most)), field(counts, Some(most))];
        let mut cells = random_cells(&mut rng, [0; 3], signed(counts));
        for round in 0..5 {
            // Cells outside of the grid count as far as the maximum reaches.
            cells.retain(|_| rng.unit() < 0.8);
            let corner = [0; 3].map(|_: i32| below(&mut rng, 40) - 8);
            cells.extend(all_cells(corner, corner.map(|low| low + 3)));
            compare(&mut fields, &cells, &mut on_gpu, &format!("seed {seed}, round {round}"));
        }
        // The bits of a field that has never known anything else.
        let mut anew = field(counts, Some(most));
        update(&mut anew, &cells, &mut on_gpu);
        assert!(bits(&anew) == bits(&fields[1]), "seed {seed}");
    }
}

/// Squared distance of a node from the nearest of some cells, in cells.
fn nearest(node: Cell, cells: &[Cell]) -> Option<i32> {
    let along = |cell: &Cell, axis: usize| (cell[axis] - node[axis]).max(node[axis] - cell[axis] - 1).max(0).pow(2);
    cells.iter().map(|cell| (0..3).map(|axis| along(cell, axis)).sum()).min()
}

#[test]
fn distances_are_those_from_all_cells_one_by_one() {
    let Some(device) = device() else { return };
    let mut on_gpu = GpuDistanceTransform::new(&device).unwrap();
    for seed in 0..cases(25, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let counts = [1 + rng.below(6), 1 + rng.below(6), 1 + rng.below(9)];
        let most = (seed % 2 == 0).then(|| rng.uniform(0.1, 1.0));
        let occupied = random_cells(&mut rng, [0; 3], signed(counts));
        let free: Vec<Cell> =
            all_cells([-1; 3], signed(counts).map(|c| c + 1)).filter(|c| !occupied.contains(c)).collect();
        let mut field = field(counts, most);
        update(&mut field, &occupied, &mut on_gpu);
        let distance = |square: Option<i32>| {
            let far = square.map_or(f64::INFINITY, |square| RESOLUTION * f64::from((square as f32).sqrt()));
            far.min(most.unwrap_or(f64::INFINITY)) as f32
        };
        for (node, found) in all_cells([0; 3], signed(counts).map(|c| c + 1)).zip(field.values()) {
            let [outside, inside] = [nearest(node, &occupied), nearest(node, &free)];
            let wanted = if outside == Some(0) { -distance(inside) } else { distance(outside) };
            // Equal numbers: 0 has one sign here and two in the oracle.
            assert!(*found == wanted, "seed {seed}, node {node:?}: {found}, exact {wanted}");
        }
    }
}

#[test]
fn small_devices_compute_large_fields_in_parts_and_refuse_what_they_cannot_hold() {
    let Some(device) = small_device() else { return };
    let mut on_gpu = GpuDistanceTransform::new(&device).unwrap();
    let mut rng = SeededRng::new(11);
    for (counts, most) in [([70, 80, 90], None), ([70, 80, 90], Some(1.0)), ([200, 300, 7], None)] {
        let cells = random_cells(&mut rng, [0; 3], signed(counts));
        let mut fields = [field(counts, most), field(counts, most)];
        compare(&mut fields, &cells, &mut on_gpu, &format!("{counts:?}, {most:?}"));
    }
    // A buffer of one megabyte holds two numbers each of 131 072 nodes, and 131 072 words of columns.
    for counts in [[362, 362, 2], [100, 1000, 100]] {
        let mut refused = field(counts, None);
        let before = bits(&refused);
        let error = refused.update_with(&[[1, 1, 1]], &mut on_gpu, &Control::default()).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { .. }), "{error}");
        assert!(error.to_string().contains(&device.info().name), "{error}");
        assert!(bits(&refused) == before && refused.occupied_cells().is_empty());
    }
    let mut fields = [field([361, 361, 2], None), field([361, 361, 2], None)];
    compare(&mut fields, &[[1, 1, 1]], &mut on_gpu, "a full buffer");
}

#[test]
fn an_update_that_is_ended_leaves_the_field_as_it_was() {
    let Some(device) = device() else { return };
    let mut on_gpu = GpuDistanceTransform::new(&device).unwrap();
    let (counts, mut rng) = ([30, 30, 30], SeededRng::new(5));
    let [first, second] = [(); 2].map(|()| random_cells(&mut rng, [0; 3], signed(counts)));
    let mut measured = field(counts, None);
    update(&mut measured, &first, &mut on_gpu);
    let (before, occupied, mut ended) = (bits(&measured), measured.occupied_cells(), 0);
    for looks in 0.. {
        // A clock that goes on when it is looked at ends the update after so many looks.
        let clock = Arc::new(ManualClock::with_step(1_000));
        let control = Control::new(clock, 1e-6 * f64::from(looks), u64::MAX, StopFlag::default());
        if measured.update_with(&second, &mut on_gpu, &control).is_ok() {
            break;
        }
        assert!(bits(&measured) == before && measured.occupied_cells() == occupied, "{looks} looks");
        ended += 1;
    }
    assert!(ended >= 3, "before each pass");
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    let error = measured.update_with(&first, &mut on_gpu, &control).unwrap_err();
    assert!(matches!(error, KineticError::Cancelled { .. }), "{error}");
    let outside = measured.update_with(&[[0, 0, 30]], &mut on_gpu, &Control::default()).unwrap_err();
    assert!(matches!(outside, KineticError::InvalidValue { .. }), "{outside}");
    let mut anew = field(counts, None);
    anew.update(&second).unwrap();
    assert!(bits(&measured) == bits(&anew));
}

#[test]
fn a_lost_device_is_a_typed_error_and_is_opened_anew_by_the_next_update() {
    let _turn = turn_with_shared_device();
    let Some(own) = opened(&DeviceOptions::default()) else { return };
    let mut measured = field([9, 9, 9], None);
    let mut on_gpu = GpuDistanceTransform::new(&own).unwrap();
    update(&mut measured, &[[1, 2, 3]], &mut on_gpu);
    let before = bits(&measured);
    GpuDevice::destroy(&own);
    let error = measured.update_with(&[[4, 5, 6]], &mut on_gpu, &Control::default()).unwrap_err();
    assert!(matches!(&error, KineticError::Other(text) if text.contains("lost")), "{error}");
    assert!(bits(&measured) == before && measured.occupied_cells() == [[1, 2, 3]]);

    let mut transform = DeviceDistanceTransform::new(&"gpu".parse::<ComputeChoice>().unwrap()).unwrap();
    update(&mut measured, &[[4, 5, 6]], &mut transform);
    let ComputeDevice::Gpu(shared) = transform.device().clone() else { panic!("the processor was not asked for") };
    shared.destroy();
    update(&mut measured, &[[1, 2, 3]], &mut transform);
    assert!(transform.device().is_gpu() && !transform.device().is_lost());
    assert!(bits(&measured) == before, "another device, the same bits");
}

#[test]
fn the_processor_stands_in_where_it_is_asked_for() {
    let mut on_processor = DeviceDistanceTransform::new(&ComputeChoice::Cpu).unwrap();
    assert!(!on_processor.device().is_gpu());
    let counts = [12, 13, 14];
    let cells = random_cells(&mut SeededRng::new(2), [0; 3], signed(counts));
    let [mut one, mut other, mut third] = [(); 3].map(|()| field(counts, None));
    one.update(&cells).unwrap();
    update(&mut other, &cells, &mut on_processor);
    update(&mut third, &cells, &mut DistanceTransform::default());
    assert!(bits(&one) == bits(&other) && bits(&one) == bits(&third));
    let absent = DeviceDistanceTransform::new(&"gpu:99".parse::<ComputeChoice>().unwrap());
    assert!(absent.is_err(), "there are not so many");
}
