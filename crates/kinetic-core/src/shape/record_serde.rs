//! Records of shapes in serde's formats, alone or as an object with other keys.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::record::{RecordValue, ShapeRecord};

/// Names of fields in serde's formats, where they differ: those that robot documents have always had.
const SERIALIZED_NAMES: [(&str, &str); 2] = [("faces", "triangles"), ("solid", "is_solid")];

/// What an object says besides the record of a shape.
pub trait BesideShape: Default {
    /// The key under which the kind of the shape stands.
    const KIND: &'static str;
    /// All other keys.
    const KEYS: &'static [&'static str];

    /// Reads the value of one of [`KEYS`](Self::KEYS).
    ///
    /// # Errors
    /// Those of the format.
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;

    /// The first key that is needed and was not read.
    fn missing(&self) -> Option<&'static str> {
        None
    }
}

/// The record of a shape and what stands beside it in the same object. Unknown keys are refused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WithShape<T> {
    /// The shape.
    pub record: ShapeRecord,
    /// The other keys.
    pub beside: T,
}

/// A record alone.
#[derive(Default)]
struct Alone;

impl BesideShape for Alone {
    const KIND: &'static str = "kind";
    const KEYS: &'static [&'static str] = &[];

    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, _: &mut A) -> Result<(), A::Error> {
        Err(A::Error::unknown_field(key, ShapeRecord::NAMES))
    }
}

impl<'de> Deserialize<'de> for ShapeRecord {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        WithShape::<Alone>::deserialize(from).map(|object| object.record)
    }
}

impl<'de, T: BesideShape> Deserialize<'de> for WithShape<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: BesideShape> Visitor<'de> for ObjectVisitor<T> {
    type Value = WithShape<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}` and the sizes of a shape", T::KIND)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut record, mut beside, mut has_kind) = (ShapeRecord::default(), T::default(), false);
        while let Some(key) = map.next_key_seed(Key::<T>(PhantomData))? {
            if key == T::KIND {
                if has_kind {
                    return Err(A::Error::duplicate_field(T::KIND));
                }
                (record.kind, has_kind) = (map.next_value()?, true);
            } else if T::KEYS.contains(&key) {
                beside.read(key, &mut map)?;
            } else {
                record.read(key, &mut map)?;
            }
        }
        match (has_kind, beside.missing()) {
            (true, None) => Ok(WithShape { record, beside }),
            (true, Some(key)) => Err(A::Error::missing_field(key)),
            (false, _) => Err(A::Error::missing_field(T::KIND)),
        }
    }
}

/// Reads a key that an object may have; formats then know where an unknown one stands.
struct Key<T>(PhantomData<T>);

impl<'de, T: BesideShape> DeserializeSeed<'de> for Key<T> {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<&'static str, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl<T: BesideShape> Visitor<'_> for Key<T> {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, given: &str) -> Result<&'static str, E> {
        let known = || std::iter::once(&T::KIND).chain(T::KEYS).chain(ShapeRecord::NAMES).copied();
        known().find(|key| *key == given).ok_or_else(|| {
            let known: Vec<String> = known().map(|key| format!("`{key}`")).collect();
            E::custom(format!("unknown field `{given}`, expected one of {}", known.join(", ")))
        })
    }
}

impl Serialize for ShapeRecord {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields();
        let mut map = to.serialize_map(Some(1 + fields.len()))?;
        map.serialize_entry("kind", &self.kind)?;
        for (name, value) in fields {
            let name = SERIALIZED_NAMES.iter().find(|(known, _)| *known == name).map_or(name, |(_, other)| other);
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

impl Serialize for RecordValue<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Flag(flag) => flag.serialize(to),
            Self::Number(number) => number.serialize(to),
            Self::Numbers(numbers) => numbers.serialize(to),
            Self::Points(points) => points.serialize(to),
            Self::Faces(faces) => faces.serialize(to),
            Self::Rows(rows) => rows.serialize(to),
            Self::Cells(cells) => cells.serialize(to),
        }
    }
}
