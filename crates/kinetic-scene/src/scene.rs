//! The scene: a robot, objects around it, bodies it carries, and pairs that may touch.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_collision::AllowedCollisionMatrix;
use kinetic_core::config::WorkspaceBounds;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Pair, Pose, Result, Shape};
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::attachment::Attachment;
use crate::checker::{Checker, Contact, Margins};
use crate::geometry::{RobotGeometry, build_checker};
use crate::pairs::LIMIT_ROOM;
use crate::prepared::PreparedObject;

/// An object of the world.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its shape.
    pub shape: Shape,
    /// Pose in the robot's root frame, `root_from_shape`.
    pub pose: Pose,
    /// What checkers look at; made once.
    pub(crate) prepared: PreparedObject,
}

impl Object {
    /// A shape at a pose, prepared for checks: what takes time about adding a large mesh.
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

/// Robot, world, attachments and allowed contacts. Edited, then shared: a clone is cheap and independent.
#[derive(Debug, Clone)]
pub struct Scene {
    robot: Arc<Robot>,
    geometry: Arc<RobotGeometry>,
    objects: Arc<BTreeMap<String, Object>>,
    attached: Arc<BTreeMap<String, Attachment>>,
    allowed: Arc<AllowedCollisionMatrix>,
    held: Arc<Vec<f64>>,
    version: u64,
}

impl Scene {
    /// An empty scene around a robot. Loads the robot's collision geometry.
    ///
    /// # Errors
    /// What loading meshes reports.
    pub fn new(robot: &Arc<Robot>) -> Result<Self> {
        Ok(Self {
            robot: Arc::clone(robot),
            geometry: Arc::new(RobotGeometry::new(robot)?),
            objects: Arc::default(),
            attached: Arc::default(),
            allowed: Arc::default(),
            held: Arc::new(robot.neutral_configuration()),
            version: 0,
        })
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// The same scene around another version of its robot: with another tool or default group.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when it is another robot.
    pub fn with_robot(&self, robot: &Arc<Robot>) -> Result<Self> {
        let (own, other) = (&self.robot, robot);
        let is_same = Arc::ptr_eq(own, other)
            || (own.links == other.links
                && own.joints == other.joints
                && own.collision == other.collision
                && own.sphere_model == other.sphere_model);
        if !is_same {
            let wanted = format!("a scene of robot \"{}\"", other.name);
            return Err(KineticError::invalid("scene", format!("of robot \"{}\"", own.name), wanted));
        }
        Ok(Self { robot: Arc::clone(robot), ..self.clone() })
    }

    /// The robot's collision geometry.
    pub fn geometry(&self) -> &RobotGeometry {
        &self.geometry
    }

    /// Counts edits; equal versions of clones of one scene hold the same content.
    pub fn version(&self) -> u64 {
        self.version
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

    /// As [`add`](Self::add), of an object that is prepared already.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when a link or attached body has that name.
    pub fn add_object(&mut self, name: &str, object: Object) -> Result<()> {
        self.check_new_name(name)?;
        Arc::make_mut(&mut self.objects).insert(name.to_owned(), object);
        self.version += 1;
        Ok(())
    }

    fn check_new_name(&self, name: &str) -> Result<()> {
        let taken = self.robot.link_index(name).is_ok() || self.attached.contains_key(name);
        if taken || name.is_empty() {
            return Err(KineticError::invalid(
                "object name",
                format!("{name:?}"),
                "a name no link or attached body has",
            ));
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
        self.object(name)?;
        if let Some(object) = Arc::make_mut(&mut self.objects).get_mut(name) {
            object.pose = pose;
        }
        self.version += 1;
        Ok(())
    }

    /// Removes an object; `false` when there is none of that name.
    pub fn remove(&mut self, name: &str) -> bool {
        let removed = self.objects.contains_key(name) && Arc::make_mut(&mut self.objects).remove(name).is_some();
        self.version += u64::from(removed);
        removed
    }

    /// Removes all objects; attached bodies stay.
    pub fn clear(&mut self) {
        self.objects = Arc::default();
        self.version += 1;
    }

    /// An object by name.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`].
    pub fn object(&self, name: &str) -> Result<&Object> {
        let available = || self.objects.keys().cloned().collect();
        self.objects
            .get(name)
            .ok_or_else(|| KineticError::ObjectNotFound { name: name.to_owned(), available: available() })
    }

    /// All objects in name order.
    pub fn objects(&self) -> &BTreeMap<String, Object> {
        &self.objects
    }

    /// All attached bodies in name order.
    pub fn attached(&self) -> &BTreeMap<String, Attachment> {
        &self.attached
    }

    /// Attaches a new body to a link. It is checked against the world and against all links except `link` and
    /// `touch_links`.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`], [`KineticError::InvalidValue`] for a name in use, an unbounded shape or one that is
    /// no solid.
    pub fn attach(
        &mut self,
        name: &str,
        shape: Shape,
        link_from_shape: impl Into<Pose>,
        link: &str,
        touch_links: &[&str],
    ) -> Result<()> {
        let link_from_shape = link_from_shape.into();
        link_from_shape.check_finite(&format!("grasp transform of \"{name}\""))?;
        self.check_new_name(name)?;
        if self.objects.contains_key(name) {
            return Err(KineticError::invalid("attached body name", name, "a name no object has; or attach_existing"));
        }
        if matches!(shape, Shape::HalfSpace { .. }) {
            return Err(KineticError::invalid("attached shape", "half_space", "a bounded shape"));
        }
        let link = self.robot.link_index(link)?;
        let touch_links = touch_links.iter().map(|touch| self.robot.link_index(touch)).collect::<Result<_>>()?;
        let attachment = Attachment::new(shape, link_from_shape, link, touch_links)?;
        Arc::make_mut(&mut self.attached).insert(name.to_owned(), attachment);
        self.version += 1;
        Ok(())
    }

    /// Turns an object into an attached body that keeps its pose when the robot stands at `q` (default group or robot
    /// length).
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`], [`KineticError::LinkNotFound`], or errors of `q`.
    pub fn attach_existing(&mut self, name: &str, link: &str, q: &[f64], touch_links: &[&str]) -> Result<()> {
        let object = self.object(name)?.clone();
        let link_index = self.robot.link_index(link)?;
        let root_from_link = self.link_poses(q)?[link_index];
        let mut edited = self.clone();
        edited.remove(name);
        edited.attach(name, object.shape, root_from_link.inverse() * object.pose, link, touch_links)?;
        *self = edited;
        Ok(())
    }

    /// Turns an attached body into an object at `pose` (root frame); `false` when there is none of that name.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`].
    pub fn detach(&mut self, name: &str, pose: impl Into<Pose>) -> Result<bool> {
        let pose = pose.into();
        pose.check_finite(&format!("pose of object \"{name}\""))?;
        let Some(body) = self.attached.get(name).cloned() else {
            return Ok(false);
        };
        Arc::make_mut(&mut self.attached).remove(name);
        self.add(name, body.shape, pose)?;
        Ok(true)
    }

    /// Lets two things touch: links, objects or attached bodies.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`] for a name that nothing has.
    pub fn allow_collision(&mut self, a: &str, b: &str) -> Result<()> {
        self.check_known(a)?;
        self.check_known(b)?;
        Arc::make_mut(&mut self.allowed).allow(a, b);
        self.version += 1;
        Ok(())
    }

    /// Takes back [`allow_collision`](Self::allow_collision).
    ///
    /// # Errors
    /// As [`allow_collision`](Self::allow_collision).
    pub fn disallow_collision(&mut self, a: &str, b: &str) -> Result<()> {
        self.check_known(a)?;
        self.check_known(b)?;
        Arc::make_mut(&mut self.allowed).disallow(a, b);
        self.version += 1;
        Ok(())
    }

    fn check_known(&self, name: &str) -> Result<()> {
        if self.objects.contains_key(name) || self.attached.contains_key(name) || self.robot.link_index(name).is_ok() {
            return Ok(());
        }
        let objects = self.objects.keys().chain(self.attached.keys()).cloned();
        let links = self.robot.links.iter().map(|link| link.name.clone());
        Err(KineticError::ObjectNotFound { name: name.to_owned(), available: objects.chain(links).collect() })
    }

    /// Pairs that were allowed to touch.
    pub fn allowed(&self) -> &AllowedCollisionMatrix {
        &self.allowed
    }

    /// Sets where the joints outside a planning group stand (robot length).
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn hold(&mut self, configuration: &[f64]) -> Result<()> {
        check_len("robot configuration", configuration.len(), self.robot.num_variables())?;
        check_finite("robot configuration", configuration)?;
        self.held = Arc::new(configuration.to_vec());
        self.version += 1;
        Ok(())
    }

    /// Where the joints outside a planning group stand (robot length).
    pub fn held(&self) -> &[f64] {
        &self.held
    }

    /// A checker for a planning group, of the scene as it is now, for any configuration.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`], or [`KineticError::InvalidValue`] for a margin that is negative or not finite.
    pub fn checker(&self, group: &str, margins: Margins) -> Result<Checker> {
        check_margins(margins)?;
        self.build(group, margins, None, false)
    }

    /// As [`checker`](Self::checker), for configurations inside the joint limits only: links that are proven not to
    /// touch there are not looked at, except for their distance. The tool's origin may be bound to a box.
    ///
    /// # Errors
    /// As [`checker`](Self::checker).
    pub fn checker_within(
        &self,
        group: &str,
        margins: Margins,
        workspace: Option<&WorkspaceBounds>,
    ) -> Result<Checker> {
        check_margins(margins)?;
        self.build(group, margins, workspace, true)
    }

    /// `is_inside` promises that configurations are inside the limits of the group's joints.
    fn build(
        &self,
        group: &str,
        margins: Margins,
        workspace: Option<&WorkspaceBounds>,
        is_inside: bool,
    ) -> Result<Checker> {
        let is_inside = is_inside && self.is_inside_limits(&self.held);
        build_checker(self, self.robot.group(group)?, margins, workspace, is_inside)
    }

    fn is_inside_limits(&self, full: &[f64]) -> bool {
        full.iter().zip(&self.robot.joint_limits).all(|(value, limits)| limits.contains(*value, LIMIT_ROOM))
    }

    /// A plain-contact checker of the default group, with the other joints as the first configuration (if it has robot
    /// length) says, and the configurations in group length.
    fn contact_checker<const N: usize>(&self, configurations: [&[f64]; N]) -> Result<(Checker, [Vec<f64>; N])> {
        let group = &self.robot.groups[self.robot.default_group];
        let mut full = [const { Vec::new() }; N];
        let mut short = [const { Vec::new() }; N];
        for (index, q) in configurations.into_iter().enumerate() {
            full[index] = self.full(q)?;
            short[index] = self.robot.group_configuration(group, &full[index])?.0;
        }
        let is_inside = full.iter().all(|full| self.is_inside_limits(full));
        let held = full.into_iter().next().map_or_else(|| Arc::clone(&self.held), Arc::new);
        let scene = Self { held, ..self.clone() };
        Ok((scene.build(&group.name, Margins::ZERO, None, is_inside)?, short))
    }

    /// Robot-length configuration from default-group or robot length.
    fn full(&self, q: &[f64]) -> Result<Vec<f64>> {
        let group = &self.robot.groups[self.robot.default_group];
        let short = self.robot.group_configuration(group, q)?;
        let mut full = if q.len() == self.robot.num_variables() { q.to_vec() } else { self.held.to_vec() };
        for (variable, value) in group.variables.iter().zip(short.iter()) {
            full[*variable] = *value;
        }
        Ok(full)
    }

    /// Pose of every link in the root frame, in link order.
    ///
    /// # Errors
    /// Errors of `q` (default group or robot length).
    pub fn link_poses(&self, q: &[f64]) -> Result<Vec<Pose>> {
        let full = self.full(q)?;
        let all: Vec<usize> = (0..full.len()).collect();
        Ok(JointProgram::compile(&self.robot, &all, &full).link_poses(&full))
    }

    /// True when anything touches at `q` (default group or robot length; no margin).
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn check_collision(&self, q: &[f64]) -> Result<bool> {
        let (mut checker, [q]) = self.contact_checker([q])?;
        Ok(!checker.is_free(&q))
    }

    /// Least signed distance between robot and world at `q`, m; infinite in an empty scene.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn min_distance(&self, q: &[f64]) -> Result<f64> {
        let (mut checker, [q]) = self.contact_checker([q])?;
        Ok(checker.world_distance(&q).0)
    }

    /// Pairs closer than `margin` at `q`, nearest first.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn contacts(&self, q: &[f64], margin: f64) -> Result<Vec<Contact>> {
        let (mut checker, [q]) = self.contact_checker([q])?;
        Ok(checker.contacts(&q, margin))
    }

    /// Pairs of the robot's own bodies that touch at `q`.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn self_collision(&self, q: &[f64]) -> Result<Vec<Pair>> {
        let (mut checker, [q]) = self.contact_checker([q])?;
        Ok(checker.self_contacts(&q))
    }

    /// First contact on the straight joint-space segment, as a fraction in [0, 1]; `None` when it is proven free.
    ///
    /// # Errors
    /// Errors of the configurations.
    pub fn check_motion(&self, from: &[f64], to: &[f64]) -> Result<Option<f64>> {
        let (mut checker, [from, to]) = self.contact_checker([from, to])?;
        Ok(checker.first_contact(&from, &to).map(|(t, _)| t))
    }
}

fn check_margins(margins: Margins) -> Result<()> {
    for (name, value) in [("collision_margin", margins.world), ("self_margin", margins.own)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(KineticError::invalid(name, value, "a finite number of at least 0 (m)"));
        }
    }
    Ok(())
}
