//! `pairs.json`: facts about pairs of links, see [`PairFacts`].
//!
//! `{"fingerprint": "0123456789abcdef", "always": [["link_a", "link_b"]], "never": [["link_a", "link_c", 0.012]]}`,
//! with distances in m.

use kinetic_core::{KineticError, Result};
use serde::Deserialize;
use serde_json::json;

use super::fault;
use crate::model::PairFacts;
use crate::robot::Robot;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsDocument {
    fingerprint: String,
    always: Vec<(String, String)>,
    never: Vec<(String, String, f64)>,
}

pub(super) fn read(robot: &Robot, text: &str, file: &str) -> Result<PairFacts> {
    let at = |line: usize, detail: String| fault(file.to_owned(), line as u32, detail);
    let document: PairsDocument = serde_json::from_str(text).map_err(|error| at(error.line(), error.to_string()))?;
    let fingerprint = u64::from_str_radix(&document.fingerprint, 16)
        .map_err(|_| at(0, format!("fingerprint \"{}\" is no hexadecimal number", document.fingerprint)))?;
    let pair = |a: &str, b: &str| -> Result<(usize, usize)> {
        let (a, b) = (robot.link_index(a)?, robot.link_index(b)?);
        Ok((a.min(b), a.max(b)))
    };
    let placed = |error: KineticError| at(0, error.to_string());
    let always = document.always.iter().map(|(a, b)| pair(a, b)).collect::<Result<_>>().map_err(placed)?;
    let never = document.never.iter().map(|(a, b, distance)| Ok((pair(a, b)?, *distance)));
    let mut facts = PairFacts { fingerprint, always, never: never.collect::<Result<_>>().map_err(placed)? };
    facts.always.sort_unstable();
    facts.never.sort_by_key(|(pair, _)| *pair);
    Ok(facts)
}

impl PairFacts {
    /// The facts as the `pairs.json` of a robot's folder.
    pub fn to_json(&self, robot: &Robot) -> String {
        let name = |link: usize| &robot.links[link].name;
        let always = self.always.iter().map(|(a, b)| json!([name(*a), name(*b)]).to_string());
        let never = self.never.iter().map(|((a, b), distance)| json!([name(*a), name(*b), distance]).to_string());
        let rows = |rows: Vec<String>| {
            if rows.is_empty() { "[]".to_owned() } else { format!("[\n    {}\n  ]", rows.join(",\n    ")) }
        };
        let (always, never) = (rows(always.collect()), rows(never.collect()));
        let fingerprint = self.fingerprint;
        format!("{{\n  \"fingerprint\": \"{fingerprint:016x}\",\n  \"always\": {always},\n  \"never\": {never}\n}}\n")
    }
}
