//! An order of points in which neighbours in the list are neighbours in space.
//!
//! Points are sorted by Morton codes (Morton 1966), the interleaved bits of their coordinates on a grid, with a radix sort: the
//! time is linear in the number of points, where halving along the longest side sorts them at every level.

use nalgebra::Point3;

use crate::aabb::Aabb;

/// Bits of a coordinate on the grid: steps of a hundred-thousandth of the longest side, so that a few far points leave
/// the others apart.
const BITS_PER_AXIS: u32 = 16;

/// Bits that are sorted at once.
const DIGIT_BITS: u32 = 12;

/// Indices of points in the order of their Morton codes; those in one cell of the grid keep their order.
pub(crate) fn morton_order(points: &[Point3<f64>], bounds: &Aabb) -> Vec<u32> {
    let scale = f64::from((1_u32 << BITS_PER_AXIS) - 1) / bounds.size().max().max(f64::MIN_POSITIVE);
    let code = |point: &Point3<f64>| {
        // Casts saturate, and make 0 of what is no number.
        #[allow(clippy::cast_sign_loss, reason = "no point lies below the corner")]
        let cell = |axis: usize| ((point[axis] - bounds.min[axis]) * scale) as u16;
        spread(cell(0)) | spread(cell(1)) << 1 | spread(cell(2)) << 2
    };
    let mut items: Vec<(u64, u32)> = points.iter().map(code).zip(0..).collect();
    let mut sorted = items.clone();
    for shift in (0..3 * BITS_PER_AXIS).step_by(DIGIT_BITS as usize) {
        sort_by_digit(&items, shift, &mut sorted);
        std::mem::swap(&mut items, &mut sorted);
    }
    items.into_iter().map(|(_, index)| index).collect()
}

/// Writes the items ordered by one digit of their codes; equal digits keep their order.
fn sort_by_digit(items: &[(u64, u32)], shift: u32, sorted: &mut [(u64, u32)]) {
    const DIGITS: usize = 1 << DIGIT_BITS;
    let digit = |code: u64| (code >> shift) as usize % DIGITS;
    let mut next = [0_u32; DIGITS];
    for (code, _) in items {
        next[digit(*code)] += 1;
    }
    let mut sum = 0;
    for count in &mut next {
        (*count, sum) = (sum, sum + *count);
    }
    for item in items {
        let place = &mut next[digit(item.0)];
        sorted[*place as usize] = *item;
        *place += 1;
    }
}

/// Puts two zeros between the bits of a number.
fn spread(value: u16) -> u64 {
    let mut bits = u64::from(value);
    for (shift, mask) in [(16, 0xFF00_00FF), (8, 0x00F0_0F00_F00F), (4, 0x0C30_C30C_30C3), (2, 0x2492_4924_9249)] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    /// The code from its definition, bit by bit.
    fn interleaved(cell: [u16; 3]) -> u64 {
        let bit = |axis: usize, bit: usize| u64::from(cell[axis] >> bit & 1) << (3 * bit + axis);
        (0..3).flat_map(|axis| (0..16).map(move |index| bit(axis, index))).sum()
    }

    #[test]
    fn bits_are_interleaved() {
        let mut rng = SeededRng::new(1);
        for _ in 0..1_000 {
            let cell = [0; 3].map(|_| rng.below(1 << 16) as u16);
            assert_eq!(spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2, interleaved(cell));
        }
    }

    #[test]
    fn points_are_ordered_by_their_codes_and_equal_ones_stay() {
        for (seed, count) in [(1, 1), (2, 2), (3, 1_000), (4, 5_000_usize)] {
            let mut rng = SeededRng::new(seed);
            // On few places, so that many are equal.
            let mut value = || rng.below(20) as f64 * 0.1;
            let points: Vec<Point3<f64>> = (0..count).map(|_| Point3::new(value(), value(), value())).collect();
            let bounds = Aabb::from_points(&points).expect("points");
            let scale = 65_535.0 / bounds.size().max().max(f64::MIN_POSITIVE);
            #[allow(clippy::cast_sign_loss, reason = "no point lies below the corner")]
            let cell = |index: u32, axis: usize| ((points[index as usize][axis] - bounds.min[axis]) * scale) as u16;
            let code = |index: u32| interleaved([0, 1, 2].map(|axis| cell(index, axis)));
            let mut wanted: Vec<u32> = (0..count as u32).collect();
            wanted.sort_by_key(|index| code(*index));
            assert_eq!(morton_order(&points, &bounds), wanted, "seed {seed}");
        }
    }

    #[test]
    fn huge_ranges_are_ordered_somehow() {
        let points = [Point3::new(-1e308, 0.0, 0.0), Point3::new(1e308, 1e-300, 0.0), Point3::origin()];
        let mut order = morton_order(&points, &Aabb::from_points(&points).expect("points"));
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2]);
    }
}
