//! The generator: a second implementation, ranges, independence of streams.

use kinetic_core::rng::SeededRng;

/// PCG XSL RR 128/64 written from O'Neill 2014, seeded as the rand crates seed from 64 bits (32 bytes of PCG32).
struct Reference {
    state: u128,
    increment: u128,
}

impl Reference {
    fn new(mut seed: u64) -> Self {
        let mut word = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11_634_580_027_462_260_723);
            let mixed = ((((seed >> 18) ^ seed) >> 27) & 0xFFFF_FFFF) as u32;
            u128::from(mixed.rotate_right((seed >> 59) as u32))
        };
        let mut half = || word() | word() << 32 | word() << 64 | word() << 96;
        let (state, increment) = (half(), half() | 1);
        let mut pcg = Self { state: state.wrapping_add(increment), increment };
        pcg.step();
        pcg
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645).wrapping_add(self.increment);
    }

    fn next(&mut self) -> u64 {
        self.step();
        let folded = ((self.state >> 64) ^ self.state) as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }
}

#[test]
fn the_numbers_are_those_of_the_named_generator() {
    for seed in [0, 1, 42, u64::MAX] {
        let (mut rng, mut reference) = (SeededRng::new(seed), Reference::new(seed));
        for index in 0..1000 {
            assert_eq!(rng.next_u64(), reference.next(), "seed {seed}, number {index}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_numbers_and_another_seed_others() {
    let list = |seed| {
        let mut rng = SeededRng::new(seed);
        (0..100).map(|_| rng.next_u64()).collect::<Vec<_>>()
    };
    assert_eq!(list(42), list(42));
    assert_ne!(list(42), list(43));
}

#[test]
fn numbers_stay_in_their_ranges_and_fill_them() {
    let mut rng = SeededRng::new(1);
    let mut buckets = [0_u32; 10];
    for _ in 0..10_000 {
        let unit = rng.unit();
        assert!((0.0..1.0).contains(&unit));
        assert!((-2.0..3.0).contains(&rng.uniform(-2.0, 3.0)));
        buckets[rng.below(10)] += 1;
    }
    // 1,000 expected per bucket with a standard deviation of 30: five of them.
    assert!(buckets.iter().all(|count| (850..1150).contains(count)), "{buckets:?}");
    assert_eq!(rng.below(1), 0);
    assert_eq!(rng.uniform(2.0, 2.0), 2.0);
}

#[test]
fn the_mean_and_variance_of_unit_numbers_are_those_of_the_uniform_distribution() {
    let mut rng = SeededRng::new(5);
    let n = 100_000;
    let values: Vec<f64> = (0..n).map(|_| rng.unit()).collect();
    let mean = values.iter().sum::<f64>() / f64::from(n);
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
    // Five standard errors: 0.29 / √n for the mean, 0.075 / √n for the variance.
    assert!((mean - 0.5).abs() < 5e-3 && (variance - 1.0 / 12.0).abs() < 1.2e-3, "{mean} {variance}");
}

#[test]
fn streams_of_one_seed_and_of_neighbouring_seeds_share_no_numbers() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..10 {
        for index in 0..10 {
            let mut rng = SeededRng::stream(seed, index);
            for _ in 0..20 {
                assert!(seen.insert(rng.next_u64()), "seed {seed} stream {index} repeats a number");
            }
        }
    }
}

#[test]
fn moments_of_normal_numbers_are_those_of_the_normal_distribution() {
    let mut values = vec![0.0; 200_001];
    SeededRng::new(7).fill_normal(&mut values);
    let moment = |power: i32| values.iter().map(|value: &f64| value.powi(power)).sum::<f64>() / values.len() as f64;
    // Standard errors are 0.0022, 0.0032, 0.0087 and 0.022.
    for (power, wanted, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
        assert!((moment(power) - wanted).abs() < tolerance, "moment {power}: {}", moment(power));
    }
}
