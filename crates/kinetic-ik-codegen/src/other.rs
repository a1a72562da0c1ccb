//! Registry of the classes with another number of joints than six that code is generated for: one row each.
//!
//! Their files hold the library's own search over the self-motion, too, each part in a module of its own.

use super::class::{self, SHOULDER, SUBPROBLEMS, kinematics, library, rigid, standalone, subproblems};
use super::source::{Items, Source};

/// What makes up the files of an arm.
pub(super) struct Other {
    /// Type of the solver.
    pub(super) solver: &'static str,
    /// Files of the library, each a module.
    pub(super) modules: Vec<Source>,
    /// Linear algebra and what stands for the rest of the library.
    pub(super) around: Vec<Source>,
    /// Templates.
    pub(super) python: Vec<&'static str>,
}

/// A class, and whether its solver uses one of six joints, whose name then follows its own.
struct ClassEntry {
    name: &'static str,
    uses_six: bool,
    solver: &'static str,
    modules: fn() -> Vec<Source>,
    python: &'static [&'static str],
}

const ENTRIES: [ClassEntry; 6] = [
    ClassEntry {
        name: "seven_r.srs",
        uses_six: false,
        solver: "Swivel",
        modules: || {
            let mut sources = subproblems();
            sources.push(library!("redundant/swivel.rs", Items::Without(&["fn new", "fn data"])));
            sources.push(library!(
                "six/spherical.rs",
                Items::Without(&["struct SphericalWrist", "impl SphericalWrist", "impl SixJointSolver", "fn new"])
            ));
            sources
        },
        python: &[SUBPROBLEMS, SHOULDER, include_str!("numpy/swivel.py")],
    },
    LOCKED_SEVEN,
    ClassEntry { name: "long.locked", ..LOCKED_SEVEN },
    ClassEntry {
        name: "five_r.position_axis",
        uses_six: true,
        solver: "FiveArm",
        modules: || {
            const FIVE_SET_UP: &[&str] =
                &["fn new", "fn with_turn", "fn turn_about", "fn mobility", "const LEAST_MOBILITY_RATIO", "fn data"];
            vec![library!("short/five.rs", Items::Without(FIVE_SET_UP))]
        },
        python: &[include_str!("numpy/five.py")],
    },
    ClassEntry {
        name: "four_r.position_pitch",
        uses_six: false,
        solver: "FourArm",
        modules: || {
            let mut sources = subproblems();
            sources
                .push(library!("short/four.rs", Items::Without(&["fn new", "fn data", "const MOSTLY_ACROSS_COSINE"])));
            sources.push(library!("short/newton.rs"));
            sources.push(library!("six/planar.rs", Items::Without(&["fn new"])));
            sources
        },
        python: &[SUBPROBLEMS, NEWTON, include_str!("numpy/four.py")],
    },
    ClassEntry {
        name: "three_r.position",
        uses_six: false,
        solver: "ThreeArm",
        modules: || {
            const THREE_SET_UP: &[&str] = &[
                "fn new",
                "fn moves_in_space",
                "const SPATIAL_TEST_CONFIGURATIONS",
                "const FLAT_DETERMINANT_RATIO",
                "fn data",
            ];
            let mut sources = subproblems();
            sources.push(library!("short/three.rs", Items::Without(THREE_SET_UP)));
            sources.push(library!("short/newton.rs"));
            sources.push(library!("six/shoulder.rs", Items::Without(&["fn new"])));
            sources.push(library!("subproblems/sp5.rs", Items::Only(&["fn sp5_equations"])));
            sources
        },
        python: &[SUBPROBLEMS, SHOULDER, NEWTON, include_str!("numpy/three.py")],
    },
];

const LOCKED_SEVEN: ClassEntry = ClassEntry {
    name: "seven_r.locked",
    uses_six: true,
    solver: "Locked",
    modules: || {
        const LOCKED_SET_UP: &[&str] =
            &["fn new", "enum Fit", "impl Fit", "fn range", "const LOCKED_SAMPLES", "fn data"];
        vec![library!("redundant/locked.rs", Items::Without(LOCKED_SET_UP))]
    },
    python: &[include_str!("numpy/locked.py")],
};

const NEWTON: &str = include_str!("numpy/newton.py");

/// What every one of these files has.
fn common() -> Vec<Source> {
    vec![
        library!("branches.rs"),
        library!("check.rs", Items::Without(&["fn new", "fn dh_chain", "fn expect_difference", "fn constants"])),
        library!("dh_chain.rs", Items::Without(&["fn to", "fn of", "const CROSSED_AXES_SINE", "impl Constant"])),
        library!("array_vec.rs", Items::Without(&["fn storage"])),
        library!("policy.rs", Items::Only(&["struct TolerancePolicy"])),
        library!(
            "poe.rs",
            Items::Without(&[
                "fn from_chain",
                "fn new",
                "fn reversed",
                "const UNIT_LENGTH_TOLERANCE",
                "fn is_coupled",
                "fn coupled"
            ])
        ),
        library!(
            "angles.rs",
            Items::Only(&[
                "fn wrapped",
                "const LIMIT_TOLERANCE_RAD_M",
                "fn onto",
                "fn into_limits",
                "const EQUALLY_NEAR_RAD"
            ])
        ),
        kinematics!("frame.rs", Items::Only(&["enum Motion"])),
        library!("redundant/grid.rs"),
        rigid(),
        library!("branch_search.rs", Items::Without(&["fn solutions", "fn configurations"])),
        library!("solution.rs", Items::Only(&["enum Refinement"])),
        library!("solver.rs", Items::Without(&["impl Parameters", "fn constants", "fn data"])),
        library!("six/mod.rs", Items::Without(&["fn constants"])),
        library!("cos_sin.rs"),
    ]
}

/// The six joints that a solver uses, by the name of their class.
fn six(name: &str) -> Option<(Vec<Source>, &'static [&'static str])> {
    const SIX_SET_UP: &[&str] =
        &["const MISFIT_CONFIGURATIONS", "fn new", "fn misfit", "fn nearly", "fn backed_by", "fn constants", "fn data"];
    let class = class::find(name)?;
    let mut sources = (class.rust)();
    sources.push(library!("six/arm.rs", Items::Without(SIX_SET_UP)));
    Some((sources, class.python))
}

/// Whether a class of the registry is one of these.
pub(super) fn is_known(class: &str) -> bool {
    ENTRIES.iter().any(|entry| entry.name == class)
}

/// Whether the name of a solver begins with one of these.
pub(super) fn begins(solver_name: &str) -> bool {
    ENTRIES.iter().any(|entry| solver_name.starts_with(entry.name))
}

/// The row of a solver, with what the class of six joints needs whose name follows.
pub(super) fn find(solver_name: &str) -> Option<Other> {
    let entry = ENTRIES.iter().find(|entry| solver_name.starts_with(entry.name))?;
    let rest = solver_name[entry.name.len()..].trim_start_matches('.');
    let (mut sources, templates): (_, &[_]) = if entry.uses_six { six(rest)? } else { (Vec::new(), &[]) };
    let mut python = templates.to_vec();
    sources.extend((entry.modules)());
    sources.extend(common());
    python.extend(entry.python);
    let mut around = vec![standalone!("sweep.rs"), standalone!("linear_algebra.rs")];
    if entry.uses_six {
        around.push(standalone!("held.rs"));
    }
    let (standalone, modules): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| source.path.starts_with("standalone/"));
    around.extend(standalone);
    Some(Other { solver: entry.solver, modules, around, python })
}
