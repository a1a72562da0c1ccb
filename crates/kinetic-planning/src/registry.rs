//! The table of planners: one row each.

use std::fmt;
use std::str::FromStr;

use kinetic_core::{KineticError, PlannerConfig, Result};

use crate::planner_spec::PlannerSpec;
use crate::planners::{
    aorrtc, bi_rrt_star, bitrrt, cbirrt, chomp, est, gcs, kpiece, prm, prm_star, rrt_connect, rrt_star, stomp, trajopt,
};
use crate::registered;

/// Makes the [`PlannerType`] variants, [`PLANNERS`] and the way from one to the other out of one list.
macro_rules! planners {
    ($($variant:ident => $spec:path,)+) => {
        /// The planners.
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
            /// One of the caller's own, by [`register_planner`] or as a [value](crate::Planner::with_algorithm).
            Own(&'static PlannerSpec),
        }

        /// All planners, the default one first.
        pub static PLANNERS: &[&PlannerSpec] = &[$(&$spec),+];

        const TYPES: &[PlannerType] = &[$(PlannerType::$variant),+];

        impl PlannerType {
            /// The row of this planner; for [`Auto`](Self::Auto), of the planner it stands for.
            pub fn spec(self) -> &'static PlannerSpec {
                match self.resolved() {
                    $(Self::$variant => &$spec,)+
                    Self::Own(spec) => spec,
                    Self::Auto => PLANNERS[0],
                }
            }
        }
    };
}

planners! {
    RRTConnect => rrt_connect::SPEC,
    AORRTC => aorrtc::SPEC,
    CBiRRT => cbirrt::SPEC,
    RRTStar => rrt_star::SPEC,
    BiRRTStar => bi_rrt_star::SPEC,
    EST => est::SPEC,
    KPIECE => kpiece::SPEC,
    BiTRRT => bitrrt::SPEC,
    CHOMP => chomp::SPEC,
    STOMP => stomp::SPEC,
    TRAJOPT => trajopt::SPEC,
    GCS => gcs::SPEC,
    PRM => prm::SPEC,
    PRMStar => prm_star::SPEC,
}

/// The name of [`PlannerType::Auto`].
const AUTO: &str = "auto";

impl PlannerType {
    /// The planner that does the work, where nothing is to be made small: [`Auto`](Self::Auto) stands for
    /// [`RRTConnect`](Self::RRTConnect), the others for themselves.
    #[must_use]
    pub fn resolved(self) -> Self {
        self.resolved_for(&PlannerConfig::default())
    }

    /// The planner that does the work: [`Auto`](Self::Auto) stands for [`RRTConnect`](Self::RRTConnect), for
    /// [`CBiRRT`](Self::CBiRRT) under [constraints](PlannerConfig::constraints), for [`BiTRRT`](Self::BiTRRT) where configurations
    /// [cost](PlannerConfig::state_cost) something, or for [`AORRTC`](Self::AORRTC) where
    /// [something is to be made small](PlannerConfig::minimise); the others stand for themselves. The one place where `auto` gets
    /// its meaning.
    #[must_use]
    pub fn resolved_for(self, config: &PlannerConfig) -> Self {
        match (self, config.constraints.is_empty(), config.minimise) {
            (Self::Auto, true, _) if config.state_cost.is_some() => Self::BiTRRT,
            (Self::Auto, true, None) => Self::RRTConnect,
            (Self::Auto, true, Some(_)) => Self::AORRTC,
            (Self::Auto, false, _) => Self::CBiRRT,
            (named, ..) => named,
        }
    }

    /// The name in every language and file: `auto` or the [`id`](PlannerSpec::id) of the row.
    pub fn id(self) -> &'static str {
        if self == Self::Auto { AUTO } else { self.spec().id }
    }

    /// Every name that parses; those that were [registered](register_planner) come last.
    pub fn names() -> Vec<String> {
        Self::all().map(|planner| planner.id().to_owned()).collect()
    }

    /// Whether its name parses, so that files can name it. Planners of the caller's own have to be
    /// [registered](register_planner) for that.
    pub fn has_name(self) -> bool {
        Self::all().any(|planner| planner == self)
    }

    fn all() -> impl Iterator<Item = Self> {
        let registered = registered::planners().into_iter().map(Self::Own);
        std::iter::once(Self::Auto).chain(TYPES.iter().copied()).chain(registered)
    }
}

/// Registers a planner of the caller's own for the rest of the process: from then on its name parses, in planners,
/// problem files and on the command line.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a name that another planner has, or that is not of lower-case letters, digits and
/// underscores, with a letter first.
pub fn register_planner(spec: PlannerSpec) -> Result<PlannerType> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !(spec.id.starts_with(|c: char| c.is_ascii_lowercase()) && spec.id.chars().all(is_plain)) {
        let wanted = "lower-case letters, digits and underscores, a letter first";
        return Err(KineticError::invalid("name of a planner", format!("\"{}\"", spec.id), wanted));
    }
    let is_built_in = spec.id == AUTO || PLANNERS.iter().any(|row| row.id == spec.id);
    let id = spec.id;
    registered::add(spec, is_built_in).map(PlannerType::Own).ok_or_else(|| {
        let wanted = format!("one that no planner has; these are taken: {}", PlannerType::names().join(", "));
        KineticError::invalid("name of a planner", format!("\"{id}\""), wanted)
    })
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
        Self::all()
            .find(|planner| planner.id() == name)
            .ok_or_else(|| KineticError::unknown_name("planner", name, Self::names()))
    }
}
