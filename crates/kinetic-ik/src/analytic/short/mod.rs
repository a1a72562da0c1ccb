//! Arms with fewer than six joints: the components of a pose that they can reach.

mod five;
mod four;
mod newton;
mod three;

pub(super) use five::{FiveArm, turn_about};
pub(super) use four::FourArm;
pub(super) use three::ThreeArm;

/// Axes of the tool in the order in which they are tried: z is the usual approach direction.
const TOOL_AXES: [usize; 3] = [2, 0, 1];
