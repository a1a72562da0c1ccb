//! An order of points in which neighbours in the list are neighbours in space.
//!
//! Points are sorted by Morton codes (Morton 1966), the interleaved bits of their coordinates on a grid: by the upper bits with a
//! radix sort, whose time is linear in the number of points, where halving along the longest side sorts them at every level; and
//! those few that share all of these by the lower ones.

use kinetic_core::parallel::{in_chunks, processors};
use nalgebra::Point3;

use crate::aabb::Aabb;

/// Bits of a coordinate on the grid: steps of a hundred-thousandth of the longest side, so that a few far points leave
/// the others apart.
const BITS_PER_AXIS: u32 = 16;

/// Lower bits of a code, which are sorted last. A point's upper bits and its index fill one word.
const LOWER_BITS: u32 = 3 * BITS_PER_AXIS - 32;

/// Bits that are sorted at once: as many places are written to in turn as a cache holds.
const DIGIT_BITS: u32 = 8;

const DIGITS: usize = 1 << DIGIT_BITS;

/// Passes over the upper bits.
const PASSES: usize = (32 / DIGIT_BITS) as usize;

/// Keys that are worth a thread.
const KEYS_PER_CHUNK: usize = 1 << 14;

/// Indices of points in the order of their Morton codes; those in one cell of the grid keep their order.
pub(crate) fn morton_order(points: &[Point3<f64>], bounds: &Aabb) -> Vec<u32> {
    let scale = f64::from((1_u32 << BITS_PER_AXIS) - 1) / bounds.size().max().max(f64::MIN_POSITIVE);
    let code = |point: &Point3<f64>| {
        // Casts saturate, and make 0 of what is no number.
        #[allow(clippy::cast_sign_loss, reason = "no point lies below the corner")]
        let cell = |axis: usize| ((point[axis] - bounds.min[axis]) * scale) as u16;
        spread(cell(0)) | spread(cell(1)) << 1 | spread(cell(2)) << 2
    };
    let mut keys = vec![0; points.len()];
    in_chunks(&mut keys, 1, KEYS_PER_CHUNK, |first, keys| {
        for (index, key) in (first..).zip(keys) {
            *key = code(&points[index]) >> LOWER_BITS << 32 | index as u64;
        }
    });
    let sorted = sorted(keys, points.len().div_ceil(processors()).max(KEYS_PER_CHUNK));
    let mut order: Vec<u32> = sorted.iter().map(|key| *key as u32).collect();
    let mut first = 0;
    for run in sorted.chunk_by(|a, b| a >> 32 == b >> 32) {
        let of_run = &mut order[first..first + run.len()];
        if run.len() > 1 {
            of_run.sort_by_cached_key(|index| code(&points[*index as usize]));
        }
        first += run.len();
    }
    order
}

/// Sorts keys, no two of which are equal: runs of a length, then pairs of neighbouring runs into one.
fn sorted(mut keys: Vec<u64>, mut run: usize) -> Vec<u64> {
    in_chunks(&mut keys, 1, run, |_, keys| sort_by_upper_half(keys));
    let mut merged = vec![0; keys.len()];
    while run < keys.len() {
        in_chunks(&mut merged, 1, run, |first, out| {
            let pair = &keys[first / (2 * run) * (2 * run)..];
            let (left, right) = pair.split_at(run.min(pair.len()));
            merge(left, &right[..run.min(right.len())], first % (2 * run), out);
        });
        std::mem::swap(&mut keys, &mut merged);
        run *= 2;
    }
    keys
}

/// Sorts by the upper half of the bits; equal ones keep their order.
fn sort_by_upper_half(keys: &mut [u64]) {
    let digit = |key: u64, pass: usize| (key >> (32 + pass as u32 * DIGIT_BITS)) as usize % DIGITS;
    // The counts of all digits in one reading.
    let mut counts = [[0_u32; DIGITS]; PASSES];
    for key in &*keys {
        (0..PASSES).for_each(|pass| counts[pass][digit(*key, pass)] += 1);
    }
    // An even number of passes ends where it began.
    const { assert!(PASSES.is_multiple_of(2)) };
    let mut other = vec![0; keys.len()];
    let (mut from, mut to) = (keys, &mut other[..]);
    for (pass, next) in counts.iter_mut().enumerate() {
        let mut sum = 0;
        for count in &mut *next {
            (*count, sum) = (sum, sum + *count);
        }
        for key in &*from {
            let place = &mut next[digit(*key, pass)];
            to[*place as usize] = *key;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
}

/// The keys of two sorted runs from a place on in the order of both. The first key there is found by halving (Green et al.,
/// "GPU Merge Path", ICS 2012), so that chunks of one pair are merged independently.
fn merge(left: &[u64], right: &[u64], first: usize, out: &mut [u64]) {
    let (mut least, mut most) = (first.saturating_sub(right.len()), first.min(left.len()));
    while least < most {
        let middle = usize::midpoint(least, most);
        if left[middle] < right[first - middle - 1] { least = middle + 1 } else { most = middle }
    }
    let (left, right) = (&left[least..], &right[first - least..]);
    let (mut from_left, mut from_right) = (0, 0);
    for key in out {
        let (a, b) = (left.get(from_left).unwrap_or(&u64::MAX), right.get(from_right).unwrap_or(&u64::MAX));
        let is_left = a < b;
        *key = if is_left { *a } else { *b };
        from_left += usize::from(is_left);
        from_right += usize::from(!is_left);
    }
}

/// Puts two zeros between the bits of a number.
fn spread(value: u16) -> u64 {
    let [low, high] = value.to_le_bytes().map(|byte| SPREAD_BYTES[usize::from(byte)]);
    u64::from(low) | u64::from(high) << 24
}

/// Bytes with two zeros between their bits.
static SPREAD_BYTES: [u32; 256] = spread_bytes();

const fn spread_bytes() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= (byte as u32 >> bit & 1) << (3 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
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
    fn runs_of_any_length_are_merged_in_order() {
        let mut rng = SeededRng::new(5);
        for (count, digits) in [(0, 1), (1, 3), (999, 2), (1_000, 300), (1_001, 1 << 20)] {
            let keys: Vec<u64> = (0..count).map(|index| (rng.below(digits) as u64) << 32 | index).collect();
            let mut wanted = keys.clone();
            wanted.sort_unstable();
            for run in [1, 7, 100, 334, 500, 1_000, 5_000] {
                assert_eq!(sorted(keys.clone(), run), wanted, "{count} keys in runs of {run}");
            }
        }
    }

    #[test]
    fn points_far_from_one_that_is_away_are_ordered_by_the_lower_bits() {
        let mut rng = SeededRng::new(7);
        let mut points: Vec<Point3<f64>> =
            (0..3_000).map(|_| Point3::new(rng.uniform(0.0, 1.0), rng.uniform(0.0, 1.0), 0.0)).collect();
        points.push(Point3::new(200.0, 0.0, 0.0));
        let bounds = Aabb::from_points(&points).expect("points");
        let length = |order: &[u32]| -> f64 {
            let ends = order.windows(2).map(|pair| points[pair[0] as usize] - points[pair[1] as usize]);
            ends.map(|step| step.norm().min(1.0)).sum()
        };
        let all: Vec<u32> = (0..3_001).collect();
        // Upper bits alone tell places of 12 cm apart.
        assert!(length(&morton_order(&points, &bounds)) < 0.1 * length(&all));
    }

    #[test]
    fn huge_ranges_are_ordered_somehow() {
        let points = [Point3::new(-1e308, 0.0, 0.0), Point3::new(1e308, 1e-300, 0.0), Point3::origin()];
        let mut order = morton_order(&points, &Aabb::from_points(&points).expect("points"));
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2]);
    }
}
