//! The table of planners: one row each.

use std::fmt;
use std::str::FromStr;

use kinetic_core::{KineticError, Minimise, Result};

use crate::planner_spec::PlannerSpec;
use crate::planners::{aorrtc, rrt_connect};

/// Makes the [`PlannerType`] variants, [`PLANNERS`] and the way from one to the other out of one list.
macro_rules! planners {
    ($($variant:ident => $spec:path,)+) => {
        /// The planners of the registry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub enum PlannerType {
            /// The planner that [`PlannerType::resolved`] picks.
            #[default]
            Auto,
            $(
                #[doc = concat!("See [`", stringify!($spec), "`].")]
                $variant,
            )+
        }

        /// All planners, the default one first.
        pub static PLANNERS: &[&PlannerSpec] = &[$(&$spec),+];

        const TYPES: &[PlannerType] = &[$(PlannerType::$variant),+];

        impl PlannerType {
            /// The row of this planner; for [`Auto`](Self::Auto), of the planner it stands for.
            pub fn spec(self) -> &'static PlannerSpec {
                match self.resolved() {
                    $(Self::$variant => &$spec,)+
                    Self::Auto => PLANNERS[0],
                }
            }
        }
    };
}

planners! {
    RRTConnect => rrt_connect::SPEC,
    AORRTC => aorrtc::SPEC,
}

/// The name of [`PlannerType::Auto`].
const AUTO: &str = "auto";

impl PlannerType {
    /// The planner that does the work, where nothing is to be made small: [`Auto`](Self::Auto) stands for
    /// [`RRTConnect`](Self::RRTConnect), the others for themselves.
    #[must_use]
    pub fn resolved(self) -> Self {
        self.resolved_for(None)
    }

    /// The planner that does the work: [`Auto`](Self::Auto) stands for [`RRTConnect`](Self::RRTConnect), or for
    /// [`AORRTC`](Self::AORRTC) where [something is to be made small](kinetic_core::PlannerConfig::minimise); the others stand for
    /// themselves. The one place where `auto` gets its meaning.
    #[must_use]
    pub fn resolved_for(self, minimise: Option<Minimise>) -> Self {
        match (self, minimise) {
            (Self::Auto, None) => Self::RRTConnect,
            (Self::Auto, Some(_)) => Self::AORRTC,
            (named, _) => named,
        }
    }

    /// The name in every language and file: `auto` or the [`id`](PlannerSpec::id) of the row.
    pub fn id(self) -> &'static str {
        if self == Self::Auto { AUTO } else { self.spec().id }
    }

    /// Every name that parses.
    pub fn names() -> Vec<String> {
        std::iter::once(AUTO).chain(PLANNERS.iter().map(|spec| spec.id)).map(str::to_owned).collect()
    }
}

impl fmt::Display for PlannerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for PlannerType {
    type Err = KineticError;

    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    fn from_str(name: &str) -> Result<Self> {
        std::iter::once(Self::Auto).chain(TYPES.iter().copied()).find(|planner| planner.id() == name).ok_or_else(|| {
            KineticError::UnknownName { kind: "planner".to_owned(), name: name.to_owned(), available: Self::names() }
        })
    }
}
