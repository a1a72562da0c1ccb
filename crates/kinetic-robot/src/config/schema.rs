//! The keys of `kinetic.toml`. Values that can be wrong in themselves carry their place in the text.

use std::collections::BTreeMap;

use kinetic_core::config::OptionValue;
use serde::Deserialize;
use toml::Spanned;

/// Tables by name; sort by span for the order of the file.
pub(super) type Tables<T> = BTreeMap<String, Spanned<T>>;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigDocument {
    pub(super) robot: About,
    #[serde(default)]
    pub(super) names: Tables<String>,
    #[serde(default)]
    pub(super) planning_group: Tables<Group>,
    #[serde(default)]
    pub(super) end_effector: Tables<EndEffectorTable>,
    #[serde(default)]
    pub(super) ik: Ik,
    #[serde(default)]
    pub(super) named_poses: Tables<Tables<Vec<f64>>>,
    #[serde(default)]
    pub(super) collision: Collision,
    #[serde(default)]
    pub(super) limits: JointTables,
    #[serde(default)]
    pub(super) metric: Metric,
    #[serde(default)]
    pub(super) profiles: Tables<Tables<OptionValue>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    pub(super) name: String,
    pub(super) urdf: String,
    pub(super) hulls: Option<String>,
    pub(super) spheres: Option<String>,
    pub(super) default_group: Option<Spanned<String>>,
    pub(super) dof: Option<Spanned<usize>>,
    #[serde(default)]
    pub(super) maker: String,
    #[serde(default)]
    pub(super) licence: String,
    #[serde(default)]
    pub(super) source: String,
    #[serde(default)]
    pub(super) quality: String,
    pub(super) inertials: Option<Spanned<String>>,
    pub(super) estimated_tensors: Option<Spanned<Vec<String>>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub(super) chain: Option<Spanned<Vec<String>>>,
    pub(super) joints: Option<Spanned<Vec<String>>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndEffectorTable {
    pub(super) parent_link: Spanned<String>,
    pub(super) parent_group: Option<Spanned<String>>,
    pub(super) group: Option<Spanned<String>>,
    pub(super) tcp_xyz: Option<Spanned<Vec<f64>>>,
    pub(super) tcp_rpy: Option<Spanned<Vec<f64>>>,
    pub(super) grasp_xyz: Option<Spanned<Vec<f64>>>,
    pub(super) grasp_rpy: Option<Spanned<Vec<f64>>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ik {
    pub(super) solver: Option<Spanned<String>>,
    pub(super) damping: Option<Spanned<f64>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Collision {
    pub(super) self_collision_pairs: Option<Spanned<String>>,
    pub(super) padding: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) skip_pairs: Vec<Spanned<Vec<String>>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointTables {
    pub(super) acceleration_source: Option<String>,
    #[serde(default)]
    pub(super) lower: Tables<f64>,
    #[serde(default)]
    pub(super) upper: Tables<f64>,
    #[serde(default)]
    pub(super) velocity: Tables<f64>,
    #[serde(default)]
    pub(super) acceleration: Tables<f64>,
    #[serde(default)]
    pub(super) jerk: Tables<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metric {
    #[serde(default)]
    pub(super) weights: Tables<f64>,
}

/// Entries in the order of the file.
pub(super) fn in_order<T>(tables: &Tables<T>) -> Vec<(&String, &Spanned<T>)> {
    let mut entries: Vec<_> = tables.iter().collect();
    entries.sort_by_key(|(_, value)| value.span().start);
    entries
}
