//! Prepared objects: the collision geometry of an object, computed once when the object is added.

use std::sync::Arc;

use kinetic_collision::exact::Body;
use kinetic_core::{ContentHash, Result, Shape};

use kinetic_collision_simd::CompoundTree;

/// A prepared shape. Clones share their data.
#[derive(Debug, Clone)]
pub(crate) struct PreparedObject {
    pub(crate) body: Arc<Body>,
    /// Bounding-volume tree of a compound shape.
    pub(crate) tree: Option<Arc<CompoundTree>>,
    /// Hash of the shape.
    pub(crate) hash: ContentHash,
}

impl PreparedObject {
    pub(crate) fn new(shape: &Shape) -> Result<Self> {
        let body = Arc::new(Body::new(shape)?);
        let tree = body.compound().map(|compound| Arc::new(CompoundTree::new(compound)));
        Ok(Self { body, tree, hash: shape.content_hash() })
    }
}
