//! Places of the numbers in flat arrays of single precision, for Rust and, as constants in front of every text, for WGSL.
//!
//! Indices are stored as floats, which hold whole numbers up to 2²⁴.

/// Largest whole number up to which single precision holds all of them.
pub(crate) const MAX_INDEX: usize = 1 << 24;

/// Makes constants, and the text that states them in WGSL.
macro_rules! places {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)+) => {
        $($(#[$doc])* pub(crate) const $name: usize = $value;)+

        /// The constants as WGSL.
        fn constants() -> String {
            let places = [$((stringify!($name), $name)),+].map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
            format!("{}const UNCHECKED: f32 = {UNCHECKED:?};\nconst FAR: f32 = {FAR:?};\n", places.concat())
        }
    };
}

places! {
    /// A moving frame: columns of the rotation and translation of `parent_from_frame`, then the following.
    FRAME_STRIDE = 17;
    /// The frame that it hangs on.
    FRAME_PARENT = 12;
    /// 1 for translation along z, 0 for rotation about it.
    FRAME_IS_PRISMATIC = 13;
    /// Index into the configuration.
    FRAME_VARIABLE = 14;
    /// Joint value = multiplier · variable + offset.
    FRAME_MULTIPLIER = 15;
    /// See the multiplier.
    FRAME_OFFSET = 16;
    /// A link: its frame, then `frame_from_link` as columns and translation.
    LINK_STRIDE = 13;
    /// A body: its frame, centre and radius of its bounding sphere, its first sphere and how many there are.
    BODY_STRIDE = 7;
    /// A sphere: centre in the frame, and radius.
    SPHERE_STRIDE = 4;
    /// A pair of bodies: both, and the clearance that they require.
    PAIR_STRIDE = 3;
    /// An obstacle: columns of the rotation and translation of its pose in the root, then the following.
    OBSTACLE_STRIDE = 31;
    /// The kind of its shape.
    OBSTACLE_KIND = 12;
    /// Four sizes: radius; half-extents; radius and half-height; normal and offset.
    OBSTACLE_SIZES = 13;
    /// First node of its field.
    FIELD_FIRST = 17;
    /// Nodes along each axis.
    FIELD_NODES = 18;
    /// Lowest corner of the grid, in the frame of the shape.
    FIELD_LOW = 21;
    /// Distance of neighbouring nodes.
    FIELD_RESOLUTION = 24;
    /// Corners of the box around the shape.
    SHAPE_LOW = 25;
    /// See the lowest corner.
    SHAPE_HIGH = 28;
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
}

/// Required clearance of a body and an obstacle that are not compared.
pub(crate) const UNCHECKED: f32 = 1e30;
/// Slack where nothing can touch.
pub(crate) const FAR: f32 = 1e30;
/// Numbers of a placed frame: columns of the rotation, and the origin.
pub(crate) const PLACED_FLOATS: usize = 12;

/// A text of WGSL behind what all have in front: the places, and forward kinematics.
pub(crate) fn with_kinematics(text: &str) -> String {
    [&constants(), include_str!("shaders/kinematics.wgsl"), text].concat()
}
