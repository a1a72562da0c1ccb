//! Options of a planner by name and by shape: presets, races, and the box of the workspace.

use kinetic::core::config::WorkspaceBounds;
use kinetic::core::{KineticError, PlannerConfig, Race};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{type_hint_identifier, type_hint_union};

use crate::convert::{Matrix, Text};
use crate::error::{Error, Result};

/// The options of a preset.
pub(super) fn preset_config(name: &str) -> Result<PlannerConfig> {
    match name {
        "default" => Ok(PlannerConfig::default()),
        "realtime" => Ok(PlannerConfig::realtime()),
        "offline" => Ok(PlannerConfig::offline()),
        _ => Err(KineticError::unknown_name("preset", name, ["default", "realtime", "offline"]).into()),
    }
}

/// A box from its lowest and highest corner.
pub(super) fn bounds(corners: &Matrix) -> Result<WorkspaceBounds> {
    let rows: Vec<&[f64]> = corners.rows().collect();
    match rows[..] {
        [&[x0, y0, z0], &[x1, y1, z1]] => Ok(WorkspaceBounds { min: [x0, y0, z0], max: [x1, y1, z1] }),
        _ => Err(KineticError::DimensionMismatch {
            context: "workspace_bounds".to_owned(),
            expected: "6, as [[x, y, z], [x, y, z]]".to_owned(),
            got: corners.values.len(),
        }
        .into()),
    }
}

const FLAG_OR_NAME: PyStaticExpr =
    type_hint_union!(type_hint_identifier!("builtins", "bool"), type_hint_identifier!("builtins", "str"));

/// True, False or "first".
pub(crate) struct RaceArg(pub(crate) Race);

impl FromPyObject<'_, '_> for RaceArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = FLAG_OR_NAME;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyString>().is_ok() {
            return Ok(Self(Race::from_name(&given.extract::<Text>()?.0)?));
        }
        Ok(Self(given.extract::<bool>()?.into()))
    }
}
