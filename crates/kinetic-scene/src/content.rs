//! The content of a scene: robot, objects, attached bodies, allowed collisions, margins and the joints outside a group.

pub(crate) mod objects;

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_collision::AllowedCollisionMatrix;
use kinetic_core::{KineticError, Pose, Result, Shape};
use kinetic_perception::Octree;
use kinetic_robot::Robot;

use crate::attachment::Attachment;
use crate::geometry::RobotGeometry;
use crate::margins::MarginModel;
use crate::prepared::PreparedObject;
use crate::tolerance::LIMIT_TOLERANCE_RAD_M;
use objects::Objects;

/// An object of the world.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its shape.
    pub shape: Shape,
    /// Pose in the robot's root frame, `root_from_shape`.
    pub pose: Pose,
    /// Data of checkers, prepared once.
    pub(crate) prepared: PreparedObject,
}

impl Object {
    /// A shape at a pose, prepared for checks. For a large mesh the preparation takes most of the time of adding it.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`] for a pose with NaN or infinity.
    pub fn new(shape: Shape, pose: impl Into<Pose>) -> Result<Self> {
        let pose = pose.into();
        pose.check_finite("pose of an object")?;
        let prepared = PreparedObject::new(&shape)?;
        Ok(Self { shape, pose, prepared })
    }
}

/// The content of a scene. Clones share their data.
#[derive(Debug, Clone)]
pub(crate) struct SceneContent {
    pub(crate) robot: Arc<Robot>,
    pub(crate) geometry: Arc<RobotGeometry>,
    pub(crate) objects: Objects,
    /// Maps whose occupied cells are the objects of the same names.
    pub(crate) octrees: Arc<BTreeMap<String, Arc<Octree>>>,
    pub(crate) attached: Arc<BTreeMap<String, Attachment>>,
    pub(crate) allowed: Arc<AllowedCollisionMatrix>,
    pub(crate) margins: Arc<MarginModel>,
    /// Values of the fixed joints, those outside a planning group (robot length).
    pub(crate) held: Arc<Vec<f64>>,
}

impl SceneContent {
    /// An empty scene around a robot.
    pub(crate) fn new(robot: &Arc<Robot>, geometry: Arc<RobotGeometry>) -> Self {
        Self {
            robot: Arc::clone(robot),
            geometry,
            objects: Objects::default(),
            octrees: Arc::default(),
            attached: Arc::default(),
            allowed: Arc::default(),
            margins: Arc::default(),
            held: Arc::new(robot.neutral_configuration()),
        }
    }

    /// An object by name.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`].
    pub(crate) fn object(&self, name: &str) -> Result<&Object> {
        let available = || self.objects.keys().cloned().collect();
        self.objects
            .get(name)
            .ok_or_else(|| KineticError::ObjectNotFound { name: name.to_owned(), available: available() })
    }

    /// Whether a configuration of the robot is inside the joint limits.
    pub(crate) fn is_inside_limits(&self, full: &[f64]) -> bool {
        full.iter().zip(&self.robot.joint_limits).all(|(value, limits)| limits.contains(*value, LIMIT_TOLERANCE_RAD_M))
    }
}
