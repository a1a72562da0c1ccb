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
            [$((stringify!($name), $name)),+].map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).concat()
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
}

/// Numbers of a placed frame: columns of the rotation, and the origin.
pub(crate) const PLACED_FLOATS: usize = 12;

/// A text of WGSL behind what all have in front: the places, and forward kinematics.
pub(crate) fn with_kinematics(text: &str) -> String {
    [&constants(), include_str!("shaders/kinematics.wgsl"), text].concat()
}
