//! Registry of the 6R classes that code is generated for: one row each.

use kinetic_ik::analytic::registry::REVERSED;

use super::source::{Items, Source};

/// What makes up the files of a class.
#[derive(Clone, Copy)]
pub(super) struct Class {
    /// Type of the solver.
    pub(super) solver: &'static str,
    /// Files of the library that only some classes need, and linear algebra beyond vectors.
    pub(super) rust: fn() -> Vec<Source>,
    /// Templates that only some classes need.
    pub(super) python: &'static [&'static str],
}

/// A file of closed forms.
macro_rules! library {
    ($path:literal) => {
        library!($path, Items::Without(&[]))
    };
    ($path:literal, $items:expr) => {
        Source { path: $path, text: include_str!(concat!("../../kinetic-ik/src/analytic/", $path)), items: $items }
    };
}
pub(super) use library;

/// A file of forward kinematics.
macro_rules! kinematics {
    ($path:literal, $items:expr) => {
        Source { path: $path, text: include_str!(concat!("../../kinetic-kinematics/src/", $path)), items: $items }
    };
}
pub(super) use kinematics;

/// A file that only generated solvers have.
macro_rules! standalone {
    ($path:literal) => {
        Source {
            path: concat!("standalone/", $path),
            text: include_str!(concat!("standalone/", $path)),
            items: Items::Without(&[]),
        }
    };
}
pub(super) use standalone;

const SPHERICAL: Class = Class {
    solver: "SphericalWrist",
    rust: || {
        let mut sources = vec![
            library!("six/spherical.rs", Items::Without(&["fn new", "fn constants"])),
            library!("six/shoulder.rs", Items::Without(&["fn new"])),
            library!("subproblems/sp5.rs", Items::Only(&["fn sp5_equations"])),
        ];
        sources.extend(subproblems());
        sources
    },
    python: &[SUBPROBLEMS, SHOULDER, include_str!("numpy/spherical.py")],
};

/// Name in the registry, without its ending for the other direction.
const CLASSES: [(&str, Class); 6] = [
    (
        "six_r.three_parallel",
        Class {
            solver: "ThreeParallel",
            rust: || {
                let mut sources = vec![
                    library!("six/three_parallel.rs", Items::Without(&["fn new", "fn constants"])),
                    library!("six/planar.rs", Items::Without(&["fn new"])),
                    library!("subproblems/sp6.rs"),
                ];
                sources.extend(subproblems());
                sources
            },
            python: &[SUBPROBLEMS, include_str!("numpy/three_parallel.py")],
        },
    ),
    ("six_r.spherical_two_parallel", SPHERICAL),
    ("six_r.spherical_two_intersecting", SPHERICAL),
    ("six_r.spherical", SPHERICAL),
    (
        "six_r.spherical_elbow",
        Class {
            solver: "SphericalElbow",
            rust: || {
                let mut sources = vec![
                    library!("six/elbow.rs", Items::Without(&["fn new", "fn constants"])),
                    library!(
                        "six/spherical.rs",
                        Items::Without(&[
                            "struct SphericalWrist",
                            "impl SphericalWrist",
                            "impl SixJointSolver",
                            "fn new"
                        ])
                    ),
                    library!("six/shoulder.rs"),
                    standalone!("nearest_point.rs"),
                    library!("subproblems/sp5.rs", Items::Only(&["fn sp5_equations"])),
                ];
                sources.extend(subproblems());
                sources
            },
            python: &[SUBPROBLEMS, SHOULDER, include_str!("numpy/elbow.py")],
        },
    ),
    (
        "six_r.general",
        Class {
            solver: "General",
            rust: || {
                const GENERAL_SET_UP: &[&str] = &[
                    "fn new",
                    "fn untested",
                    "fn prepare",
                    "fn finds_itself",
                    "fn constants",
                    "const TEST_CONFIGURATIONS",
                    "const MOST_ELIMINATED_BRANCHES",
                ];
                vec![
                    library!("six/general.rs", Items::Without(GENERAL_SET_UP)),
                    library!("six/general/system.rs"),
                    library!("six/line.rs", Items::Without(&["fn of"])),
                    library!("six/cone.rs", Items::Only(&["fn across"])),
                    library!("eigen.rs"),
                    standalone!("elimination.rs"),
                ]
            },
            python: &[include_str!("numpy/general.py")],
        },
    ),
];

pub(super) const SUBPROBLEMS: &str = include_str!("numpy/subproblems.py");
pub(super) const SHOULDER: &str = include_str!("numpy/shoulder.py");

pub(super) fn subproblems() -> Vec<Source> {
    vec![
        library!("six/cone.rs", Items::Without(&["fn new"])),
        library!("subproblems/circles.rs"),
        library!("subproblems/linear.rs"),
        library!("subproblems/mod.rs"),
        library!("roots.rs"),
    ]
}

/// Rotations and translations, without what only the library needs.
pub(super) fn rigid() -> Source {
    const OF_THE_LIBRARY: &[&str] =
        &["impl Default", "fn rotated_z", "fn moved_z", "fn write_matrix", "fn to_pose", "impl From"];
    kinematics!("rigid.rs", Items::Without(OF_THE_LIBRARY))
}

/// What every file has.
pub(super) fn common() -> Vec<Source> {
    vec![
        library!(
            "six/mod.rs",
            Items::Without(&["struct Reversed", "impl SixJointSolver for Reversed", "fn constants"])
        ),
        library!(
            "dh_chain.rs",
            Items::Without(&["fn to", "fn of", "fn reached", "const CROSSED_AXES_SINE", "impl Constant"])
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
        library!("poe.rs", Items::Only(&["struct Screw", "impl Screw", "fn inverse"])),
        kinematics!("frame.rs", Items::Only(&["enum Motion"])),
        library!("policy.rs", Items::Only(&["struct TolerancePolicy"])),
        rigid(),
        library!("cos_sin.rs"),
        library!("array_vec.rs", Items::Without(&["fn truncate", "fn storage", "impl<T: PartialEq"])),
        standalone!("linear_algebra.rs"),
    ]
}

/// The row of a solver, whichever direction it reads the arm in.
pub(super) fn find(solver_name: &str) -> Option<Class> {
    let name = solver_name.strip_suffix(REVERSED).unwrap_or(solver_name);
    CLASSES.iter().find(|(class, _)| *class == name).map(|(_, class)| *class)
}
