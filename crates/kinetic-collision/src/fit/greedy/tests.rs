//! The lazy greedy choice against the plain one, which evaluates all candidates for every sphere.

use kinetic_core::rng::SeededRng;
use nalgebra::Point3;

use super::super::samples::SolidSample;
use super::*;

/// Cases; each is a few hundred points and centres.
const CASES: u64 = 40;

fn samples(rng: &mut SeededRng) -> Samples {
    // On a grid of few steps, so that many gains are equal.
    let mut coordinate = || rng.below(7) as f64;
    let mut point = || Point3::new(coordinate(), coordinate(), coordinate());
    let points: Vec<_> = (0..150).map(|_| SolidSample { point: point(), rounding: 0.0 }).collect();
    let candidates = (0..90).map(|_| Candidate { center: point(), height: -0.5 }).collect();
    Samples { points, candidates }
}

/// Indices of candidates, or nothing when the samples are not covered.
fn plain(samples: &Samples, excess: f64, most: usize) -> Option<Vec<usize>> {
    let is_near = |sample: &SolidSample, index: usize| {
        let Candidate { center, height } = samples.candidates[index];
        ((sample.point - center).norm() + sample.rounding + height) as f32 <= excess as f32
    };
    let mut open = samples.points.clone();
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let gain = |index: &usize| open.iter().filter(|sample| is_near(sample, *index)).count();
        let best = (0..samples.candidates.len()).rev().max_by_key(gain).filter(|best| gain(best) > 0)?;
        if chosen.len() == most {
            return None;
        }
        open.retain(|sample| !is_near(sample, best));
        chosen.push(best);
    }
    Some(chosen)
}

#[test]
fn the_lazy_choice_is_the_plain_one_whatever_was_asked_before() {
    for seed in 0..CASES {
        let mut rng = SeededRng::new(seed);
        let samples = samples(&mut rng);
        let (coverage, mut choices) = (Coverage::new(&samples), Choices::default());
        for _ in 0..30 {
            let (excess, most) = (rng.below(12) as f64 * 0.5, 1 + rng.below(30));
            let found = coverage.cover(excess, most, &mut choices).map(<[usize]>::to_vec);
            assert_eq!(found, plain(&samples, excess, most), "seed {seed}, {excess}, {most}");
        }
    }
}

#[test]
fn words_say_which_numbers_are_small_enough() {
    let mut rng = SeededRng::new(3);
    let mut numbers = [0.0_f32; 64];
    for _ in 0..200 {
        numbers = numbers.map(|_| [rng.unit() as f32, 0.5, f32::INFINITY, f32::NAN][rng.below(4)]);
        let word = word(&numbers, 0.5);
        for (place, number) in numbers.iter().enumerate() {
            assert_eq!(word >> place & 1 == 1, *number <= 0.5, "{place}: {number}");
        }
    }
}
