//! Numbers in JSON, which has no infinity: `"infinite"` stands for it, `null` for none.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const INFINITE: &str = "infinite";

#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Number(f64),
    Text(String),
}

#[expect(clippy::ref_option, reason = "the signature that serde calls")]
pub(crate) fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_some_and(f64::is_infinite) { INFINITE.serialize(serializer) } else { value.serialize(serializer) }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match Option::deserialize(deserializer)? {
        None => Ok(None),
        Some(Stored::Number(value)) => Ok(Some(value)),
        Some(Stored::Text(text)) if text == INFINITE => Ok(Some(f64::INFINITY)),
        Some(Stored::Text(text)) => Err(D::Error::custom(format!("\"{text}\"; wanted a number or \"{INFINITE}\""))),
    }
}

/// The same for a number that is always there.
pub(crate) mod number {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        super::serialize(&Some(*value), serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        super::deserialize(deserializer)?.ok_or_else(|| D::Error::custom("null; wanted a number or \"infinite\""))
    }
}

/// The same for limits that may be infinite on either side.
pub(crate) mod signed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{INFINITE, Stored};

    const LOWEST: &str = "-infinite";

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        match *value {
            f64::INFINITY => INFINITE.serialize(serializer),
            f64::NEG_INFINITY => LOWEST.serialize(serializer),
            finite => finite.serialize(serializer),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Stored::deserialize(deserializer)? {
            Stored::Number(value) => Ok(value),
            Stored::Text(text) if text == INFINITE => Ok(f64::INFINITY),
            Stored::Text(text) if text == LOWEST => Ok(f64::NEG_INFINITY),
            Stored::Text(text) => Err(D::Error::custom(format!("\"{text}\"; wanted a number or \"{INFINITE}\""))),
        }
    }
}
