//! Places in flat arrays of four numbers each, for Rust and, as constants in front of every text, for WGSL.
//!
//! Fours are what GPUs load at once. Indices are stored as floats, which hold whole numbers up to 2²⁴. Spheres (centre, radius)
//! and pairs (two bodies, required clearance) have one element each.

/// An element of an array.
pub(crate) type Four = [f32; 4];

/// Largest whole number up to which single precision holds all of them.
pub(crate) const MAX_INDEX: usize = 1 << 24;

/// Makes constants, and the text that states them in WGSL.
macro_rules! places {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)+) => {
        $($(#[$doc])* pub(crate) const $name: usize = $value;)+

        /// The constants as WGSL.
        fn constants() -> String {
            let places = [$((stringify!($name), $name)),+].map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
            let numbers = NUMBERS.map(|(name, value)| format!("const {name}: f32 = {value:?};\n"));
            places.concat() + &numbers.concat()
        }
    };
}

places! {
    /// A moving frame: the rows of `parent_from_frame`, then the parent, whether it slides, its variable and multiplier, then
    /// its offset: joint value = multiplier · variable + offset.
    FRAME_STRIDE = 5;
    /// A link: the rows of `frame_from_link`, then its frame.
    LINK_STRIDE = 4;
    /// A body: centre and radius of its bounding sphere, then its frame, its first sphere and how many there are.
    BODY_STRIDE = 2;
    /// The inertia of a frame: first moment and mass, then second moments xx, xy, xz, then yy, yz, zz.
    INERTIA_STRIDE = 3;
    /// A frame of inverse dynamics, among intermediate results: angular velocity and sine of the joint's angle; angular
    /// acceleration and cosine; acceleration and what the joint slides by; force; torque.
    MOTION_STRIDE = 5;
    /// A variable of inverse kinematics, among intermediate results: value, weight, derivative of the slack; linear part, angular part
    /// of its column.
    VARIABLE_STRIDE = 3;
    /// An obstacle: the rows of `shape_from_root`, then the following.
    OBSTACLE_STRIDE = 9;
    /// Radius; half-extents; radius and half-height; normal and offset.
    OBSTACLE_SIZES = 3;
    /// Kind of the shape, first node of its field, and distance of neighbouring nodes.
    OBSTACLE_KIND = 4;
    /// Nodes of the field along each axis.
    FIELD_NODES = 5;
    /// Lowest corner of the grid, in the frame of the shape.
    FIELD_LOW = 6;
    /// Corners of the box around the shape.
    SHAPE_LOW = 7;
    /// See the lowest corner.
    SHAPE_HIGH = 8;
    /// Kinds of obstacles.
    KIND_SPHERE = 0;
    /// See the first kind.
    KIND_CUBOID = 1;
    /// See the first kind.
    KIND_CAPSULE = 2;
    /// See the first kind.
    KIND_CYLINDER = 3;
    /// See the first kind.
    KIND_HALF_SPACE = 4;
    /// A voxel grid of signed distances.
    KIND_FIELD = 5;
    /// Numbers of an answer before its gradient: least slack, kind of pair, and two indices.
    NEAREST_FLOATS = 4;
    /// Kinds of pairs: nothing can touch, a body and an obstacle, two bodies.
    PAIR_NONE = 0;
    /// See the first kind.
    PAIR_WORLD = 1;
    /// See the first kind.
    PAIR_OWN = 2;
    /// The driver ended the search.
    PAIR_UNFINISHED = 3;
    /// Lanes of a workgroup at most: what all drivers allow, and a multiple of the width of all GPUs.
    MAX_LANES = 64;
    /// Changes that L-BFGS remembers.
    MEMORY = 8;
    /// Numbers in front of the array of a trajectory optimisation: clearance, slack that is enough, largest change of a control
    /// point, and step of time between samples.
    PLAN_HEAD = 4;
    /// Numbers of a place in an interval of a spline: weights of its four control points in position, velocity, acceleration.
    PLACE_FLOATS = 12;
    /// Numbers of a joint: its weight in the metric, and the scales of the accelerations and of the inverse Hessian.
    JOINT_FLOATS = 3;
    /// Numbers of an optimised trajectory before its control points: cost, least slack, iterations, and whether it is done.
    SPLINE_HEAD = 4;
    /// Rows of the state of a seed, one number per variable each: the deviation of the control points from the straight line.
    STATE_VALUES = 0;
    /// See the first row: gradient of the cost.
    STATE_GRADIENT = 1;
    /// See the first row: last change.
    STATE_CHANGE = 2;
    /// See the first row: last change of the gradient.
    STATE_DIFFERENCE = 3;
    /// See the first row: direction before the initial inverse Hessian.
    STATE_DIRECTION = 4;
    /// See the first row: direction behind it.
    STATE_PRODUCT = 5;
    /// See the first row: changes that are remembered.
    STATE_STEPS = 6;
    /// See the first row: changes of the gradient that are remembered.
    STATE_DIFFERENCES = 14;
    /// Rows of the state.
    STATE_ROWS = 22;
    /// Sizes of a scene in a trajectory optimisation.
    SPLINE_SCENE_SIZES = 26;
    /// Sizes of a distance field: the pass, 0 along z, 1 along y, 2 along x.
    SDF_PASS = 0;
    /// The first node of the dispatch, in the tile.
    SDF_FIRST = 1;
    /// Nodes of the tile along each axis.
    SDF_TILE_NODES = 2;
    /// The lowest node of the tile, among those of all cells.
    SDF_TILE_FIRST = 5;
    /// First and last node of the box along z, of which the tile is a part.
    SDF_BOX_Z = 8;
    /// Cells along x and y.
    SDF_CELLS = 10;
    /// Words of a column of cells, of 32 bits.
    SDF_WORDS = 12;
    /// Steps at which distances end.
    SDF_LIMIT = 13;
    /// The limit of a field without one.
    SDF_UNLIMITED = u32::MAX as usize;
    /// The place of the sizes of its scene for a seed that is not computed any more.
    NO_SCENE = 0;
}

/// Required clearance of a body and an obstacle that are not compared.
pub(crate) const UNCHECKED: f32 = 1e30;
/// Slack where nothing can touch.
pub(crate) const FAR: f32 = 1e30;
/// Half a turn, the bound of random starts of joints without limits.
pub(crate) const HALF_TURN: f32 = std::f32::consts::PI;
/// A range of values that is no limit.
pub(crate) const UNBOUNDED: f32 = 1e29;
/// Damping of the first step of inverse kinematics, and its bounds.
pub(crate) const FIRST_DAMPING: f32 = 1e-2;
/// See the first damping.
pub(crate) const LEAST_DAMPING: f32 = 1e-7;
/// See the first damping.
pub(crate) const MOST_DAMPING: f32 = 1e2;
/// Squared error, m² + rad², at which single precision has nothing more to find.
pub(crate) const SOLVED_COST: f32 = 1e-10;
/// Slack beyond which inverse kinematics looks for no more, m: above what single precision and the last steps change.
pub(crate) const CLEAR_SLACK: f32 = 1e-3;
/// Witness points that are slower than this, in m per duration of the trajectory, are passed by no arc that could be bent.
pub(crate) const SLOWEST: f32 = 1e-4;
/// Changes along which the curvature is less than this part of the lengths are forgotten: sums in single precision hold no more.
pub(crate) const LEAST_CURVATURE: f32 = 1e-6;
/// The numbers above as WGSL has them.
const NUMBERS: [(&str, f32); 11] = [
    ("UNCHECKED", UNCHECKED),
    ("FAR", FAR),
    ("HALF_TURN", HALF_TURN),
    ("UNBOUNDED", UNBOUNDED),
    ("FIRST_DAMPING", FIRST_DAMPING),
    ("LEAST_DAMPING", LEAST_DAMPING),
    ("MOST_DAMPING", MOST_DAMPING),
    ("SOLVED_COST", SOLVED_COST),
    ("CLEAR_SLACK", CLEAR_SLACK),
    ("SLOWEST", SLOWEST),
    ("LEAST_CURVATURE", LEAST_CURVATURE),
];
/// Numbers of a placed frame: the rows of a 3 × 4 matrix.
pub(crate) const PLACED_FLOATS: usize = 12;

/// A text of WGSL behind forward kinematics, distances and bodies.
pub(crate) fn with_distances(text: &str) -> String {
    with_kinematics(&[include_str!("shaders/distances.wgsl"), include_str!("shaders/bodies.wgsl"), text].concat())
}

/// A text of WGSL behind those, and the search of tightest pairs.
pub(crate) fn with_tightest_pair(text: &str) -> String {
    with_distances(&[include_str!("shaders/tightest_pair.wgsl"), text].concat())
}

/// A text of WGSL behind the places and forward kinematics.
pub(crate) fn with_kinematics(text: &str) -> String {
    with_places(&[include_str!("shaders/kinematics.wgsl"), text].concat())
}

/// A text of WGSL behind what all have in front: the places.
pub(crate) fn with_places(text: &str) -> String {
    constants() + text
}
