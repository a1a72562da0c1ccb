//! Action chunks: a few targets ahead that a learned policy gives several times per second (Zhao et al. 2023, *Learning
//! Fine-Grained Bimanual Manipulation with Low-Cost Hardware*), joined to one target that moves continuously.
//!
//! A chunk is a natural cubic spline through its targets. It takes over from the chunk before at its first time, or when it
//! comes, if that is later, along a blend with continuous velocity and acceleration. What an earlier chunk says of later
//! times is forgotten then.

mod blend;
mod chunk;
mod joint_chunk;
mod stream;
mod tool_chunk;

pub(crate) use joint_chunk::JointChunk;
pub(crate) use stream::ChunkStream;
pub(crate) use tool_chunk::{ToolChunk, ToolTarget};
