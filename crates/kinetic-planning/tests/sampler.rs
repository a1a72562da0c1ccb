use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;
use kinetic_planning::{Sampler, SamplerKind, Space};

use crate::cases;
use crate::worlds::cube;

fn samples(kind: SamplerKind, space: &Space, seed: u64, count: usize) -> Vec<Vec<f64>> {
    let mut sampler = Sampler::new(kind, space, seed);
    let mut q = vec![0.0; space.dof()];
    (0..count)
        .map(|_| {
            sampler.next_into(&mut q);
            q.clone()
        })
        .collect()
}

#[test]
fn samples_stay_inside_the_bounds_and_continuous_joints_in_one_turn() {
    let turning = (f64::NEG_INFINITY, f64::INFINITY);
    let space = Space::from_bounds(&[(-2.0, -1.0), turning, (0.5, 0.5), (0.0, 1e-3)]).unwrap();
    for kind in [SamplerKind::Halton, SamplerKind::Random] {
        for seed in 0..cases(5, 200) {
            for q in samples(kind, &space, seed, 1_000) {
                assert!(q[1] >= -PI && q[1] < PI, "{kind:?} {seed}: {q:?}");
                assert!(space.check("sample", &q, 0.0).is_ok(), "{kind:?} {seed}: {q:?}");
            }
        }
    }
}

#[test]
fn every_tenth_of_the_bounds_and_of_a_turn_gets_its_share() {
    const COUNT: usize = 4_000;
    let turning = (f64::NEG_INFINITY, f64::INFINITY);
    let space = Space::from_bounds(&[(-2.0, 1.0), turning, (0.5, 0.75)]).unwrap();
    let intervals = [(-2.0, 3.0), (-PI, 2.0 * PI), (0.5, 0.25)];
    let mut uniform = SeededRng::new(4);
    let mut plain: Vec<Vec<f64>> = vec![vec![0.0; 3]; COUNT];
    for q in &mut plain {
        space.sample_uniform(&mut uniform, q);
    }
    let sequences = [SamplerKind::Halton, SamplerKind::Random].map(|kind| samples(kind, &space, 2, COUNT));
    for (name, found) in ["Halton", "random", "uniform"].iter().zip(sequences.into_iter().chain([plain])) {
        for (joint, (low, width)) in intervals.into_iter().enumerate() {
            let tenth = |q: &[f64]| ((q[joint] - low) / width * 10.0).floor();
            let count = |part: u32| found.iter().filter(|q| tenth(q) == f64::from(part)).count();
            let counts: Vec<usize> = (0..10).map(count).collect();
            // Six standard deviations of a tenth of the samples.
            assert!(counts.iter().all(|count| (286..514).contains(count)), "{name}, joint {joint}: {counts:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_samples_and_another_seed_others() {
    let space = cube(5, 1.0);
    for kind in [SamplerKind::Halton, SamplerKind::Random] {
        assert_eq!(samples(kind, &space, 7, 100), samples(kind, &space, 7, 100));
        assert_ne!(samples(kind, &space, 7, 100), samples(kind, &space, 8, 100));
    }
}

/// Largest deviation of the share of samples in boxes at the origin from their volume.
fn discrepancy(points: &[Vec<f64>]) -> f64 {
    let mut worst = 0.0_f64;
    for x in 1..=10 {
        for y in 1..=10 {
            let (x, y) = (f64::from(x) / 10.0, f64::from(y) / 10.0);
            let inside = points.iter().filter(|q| q[0] < x && q[1] < y).count();
            worst = worst.max((inside as f64 / points.len() as f64 - x * y).abs());
        }
    }
    worst
}

#[test]
fn halton_fills_the_square_more_evenly_than_chance() {
    let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    for seed in 0..cases(5, 100) {
        let halton = discrepancy(&samples(SamplerKind::Halton, &space, seed, 2_000));
        let random = discrepancy(&samples(SamplerKind::Random, &space, seed, 2_000));
        // Halton: about log² n / n. Chance: 0.5 / √n is a typical largest deviation; four times that is never seen.
        assert!(halton < 0.005, "seed {seed}: {halton}");
        assert!(random < 0.045, "seed {seed}: {random}");
    }
}

#[test]
fn every_second_sample_alone_fills_the_square_too() {
    // Two trees that take turns see every second sample each.
    let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    for seed in 0..cases(5, 100) {
        let all = samples(SamplerKind::Halton, &space, seed, 4_000);
        for parity in [0, 1] {
            let half: Vec<_> = all.iter().skip(parity).step_by(2).cloned().collect();
            assert!(discrepancy(&half) < 0.01, "seed {seed}, parity {parity}: {}", discrepancy(&half));
        }
    }
}
