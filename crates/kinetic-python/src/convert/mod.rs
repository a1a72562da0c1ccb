//! The only place that turns Python into Rust and back.
//!
//! Arguments are newtypes whose extraction refuses what cannot be used, with the errors of kinetic. Their
//! `INPUT_TYPE` and `OUTPUT_TYPE` are what the stubs show.

mod axes;
mod base;
mod cells;
mod keywords;
mod numbers;
mod out;
mod output;
mod points;
mod pose;
mod scalar;

pub(crate) use axes::{AxisArg, DirectionArg, MaskArg, Tolerances, Triple, Triples, WrtArg};
pub(crate) use base::BaseArg;
pub(crate) use cells::Cells;
pub(crate) use keywords::{Call, Keyword, Keywords, about, given_keyword, given_twice, keywords, unexpected};
pub(crate) use numbers::{Matrix, Numbers, PerJoint, Vector};
pub(crate) use out::Out;
pub(crate) use output::{
    Array, Arrays, Dict, Dicts, FLOAT_ARRAY, Indices, Mask, OptionalDicts, PoseDict, Rebuild, Tuple, output, rebuild,
};
pub(crate) use points::{Depth, Points, over_values, slice};
pub(crate) use pose::{ChunkArg, MatrixArg, PoseArg, PoseList, PoseOrPosition, PoseParts, PyPose, TranslationOrPose};
pub(crate) use scalar::{Count, Counts, File, Paths, Real, Seed, Source, Text, Texts, TimeLaw, Whole};

/// What errors call a single value, and an array, while it is read: the reader does not know for which argument it stands.
const ARGUMENT: &str = "argument";
const ARRAY_ARGUMENT: &str = "array argument";
