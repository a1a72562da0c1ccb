//! Command filters. Oracles: responses of `SciPy` (how they were made stands beside them), closed forms.

use kinetic_core::rng::SeededRng;
use kinetic_reactive::filter::{COMMAND_FILTERS, CommandFilter, CommandFilterSpec, FilterOptions};

use crate::cases;

fn filter(name: &str, options: &FilterOptions) -> Box<dyn CommandFilter> {
    CommandFilterSpec::by_name(name).unwrap().make(1, options).unwrap()
}

fn run(filter: &mut dyn CommandFilter, values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let apply = |value: f64| {
        let mut command = [value];
        filter.apply(&mut command).unwrap();
        command[0]
    };
    values.into_iter().map(apply).collect()
}

/// A step from 0 to 1 after the first command.
fn step(count: usize) -> impl Iterator<Item = f64> {
    std::iter::once(0.0).chain(std::iter::repeat_n(1.0, count))
}

#[test]
fn butterworth_has_the_step_response_of_scipy() {
    // scipy 1.17.1: b, a = signal.butter(2, 5.0, fs=100.0); signal.lfilter(b, a, [0] + [1] * 11)
    let oracle = SCIPY_BUTTERWORTH_STEP;
    let options = FilterOptions { period: 0.01, cutoff: 5.0, ..FilterOptions::default() };
    let found = run(filter("butterworth", &options).as_mut(), step(oracle.len() - 1));
    for (found, oracle) in found.iter().zip(oracle) {
        assert!((found - oracle).abs() < 1e-12, "{found} {oracle}");
    }
}

/// Made by the line above.
#[allow(clippy::unreadable_literal, reason = "values as they were printed")]
const SCIPY_BUTTERWORTH_STEP: [f64; 12] = [
    0.0,
    0.020083365564211232,
    0.09160059336128112,
    0.21044314685389687,
    0.35009083698491994,
    0.4918635510540872,
    0.6236100595196663,
    0.7383425924352123,
    0.8329463243606675,
    0.9070405734838831,
    0.9620287867017281,
    1.0003459208543735,
];

#[test]
fn exponential_has_the_step_response_of_its_closed_form() {
    let options = FilterOptions { period: 0.002, cutoff: 3.0, ..FilterOptions::default() };
    let ratio = 2.0 * std::f64::consts::PI * 3.0 * 0.002;
    let found = run(filter("exponential", &options).as_mut(), step(100));
    for (index, found) in found.iter().enumerate() {
        let oracle = 1.0 - (1.0 + ratio).powf(-(index as f64));
        assert!((found - oracle).abs() < 1e-13, "{index}: {found} {oracle}");
    }
}

#[test]
fn one_euro_is_the_exponential_average_without_beta_and_faster_with_it() {
    let options = FilterOptions { beta: 0.0, ..FilterOptions::default() };
    let (plain, average) =
        (run(filter("one_euro", &options).as_mut(), step(50)), run(filter("exponential", &options).as_mut(), step(50)));
    assert_eq!(plain, average);
    let fast = run(filter("one_euro", &FilterOptions { beta: 5.0, ..options }).as_mut(), step(50));
    assert!(fast[1..].iter().zip(&plain[1..]).all(|(fast, plain)| fast > plain && *fast <= 1.0));
}

#[test]
fn one_euro_follows_the_published_recursion() {
    // Two steps by hand: f = 10 Hz, cut-off 1 Hz, β 0.5, 1 Hz for the speed.
    let options = FilterOptions { period: 0.1, cutoff: 1.0, beta: 0.5, speed_cutoff: 1.0 };
    let alpha = |cutoff: f64| 1.0 / (1.0 + 1.0 / (2.0 * std::f64::consts::PI * cutoff) / 0.1);
    let found = run(filter("one_euro", &options).as_mut(), [1.0, 2.0, 1.5]);
    let speed = alpha(1.0) * 10.0;
    let first = alpha(1.0 + 0.5 * speed) * 2.0 + (1.0 - alpha(1.0 + 0.5 * speed)) * 1.0;
    let speed = alpha(1.0) * -5.0 + (1.0 - alpha(1.0)) * speed;
    let factor = alpha(1.0 + 0.5 * speed.abs());
    let second = factor * 1.5 + (1.0 - factor) * first;
    for (found, oracle) in found.iter().zip([1.0, first, second]) {
        assert!((found - oracle).abs() < 1e-14, "{found} {oracle}");
    }
}

#[test]
fn constants_pass_every_filter_from_the_first_command_on() {
    for spec in COMMAND_FILTERS {
        for case in 0..cases(50, 2000) {
            let mut rng = SeededRng::new(case as u64);
            let period = 10.0_f64.powf(rng.uniform(-4.0, 0.0));
            let cutoff = 0.5 / period * rng.uniform(1e-3, 0.999);
            let options = FilterOptions { period, cutoff, speed_cutoff: cutoff, ..FilterOptions::default() };
            let value = rng.uniform(-10.0, 10.0);
            let mut filter = filter(spec.name, &options);
            for found in run(filter.as_mut(), std::iter::repeat_n(value, 200)) {
                assert_eq!(found, value, "{}, case {case}", spec.name);
            }
            // After a change it settles at the new value: a gain of exactly 1.
            let settled = run(filter.as_mut(), std::iter::repeat_n(-3.0, 50_000));
            assert!((settled[49_999] + 3.0).abs() < 1e-9, "{}, case {case}: {}", spec.name, settled[49_999]);
        }
    }
}

#[test]
fn butterworth_attenuates_by_three_decibels_at_its_cutoff() {
    let (period, cutoff) = (0.001, 20.0);
    let options = FilterOptions { period, cutoff, ..FilterOptions::default() };
    let wave = |index: usize| (2.0 * std::f64::consts::PI * cutoff * period * index as f64).sin();
    let found = run(filter("butterworth", &options).as_mut(), (0..5000).map(wave));
    let peak = found[4000..].iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
    assert!((peak - 0.5_f64.sqrt()).abs() < 1e-3, "{peak}");
}

#[test]
fn components_are_filtered_on_their_own_and_resets_forget() {
    for spec in COMMAND_FILTERS {
        let options = FilterOptions::default();
        let mut both = spec.make(2, &options).unwrap();
        let (mut one, mut other) = (spec.make(1, &options).unwrap(), spec.make(1, &options).unwrap());
        let mut rng = SeededRng::new(6);
        for cycle in 0..100 {
            if cycle == 50 {
                both.reset();
                one.reset();
                other.reset();
            }
            let given = [rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)];
            let (mut pair, mut a, mut b) = (given, [given[0]], [given[1]]);
            let counted = allocation_counter::measure(|| both.apply(&mut pair).unwrap());
            assert_eq!(counted.count_total, 0, "{}", spec.name);
            one.apply(&mut a).unwrap();
            other.apply(&mut b).unwrap();
            assert_eq!(pair, [a[0], b[0]], "{}", spec.name);
            if cycle % 50 == 0 {
                assert!(pair.iter().zip(given).all(|(pair, given)| (pair - given).abs() < 1e-15), "{}", spec.name);
            }
        }
    }
}

#[test]
fn what_is_no_command_or_option_is_refused_and_changes_nothing() {
    for spec in COMMAND_FILTERS {
        assert_eq!(CommandFilterSpec::by_name(spec.name).unwrap().name, spec.name);
        let refused = |change: fn(&mut FilterOptions)| {
            let mut options = FilterOptions::default();
            change(&mut options);
            spec.make(1, &options).unwrap_err().to_string()
        };
        assert!(refused(|o| o.period = 0.0).contains("period"));
        assert!(refused(|o| o.cutoff = 50.0).contains("cutoff"));
        assert!(refused(|o| o.cutoff = f64::NAN).contains("cutoff"));
        assert!(refused(|o| o.speed_cutoff = -1.0).contains("speed_cutoff"));
        assert!(refused(|o| o.beta = f64::INFINITY).contains("beta"));
        let (mut tried, mut plain) =
            (filter(spec.name, &FilterOptions::default()), filter(spec.name, &FilterOptions::default()));
        let mut results = Vec::new();
        for value in [1.0, 2.0, -1.0] {
            assert!(tried.apply(&mut [f64::NAN]).is_err() && tried.apply(&mut [0.0; 2]).is_err());
            let (mut a, mut b) = ([value], [value]);
            tried.apply(&mut a).unwrap();
            plain.apply(&mut b).unwrap();
            results.push((a, b));
        }
        assert!(results.iter().all(|(a, b)| a == b), "{}: {results:?}", spec.name);
    }
    assert!(CommandFilterSpec::by_name("kalman").unwrap_err().to_string().contains("one_euro"));
}
