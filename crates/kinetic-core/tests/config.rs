//! Defaults and presets of planning, and refusal of values outside their domain.

use kinetic_core::config::WorkspaceBounds;
use kinetic_core::{Minimise, PlannerConfig};

#[test]
fn defaults_are_the_documented_ones() {
    let config = PlannerConfig::default();
    assert_eq!((config.timeout, config.max_iterations), (5.0, u64::MAX));
    assert_eq!((config.collision_margin, config.self_margin), (0.02, 0.0));
    assert_eq!((config.shortcut_iterations, config.smooth), (100, true));
    assert_eq!((config.workspace_bounds, config.seed), (None, 0));
}

#[test]
fn presets_are_the_documented_ones() {
    let realtime = PlannerConfig::realtime();
    assert_eq!((realtime.timeout, realtime.max_iterations, realtime.collision_margin), (0.01, 2_000, 0.01));
    assert_eq!((realtime.shortcut_iterations, realtime.smooth), (20, false));
    let offline = PlannerConfig::offline();
    assert_eq!((offline.timeout, offline.shortcut_iterations, offline.smooth), (60.0, 500, true));
    assert_eq!(offline.minimise, Some(Minimise::Time), "it goes on to better motions until its time is over");
    for config in [PlannerConfig::default(), realtime, offline] {
        config.check().unwrap();
    }
}

#[test]
fn every_field_outside_its_domain_is_named() {
    let bounds = |max| Some(WorkspaceBounds { min: [0.0; 3], max });
    let change = |name: &str, edit: &dyn Fn(&mut PlannerConfig)| {
        let mut config = PlannerConfig::default();
        edit(&mut config);
        let error = config.check().unwrap_err();
        assert!(error.code() == "InvalidValue" && error.to_string().contains(name), "{error}");
    };
    for bad in [0.0, -1.0, f64::NAN] {
        change("timeout", &|config| config.timeout = bad);
    }
    for bad in [-0.01, f64::NAN, f64::INFINITY] {
        change("collision_margin", &|config| config.collision_margin = bad);
        change("self_margin", &|config| config.self_margin = bad);
    }
    change("max_iterations", &|config| config.max_iterations = 0);
    change("workspace_bounds", &|config| config.workspace_bounds = bounds([1.0, 0.0, 1.0]));
    change("workspace_bounds", &|config| config.workspace_bounds = bounds([1.0, f64::NAN, 1.0]));
}

#[test]
fn text_may_hold_some_fields_and_no_unknown_ones() {
    let config: PlannerConfig = serde_json::from_str(r#"{"timeout": 1.5, "seed": 7}"#).unwrap();
    assert_eq!(config, PlannerConfig { timeout: 1.5, seed: 7, ..PlannerConfig::default() });
    let error = serde_json::from_str::<PlannerConfig>(r#"{"time_out": 1.5}"#).unwrap_err();
    assert!(error.to_string().contains("time_out"), "{error}");
}
