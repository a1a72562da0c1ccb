//! Frames with parents and children that move together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use nalgebra::{UnitQuaternion, Vector3};

use crate::error::{KineticError, Result};
use crate::pose::{Pose, Wrt};

/// A frame with a pose in its parent frame, or in the world when it hangs on nothing.
///
/// A handle: clones mean the same frame. A frame keeps the frames above it alive, not those that hang on it. Handles may
/// be used from any thread; edits go one after another, and a pose that is read meanwhile is one of before or after.
#[derive(Debug, Clone)]
pub struct CascadedFrame(Arc<FrameNode>);

#[derive(Debug)]
struct FrameNode(RwLock<FrameState>);

#[derive(Debug)]
struct FrameState {
    parent: Option<CascadedFrame>,
    /// In the world when there is no parent.
    parent_from_self: Pose,
    children: Vec<Weak<FrameNode>>,
}

/// Where a child comes to be when it is attached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Attachment {
    /// It stays where it is in the world.
    KeepWorld,
    /// The pose that it had in the world becomes that in its new parent.
    KeepNumbers,
    /// At this pose in its new parent.
    At(Pose),
}

/// Lock of edits. Two threads that attach two frames to each other must not make a ring.
static EDITS: Mutex<()> = Mutex::new(());

impl CascadedFrame {
    /// A frame at a pose in the world.
    pub fn new(world_from_self: Pose) -> Self {
        let state = FrameState { parent: None, parent_from_self: world_from_self, children: Vec::new() };
        Self(Arc::new(FrameNode(RwLock::new(state))))
    }

    /// A number that equal frames share and no two frames that exist at the same time.
    pub fn id(&self) -> u64 {
        Arc::as_ptr(&self.0) as usize as u64
    }

    /// The pose in the parent frame.
    pub fn local_pose(&self) -> Pose {
        self.read().parent_from_self
    }

    /// The pose in the world.
    pub fn world_pose(&self) -> Pose {
        let (mut parent, mut world_from_self) = self.link();
        while let Some(frame) = parent {
            let (above, pose) = frame.link();
            world_from_self = pose * world_from_self;
            parent = above;
        }
        world_from_self
    }

    /// The frame that this one hangs on.
    pub fn parent(&self) -> Option<Self> {
        self.read().parent.clone()
    }

    /// The frames that hang on this one directly, in the order in which they were attached.
    pub fn children(&self) -> Vec<Self> {
        self.read().children.iter().filter_map(Weak::upgrade).map(Self).collect()
    }

    /// The frames that hang on this one directly or through others, each before its own children.
    pub fn descendants(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let mut open = vec![self.clone()];
        while let Some(frame) = open.pop() {
            open.extend(frame.children().into_iter().rev());
            found.push(frame);
        }
        found.remove(0);
        found
    }

    /// A frame of its own where this one is in the world: without parent and children.
    #[must_use]
    pub fn world_copy(&self) -> Self {
        Self::new(self.world_pose())
    }

    /// Hangs `child` on this frame. With `force` a child that hangs on another frame is taken from there.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the child hangs on another frame (without `force`), or is this frame or one
    /// above it.
    pub fn attach(&self, child: &Self, attachment: Attachment, force: bool) -> Result<()> {
        let _edit = edit();
        if std::iter::successors(Some(self.clone()), Self::parent).any(|above| above == *child) {
            let wanted = "a frame other than the new parent and the frames that it hangs on";
            return Err(KineticError::invalid("child", "the parent itself or a frame above it", wanted));
        }
        let world_from_child = child.world_pose();
        if let Some(parent) = child.parent() {
            if parent != *self && !force {
                let wanted = "a frame that hangs on nothing, or force";
                return Err(KineticError::invalid("child", "a frame that hangs on another one", wanted));
            }
            parent.forget(child);
        }
        let pose = match attachment {
            Attachment::KeepWorld => self.world_pose().inverse() * world_from_child,
            Attachment::KeepNumbers => world_from_child,
            Attachment::At(pose) => pose,
        };
        self.write().children.push(Arc::downgrade(&child.0));
        child.set_link(Some(self.clone()), pose);
        Ok(())
    }

    /// Lets a child go; it stays where it is in the world.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a frame that does not hang on this one directly.
    pub fn detach(&self, child: &Self) -> Result<()> {
        let _edit = edit();
        if child.parent().as_ref() != Some(self) {
            let wanted = "a frame that hangs on this one directly";
            return Err(KineticError::invalid("child", "a frame that does not hang on this one", wanted));
        }
        let world_from_child = child.world_pose();
        self.forget(child);
        child.set_link(None, world_from_child);
        Ok(())
    }

    /// Puts the frame at a pose in a reference; what hangs on it moves along. [`Wrt::Local`] and [`Wrt::Parent`] both
    /// mean the frame that it hangs on.
    pub fn set_pose(&self, reference_from_self: &Pose, wrt: Wrt) {
        let _edit = edit();
        let pose = match wrt {
            Wrt::Local | Wrt::Parent => *reference_from_self,
            Wrt::World => self.world_from_parent().inverse() * *reference_from_self,
            Wrt::Frame(frame) => self.world_from_parent().inverse() * frame * *reference_from_self,
        };
        self.write().parent_from_self = pose;
    }

    /// Moves the frame by `offset` (m) along the axes of the reference; its orientation stays.
    pub fn translate(&self, offset: &Vector3<f64>, wrt: Wrt) {
        self.edit_in_world(wrt, |world_from_self, wrt| world_from_self.translated(offset, wrt));
    }

    /// Turns the frame about the axes of the reference; its origin stays.
    pub fn rotate(&self, rotation: &UnitQuaternion<f64>, wrt: Wrt) {
        self.edit_in_world(wrt, |world_from_self, wrt| world_from_self.rotated(rotation, wrt));
    }

    /// Moves the frame by a rigid motion of the reference, see [`Pose::transformed`].
    pub fn transform(&self, motion: &Pose, wrt: Wrt) {
        self.edit_in_world(wrt, |world_from_self, wrt| world_from_self.transformed(motion, wrt));
    }

    /// Moves the frame so that a frame carried along, given by its pose in this one, comes to lie on `target` (world).
    pub fn move_local_to(&self, self_from_local: &Pose, target: &Pose) {
        let _edit = edit();
        let world_from_self = Pose::with_local_at(self_from_local, target);
        self.write().parent_from_self = self.world_from_parent().inverse() * world_from_self;
    }

    /// Applies an edit to the pose in the world, with the parent as a frame there.
    fn edit_in_world(&self, wrt: Wrt, change: impl Fn(&Pose, Wrt) -> Pose) {
        let _edit = edit();
        let world_from_parent = self.world_from_parent();
        let wrt = if wrt == Wrt::Parent { Wrt::Frame(world_from_parent) } else { wrt };
        let pose = world_from_parent.inverse() * change(&self.world_pose(), wrt);
        self.write().parent_from_self = pose;
    }

    fn world_from_parent(&self) -> Pose {
        self.parent().map_or_else(Pose::identity, |parent| parent.world_pose())
    }

    fn link(&self) -> (Option<Self>, Pose) {
        let state = self.read();
        (state.parent.clone(), state.parent_from_self)
    }

    /// Parent and pose change together, so that no reader sees a pose in the wrong frame.
    fn set_link(&self, parent: Option<Self>, parent_from_self: Pose) {
        let mut state = self.write();
        state.parent = parent;
        state.parent_from_self = parent_from_self;
    }

    /// Takes a child, and those that no longer exist, off the list.
    fn forget(&self, child: &Self) {
        let is_other = |other: &Weak<FrameNode>| other.upgrade().is_some_and(|other| !Arc::ptr_eq(&other, &child.0));
        self.write().children.retain(is_other);
    }

    fn read(&self) -> RwLockReadGuard<'_, FrameState> {
        self.0.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, FrameState> {
        self.0.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same frame, not only one at the same place.
impl PartialEq for CascadedFrame {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CascadedFrame {}

fn edit() -> MutexGuard<'static, ()> {
    EDITS.lock().unwrap_or_else(PoisonError::into_inner)
}
