//! How far a stop is from the path that it leaves.

use crate::polyline::{distance, distance_to_segment};

/// Largest distance of the points `stop` from the chords between the points `path`, row by row; `lengths` is memory.
///
/// A chord whose length along the path from a point is less than that point's distance minus the least that is known cannot be
/// nearer (triangle inequality), so that most chords are passed over.
pub(super) fn largest_distance([stop, path]: [&[f64]; 2], dof: usize, lengths: &mut Vec<f64>) -> f64 {
    let chord = |index: usize| (&path[index * dof..(index + 1) * dof], &path[(index + 1) * dof..(index + 2) * dof]);
    let chords = (path.len() / dof).saturating_sub(1);
    lengths.clear();
    lengths.push(0.0);
    let mut length = 0.0;
    for index in 0..chords {
        let (from, to) = chord(index);
        length += distance(from, to);
        lengths.push(length);
    }
    let (mut largest, mut nearest) = (0.0_f64, 0);
    for point in stop.chunks_exact(dof) {
        let to_chord = |index: usize| distance_to_segment(point, chord(index).0, chord(index).1);
        let mut least = if chords > 0 { to_chord(nearest) } else { f64::INFINITY };
        let mut index = 0;
        while index < chords && least > largest {
            let found = to_chord(index);
            if found < least {
                (least, nearest) = (found, index);
            }
            let passed = lengths[index] + distance(point, chord(index).0) - least;
            index += lengths[index + 1..].partition_point(|length| *length < passed).max(1);
        }
        largest = largest.max(least);
    }
    largest
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    #[test]
    fn passing_over_chords_changes_no_distance() {
        for seed in 0..200 {
            let mut rng = SeededRng::new(seed);
            let mut walk = |count: usize, step: f64| {
                let mut point = [0.0; 3];
                let mut points = Vec::new();
                for _ in 0..count {
                    points.extend(point);
                    point = point.map(|value| value + rng.uniform(-step, step));
                }
                points
            };
            let (path, stop) = (walk(60, 0.1), walk(40, 0.2));
            let chords = || path.chunks_exact(3).zip(path.chunks_exact(3).skip(1));
            let nearest = |q: &[f64]| chords().map(|(a, b)| distance_to_segment(q, a, b)).fold(f64::INFINITY, f64::min);
            let wanted = stop.chunks_exact(3).map(nearest).fold(0.0, f64::max);
            let found = largest_distance([&stop, &path], 3, &mut Vec::new());
            assert!((found - wanted).abs() <= 1e-15, "seed {seed}: {found} {wanted}");
        }
    }
}
