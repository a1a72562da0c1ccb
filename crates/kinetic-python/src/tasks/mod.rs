//! Task problems: several wishes at once.

pub(crate) mod builders;
pub(crate) mod function;
pub(crate) mod initial;
pub(crate) mod keywords;
pub(crate) mod problem;
pub(crate) mod result;
pub(crate) mod robot;
