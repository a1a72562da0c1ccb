//! Path methods: global search or local resolution.

use std::fmt;
use std::str::FromStr;

use kinetic_core::{KineticError, Result};

use crate::solvers::named;

/// How the configurations of a path are chosen, among branches and along self-motions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathMethod {
    /// Together, so that the largest step is least; dead ends that could be avoided are.
    #[default]
    Global,
    /// From pose to pose, each nearest to the one before, without a look ahead: in the time of single calls, for poses that
    /// come one by one, and where the shortest motion from here is wanted. It may run into a limit or a dead end where
    /// another way was open; joint values after a closed path of a redundant arm need not be those before it.
    Local,
}

named!(PathMethod, "method", Global => "global", Local => "local");
