//! Attached bodies: bodies that the robot carries.

use std::sync::Arc;

use kinetic_core::{ContentHash, Payload, Pose, Result, Shape};

use crate::link_geometry::LinkGeometry;

/// A body that moves with a link.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// Its shape.
    pub shape: Shape,
    /// Pose in the link, `link_from_shape`.
    pub link_from_shape: Pose,
    /// Index of the link that carries it.
    pub link: usize,
    /// Links it may touch besides the one that carries it.
    pub touch_links: Vec<usize>,
    /// Objects whose margins towards it were made smaller when it was attached beside them, with those margins, m.
    pub(crate) released: Vec<(String, f64)>,
    /// Mass, centre of mass and tensor in the frame of the shape, where they are known: for torques.
    pub payload: Option<Payload>,
    /// Collision geometry in the frame of the link, prepared once for all checkers.
    geometry: Arc<LinkGeometry>,
    shape_hash: ContentHash,
}

impl Attachment {
    /// A body on a link.
    pub(crate) fn new(shape: Shape, link_from_shape: Pose, link: usize, touch_links: Vec<usize>) -> Result<Self> {
        let geometry = Arc::new(LinkGeometry::of_attached(&shape, &link_from_shape)?);
        let shape_hash = shape.content_hash();
        Ok(Self {
            shape,
            link_from_shape,
            link,
            touch_links,
            released: Vec::new(),
            payload: None,
            geometry,
            shape_hash,
        })
    }

    pub(crate) fn shape_hash(&self) -> ContentHash {
        self.shape_hash
    }

    pub(crate) fn geometry(&self) -> &LinkGeometry {
        &self.geometry
    }
}
