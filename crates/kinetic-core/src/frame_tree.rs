//! Named frames and the latest transforms between them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::{KineticError, Result};
use crate::pose::Pose;

/// A transform between two frames as it was set.
#[derive(Debug, Clone, PartialEq)]
pub struct StampedTransform {
    /// The frame that `parent_from_child` is given in.
    pub parent: String,
    /// The frame whose pose it is.
    pub child: String,
    /// Pose of the child in the parent.
    pub parent_from_child: Pose,
    /// When it was true, s; 0 for a static one.
    pub stamp: f64,
    /// True for a transform that never changes, such as the mount of a sensor.
    pub is_static: bool,
}

/// Per frame its neighbours by name, each with the transform between the two. Every transform stands at both frames.
type Graph = BTreeMap<String, BTreeMap<String, StampedTransform>>;

/// Named frames and the latest transform of each pair of them, set from either side.
///
/// Poses between frames that no transform joins directly are products along the shortest chain of transforms; of equally
/// short ones that through the frames first by name. Share it by reference or `Arc`: any number of threads may look up
/// while one sets, and see each change whole.
#[derive(Debug, Default)]
pub struct FrameTree(RwLock<Graph>);

impl FrameTree {
    /// A tree without frames.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the pose of `child` in `parent` at time `stamp` (s). It replaces whatever was set between the two before, in
    /// this or the other direction: the call that comes last counts, not the largest stamp.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a frame without a name, or in itself.
    pub fn set_transform(
        &self,
        parent: &str,
        child: &str,
        parent_from_child: impl Into<Pose>,
        stamp: f64,
    ) -> Result<()> {
        let transform = checked(parent, child, parent_from_child.into(), stamp, false)?;
        insert(&mut self.write(), transform);
        Ok(())
    }

    /// As [`set_transform`](Self::set_transform), for a transform that never changes: [`update_from_fk`](Self::update_from_fk)
    /// and [`clear_dynamic`](Self::clear_dynamic) leave it.
    ///
    /// # Errors
    /// As [`set_transform`](Self::set_transform).
    pub fn set_static_transform(&self, parent: &str, child: &str, parent_from_child: impl Into<Pose>) -> Result<()> {
        let transform = checked(parent, child, parent_from_child.into(), 0.0, true)?;
        insert(&mut self.write(), transform);
        Ok(())
    }

    /// Sets transforms `(parent, child, parent_from_child)` at one time, all or, after an error, none; readers see either
    /// all or none. A child that hangs on any frame by a static transform keeps that and gets no other.
    ///
    /// # Errors
    /// As [`set_transform`](Self::set_transform).
    pub fn update_from_fk<'a>(
        &self,
        transforms: impl IntoIterator<Item = (&'a str, &'a str, Pose)>,
        stamp: f64,
    ) -> Result<()> {
        let make = |(parent, child, pose)| checked(parent, child, pose, stamp, false);
        let transforms = transforms.into_iter().map(make).collect::<Result<Vec<_>>>()?;
        let mut graph = self.write();
        for transform in transforms {
            if !is_fixed(&graph, &transform) {
                insert(&mut graph, transform);
            }
        }
        Ok(())
    }

    /// The pose of frame `b` in frame `a`, `a_from_b`.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] naming the frame, or [`KineticError::FramesNotConnected`].
    pub fn lookup_transform(&self, a: &str, b: &str) -> Result<Pose> {
        let graph = self.read();
        for name in [a, b] {
            if !graph.contains_key(name) {
                let available = graph.keys().cloned().collect();
                return Err(KineticError::UnknownName { kind: "frame".to_owned(), name: name.to_owned(), available });
            }
        }
        let towards_b = next_towards(&graph, b);
        if !towards_b.contains_key(a) {
            let connected = next_towards(&graph, a).into_keys().map(str::to_owned).collect();
            return Err(KineticError::FramesNotConnected { from: a.to_owned(), to: b.to_owned(), connected });
        }
        let (mut here, mut a_from_here) = (a, Pose::identity());
        while let Some(next) = towards_b.get(here).copied().flatten() {
            a_from_here = a_from_here * graph[here][next].between(here);
            here = next;
        }
        Ok(a_from_here)
    }

    /// True when [`lookup_transform`](Self::lookup_transform) of the two has an answer.
    pub fn has_transform(&self, a: &str, b: &str) -> bool {
        let graph = self.read();
        graph.contains_key(a) && next_towards(&graph, b).contains_key(a)
    }

    /// The transform that joins two frames directly, in the direction in which it was set.
    pub fn direct_transform(&self, a: &str, b: &str) -> Option<StampedTransform> {
        self.read().get(a)?.get(b).cloned()
    }

    /// All transforms as they were set, ordered by child, then by parent.
    pub fn transforms(&self) -> Vec<StampedTransform> {
        let graph = self.read();
        let own = |(frame, neighbours): (&String, &BTreeMap<String, StampedTransform>)| {
            neighbours.values().filter(|transform| transform.child == *frame).cloned().collect::<Vec<_>>()
        };
        graph.iter().flat_map(own).collect()
    }

    /// Names of the frames that some transform names, sorted.
    pub fn list_frames(&self) -> Vec<String> {
        self.read().keys().cloned().collect()
    }

    /// Number of transforms.
    pub fn num_transforms(&self) -> usize {
        self.read().values().map(BTreeMap::len).sum::<usize>() / 2
    }

    /// Removes the transform that joins two frames directly; false when there is none.
    pub fn remove_transform(&self, a: &str, b: &str) -> bool {
        let mut graph = self.write();
        let found = graph.get_mut(a).is_some_and(|neighbours| neighbours.remove(b).is_some());
        if let Some(neighbours) = graph.get_mut(b) {
            neighbours.remove(a);
        }
        graph.retain(|_, neighbours| !neighbours.is_empty());
        found
    }

    /// Removes all transforms but the static ones, and the frames that only they named.
    pub fn clear_dynamic(&self) {
        let mut graph = self.write();
        graph.values_mut().for_each(|neighbours| neighbours.retain(|_, transform| transform.is_static));
        graph.retain(|_, neighbours| !neighbours.is_empty());
    }

    /// Removes everything.
    pub fn clear(&self) {
        self.write().clear();
    }

    /// Every edit checks first and then leaves a whole graph, so that a lock of a thread that panicked can be used.
    fn read(&self) -> RwLockReadGuard<'_, Graph> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Graph> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The transforms as they are at the moment.
impl Clone for FrameTree {
    fn clone(&self) -> Self {
        Self(RwLock::new(self.read().clone()))
    }
}

impl StampedTransform {
    /// The pose of the other of its two frames in frame `here`.
    fn between(&self, here: &str) -> Pose {
        if here == self.parent { self.parent_from_child } else { self.parent_from_child.inverse() }
    }
}

fn checked(
    parent: &str,
    child: &str,
    parent_from_child: Pose,
    stamp: f64,
    is_static: bool,
) -> Result<StampedTransform> {
    if parent.is_empty() || child.is_empty() {
        let given = format!("parent \"{parent}\", child \"{child}\"");
        return Err(KineticError::invalid("frame names", given, "names of at least one letter"));
    }
    if parent == child {
        let wanted = format!("a frame other than its parent \"{parent}\"");
        return Err(KineticError::invalid("child frame", format!("\"{child}\""), wanted));
    }
    parent_from_child.check_finite(&format!("pose of frame \"{child}\" in \"{parent}\""))?;
    crate::error::check_finite("stamp", &[stamp])?;
    let (parent, child) = (parent.to_owned(), child.to_owned());
    Ok(StampedTransform { parent, child, parent_from_child, stamp, is_static })
}

fn insert(graph: &mut Graph, transform: StampedTransform) {
    let (parent, child) = (transform.parent.clone(), transform.child.clone());
    graph.entry(parent.clone()).or_default().insert(child.clone(), transform.clone());
    graph.entry(child).or_default().insert(parent, transform);
}

/// True when a static transform says where the child is, or joins the two in the other direction.
fn is_fixed(graph: &Graph, transform: &StampedTransform) -> bool {
    let Some(neighbours) = graph.get(&transform.child) else { return false };
    let fixes = |other: &StampedTransform| {
        other.is_static && (other.child == transform.child || other.child == transform.parent)
    };
    neighbours.values().any(fixes)
}

/// For every frame that is connected with `goal` the next one on the shortest way there, by breadth-first search from
/// the goal; none for the goal itself.
fn next_towards<'a>(graph: &'a Graph, goal: &'a str) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut next = BTreeMap::new();
    if !graph.contains_key(goal) {
        return next;
    }
    next.insert(goal, None);
    let mut queue = VecDeque::from([goal]);
    while let Some(here) = queue.pop_front() {
        for neighbour in graph.get(here).into_iter().flat_map(BTreeMap::keys) {
            if !next.contains_key(neighbour.as_str()) {
                next.insert(neighbour, Some(here));
                queue.push_back(neighbour);
            }
        }
    }
    next
}
