//! The planning scene: a robot, objects, attached bodies, allowed collisions, and margins.

mod adding;
mod attaching;
mod batch;
mod explaining;
mod incoming;
mod known_robots;
mod margins;
mod model_objects;
mod moving;
mod pool;
mod queries;
mod unchecked;
mod version;
mod world_objects;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{ContentHash, KineticError, Pose, Result, SetHash, Shape};
use kinetic_robot::{PlanningGroup, Robot};

use crate::attachment::Attachment;
use crate::content::objects::Objects;
use crate::content::{Object, SceneContent};
use crate::geometry::RobotGeometry;
pub use attaching::AttachedFrom;
use known_robots::KnownRobot;
use pool::{CheckerPool, DetachedCheckers, HeldElsewhere};

/// Robot, world, attachments, allowed contacts and margins. Allowed collisions and margins are stored by name: they
/// remain valid when an object is attached, removed or replaced. A clone is cheap and independent. The handle to a scene that
/// some edit while others use it is [`LiveScene`](crate::LiveScene).
#[derive(Debug, Clone)]
pub struct Scene {
    pub(crate) content: SceneContent,
    /// Geometry without scales of links.
    unscaled: Arc<RobotGeometry>,
    /// Hash of all objects.
    objects_hash: SetHash,
    /// Hash of all other content, computed at the first query.
    rest_hash: Arc<OnceLock<ContentHash>>,
    /// Pool of checkers for this content, and for others that differ in nothing but the poses of objects.
    pool: Arc<CheckerPool>,
    /// Pool of checkers without obstacles, shared by all versions.
    detached: Arc<DetachedCheckers>,
}

impl Scene {
    /// An empty scene around a robot. Loads the robot's collision geometry, unless a scene around the same [`Arc`] has
    /// lately done so: then the two share it.
    ///
    /// # Errors
    /// What loading meshes reports.
    pub fn new(robot: &Arc<Robot>) -> Result<Self> {
        let KnownRobot { geometry, detached, .. } = KnownRobot::of(robot)?;
        Ok(Self {
            unscaled: Arc::clone(&geometry),
            content: SceneContent::new(robot, geometry),
            objects_hash: SetHash::default(),
            rest_hash: Arc::default(),
            pool: Arc::new(CheckerPool::new(&detached)),
            detached,
        })
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.content.robot
    }

    /// The same scene around another version of its robot: with another tool or default group. The pool of checkers
    /// remains when it is the robot of the scene.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when it is another robot.
    pub fn with_robot(&self, robot: &Arc<Robot>) -> Result<Self> {
        let (own, other) = (&self.content.robot, robot);
        if Arc::ptr_eq(own, other) {
            return Ok(self.clone());
        }
        let is_same = own.links == other.links
            && own.joints == other.joints
            && own.collision == other.collision
            && own.sphere_model == other.sphere_model;
        if !is_same {
            let wanted = format!("a scene of robot \"{}\"", other.name);
            return Err(KineticError::invalid("scene", format!("of robot \"{}\"", own.name), wanted));
        }
        let mut scene = self.clone();
        scene.content.robot = Arc::clone(robot);
        scene.edited();
        Ok(scene)
    }

    /// A clone that does not share the pool of checkers, so that storing it keeps no checker alive.
    #[must_use]
    pub fn without_checkers(&self) -> Self {
        Self { pool: Arc::new(CheckerPool::new(&self.detached)), ..self.clone() }
    }

    /// The robot's collision geometry.
    pub fn geometry(&self) -> &RobotGeometry {
        &self.content.geometry
    }

    /// Marks an edit of anything but objects, after which pooled checkers and hashes are no longer valid.
    fn edited(&mut self) {
        self.rest_hash = Arc::default();
        self.world_edited();
    }

    /// Marks an edit of objects that is more than a move: other shapes or names.
    fn world_edited(&mut self) {
        self.pool = Arc::new(CheckerPool::new(&self.detached));
    }

    /// Adds an object, or replaces the one of that name. The pose is in the robot's root frame.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when a link or attached body has that name, [`KineticError::NotFinite`].
    pub fn add(&mut self, name: &str, shape: Shape, pose: impl Into<Pose>) -> Result<()> {
        let pose = pose.into();
        pose.check_finite(&format!("pose of object \"{name}\""))?;
        self.check_new_name(name)?;
        self.add_object(name, Object::new(shape, pose)?)
    }

    /// As [`add`](Self::add), for an object that is already prepared.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when a link or attached body has that name.
    pub fn add_object(&mut self, name: &str, object: Object) -> Result<()> {
        self.check_new_name(name)?;
        self.put_object(name, Some(object));
        Ok(())
    }

    /// Sets or removes the object of a name.
    pub(crate) fn put_object(&mut self, name: &str, object: Option<Object>) {
        self.forget_octree(name);
        if let Some(object) = &object {
            self.objects_hash.insert(object.hash(name));
        }
        if object.is_none() && self.is_ghost(name) {
            // An object that comes under that name later is solid.
            Arc::make_mut(&mut self.content.allowed).disallow_all(name);
            self.edited();
        }
        let before = match object {
            Some(object) => self.content.objects.insert(name, object),
            None => self.content.objects.remove(name),
        };
        if let Some(before) = before {
            self.objects_hash.remove(before.object.hash(name));
        }
        self.world_edited();
    }

    pub(crate) fn check_new_name(&self, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(KineticError::invalid("object name", "\"\"", "a name of at least one character"));
        }
        // Not by its index: the error of a name that is no link's lists all that are.
        if self.robot().links.iter().any(|link| link.name == name) || self.content.attached.contains_key(name) {
            let wanted = "a name no link or attached body has";
            return Err(KineticError::invalid("object name", format!("{name:?}"), wanted));
        }
        Ok(())
    }

    /// Moves an object.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`] or [`KineticError::NotFinite`].
    pub fn update_pose(&mut self, name: &str, pose: impl Into<Pose>) -> Result<()> {
        let pose = pose.into();
        pose.check_finite(&format!("pose of object \"{name}\""))?;
        let hash = &mut self.objects_hash;
        let is_moved = self.content.objects.update(name, |object| {
            hash.remove(object.hash(name));
            object.pose = pose;
            hash.insert(object.hash(name));
        });
        self.forget_octree(name);
        if is_moved { Ok(()) } else { self.object(name).map(|_| ()) }
    }

    /// Removes an object, or a map; `false` when there is none of that name.
    pub fn remove(&mut self, name: &str) -> bool {
        let removed = self.content.objects.contains_key(name) || self.content.octrees.contains_key(name);
        if removed {
            self.put_object(name, None);
        }
        removed
    }

    /// Removes all objects and maps; attached bodies stay.
    pub fn clear(&mut self) {
        let ghosts: Vec<String> = self.ghosts().map(str::to_owned).collect();
        if !ghosts.is_empty() {
            let allowed = Arc::make_mut(&mut self.content.allowed);
            for name in &ghosts {
                allowed.disallow_all(name);
            }
            self.edited();
        }
        self.content.objects = Objects::default();
        self.content.octrees = Arc::default();
        self.objects_hash = SetHash::default();
        self.world_edited();
    }

    /// An object by name.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`].
    pub fn object(&self, name: &str) -> Result<&Object> {
        self.content.object(name)
    }

    /// All objects in name order.
    pub fn objects(&self) -> &Objects {
        &self.content.objects
    }

    /// All attached bodies in name order.
    pub fn attached(&self) -> &BTreeMap<String, Attachment> {
        &self.content.attached
    }

    /// Sets the values of the fixed joints, those outside a planning group (robot length).
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn hold(&mut self, configuration: &[f64]) -> Result<()> {
        check_len("robot configuration", configuration.len(), self.content.robot.num_variables())?;
        check_finite("robot configuration", configuration)?;
        self.content.held = Arc::new(configuration.to_vec());
        self.edited();
        Ok(())
    }

    /// This scene with the joints outside a group where `q` (robot length) states. Queries about it use one pool of
    /// checkers as long as those joints stand where they stood in the last call.
    ///
    /// # Errors
    /// As [`hold`](Self::hold).
    pub fn holding_outside(&self, group: &PlanningGroup, q: &[f64]) -> Result<Self> {
        check_len("robot configuration", q.len(), self.content.robot.num_variables())?;
        check_finite("robot configuration", q)?;
        let mut held = q.to_vec();
        for variable in &group.variables {
            held[*variable] = self.content.held[*variable];
        }
        Ok(self.held_at(held))
    }

    /// This scene with other values of the fixed joints (robot length).
    fn held_at(&self, configuration: Vec<f64>) -> Self {
        let HeldElsewhere { held, pool, rest_hash } = self.pool.elsewhere(configuration);
        let content = SceneContent { held, ..self.content.clone() };
        Self { content, rest_hash, pool, ..self.clone() }
    }

    /// As [`hold`](Self::hold), for one joint by name.
    ///
    /// # Errors
    /// [`KineticError::JointNotFound`] for a name that no active joint has, or [`KineticError::NotFinite`].
    pub fn hold_joint(&mut self, joint: &str, value: f64) -> Result<()> {
        check_finite(&format!("value of joint \"{joint}\""), &[value])?;
        let robot = &self.content.robot;
        let names = robot.active_joints.iter().map(|index| robot.joints[*index].name.as_str());
        let Some(variable) = names.clone().position(|name| name == joint) else {
            let available = names.map(str::to_owned).collect();
            return Err(KineticError::JointNotFound { name: joint.to_owned(), available });
        };
        Arc::make_mut(&mut self.content.held)[variable] = value;
        self.edited();
        Ok(())
    }

    /// Values of the fixed joints, those outside a planning group (robot length).
    pub fn held(&self) -> &[f64] {
        &self.content.held
    }
}
