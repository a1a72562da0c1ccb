//! Options in problem files.

use std::fmt::Write;

use kinetic_core::config::WorkspaceBounds;
use kinetic_core::{KineticError, Minimise, MotionLimits, PlannerConfig, Result};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionsEntry {
    max_iterations: u64,
    /// A text where it is larger than what TOML has, 2⁶³ − 1.
    seed: SeedEntry,
    collision_margin: f64,
    self_margin: f64,
    shortcut_iterations: usize,
    smooth: bool,
    workspace_bounds: Option<[[f64; 3]; 2]>,
    joint_weights: Option<Vec<f64>>,
    minimise: Option<Minimise>,
    velocity_scaling: Option<f64>,
    acceleration_scaling: Option<f64>,
    velocity_limits: Option<Vec<f64>>,
    acceleration_limits: Option<Vec<f64>>,
    jerk_limits: Option<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SeedEntry {
    Number(u64),
    Text(String),
}

impl OptionsEntry {
    pub(super) fn config(self) -> Result<PlannerConfig> {
        let seed = match self.seed {
            SeedEntry::Number(seed) => seed,
            SeedEntry::Text(text) => {
                text.parse().map_err(|_| KineticError::invalid("seed", &text, "an integer from 0 to 2^64 - 1"))?
            }
        };
        let config = PlannerConfig {
            timeout: f64::INFINITY,
            max_iterations: self.max_iterations,
            collision_margin: self.collision_margin,
            self_margin: self.self_margin,
            shortcut_iterations: self.shortcut_iterations,
            smooth: self.smooth,
            workspace_bounds: self.workspace_bounds.map(|[min, max]| WorkspaceBounds { min, max }),
            joint_weights: self.joint_weights,
            minimise: self.minimise,
            limits: MotionLimits {
                velocity_scaling: self.velocity_scaling.unwrap_or(1.0),
                acceleration_scaling: self.acceleration_scaling.unwrap_or(1.0),
                velocity: self.velocity_limits,
                acceleration: self.acceleration_limits,
                jerk: self.jerk_limits,
            },
            seed,
        };
        config.check()?;
        Ok(config)
    }
}

pub(super) fn text(config: &PlannerConfig) -> String {
    let mut out = String::from("\n[options]\n");
    let seed =
        if i64::try_from(config.seed).is_ok() { config.seed.to_string() } else { format!("\"{}\"", config.seed) };
    // Writing into a string does not fail.
    let _ = write!(
        out,
        "max_iterations = {}\nseed = {seed}\ncollision_margin = {:?}\nself_margin = {:?}\nshortcut_iterations = {}\n\
         smooth = {}\n",
        config.max_iterations.min(i64::MAX.unsigned_abs()),
        config.collision_margin,
        config.self_margin,
        config.shortcut_iterations,
        config.smooth
    );
    if let Some(WorkspaceBounds { min, max }) = &config.workspace_bounds {
        let _ = writeln!(out, "workspace_bounds = [{min:?}, {max:?}]");
    }
    if let Some(weights) = &config.joint_weights {
        let _ = writeln!(out, "joint_weights = {weights:?}");
    }
    if let Some(minimise) = config.minimise {
        let _ = writeln!(out, "minimise = \"{}\"", minimise.name());
    }
    write_limits(&mut out, &config.limits);
    out
}

/// What differs from the robot's own limits.
fn write_limits(out: &mut String, limits: &MotionLimits) {
    let MotionLimits { velocity_scaling, acceleration_scaling, .. } = *limits;
    for (name, factor) in [("velocity_scaling", velocity_scaling), ("acceleration_scaling", acceleration_scaling)] {
        if factor != 1.0 {
            let _ = writeln!(out, "{name} = {factor:?}");
        }
    }
    for (name, values) in limits.stated() {
        let _ = writeln!(out, "{name} = {values:?}");
    }
}
