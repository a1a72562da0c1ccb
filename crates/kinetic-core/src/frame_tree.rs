//! Named frames and the transforms between them: the latest, and those of a time.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::{KineticError, Result, check_finite};
use crate::pose::Pose;
use crate::stamped_history::{Around, StampedHistory};

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

/// The transforms, and per pair of frames what was before.
#[derive(Debug, Clone, Default)]
struct Frames {
    graph: Graph,
    /// By the names of two frames in order.
    histories: BTreeMap<(String, String), PairHistory>,
    /// How long transforms are kept, s.
    history: f64,
}

/// The poses of a frame in its parent over time. The direction is that in which the first was set, since what is between two poses is
/// another motion seen from the other frame.
#[derive(Debug, Clone)]
struct PairHistory {
    parent: String,
    child: String,
    poses: StampedHistory<Pose>,
}

/// Named frames and the latest transform of each pair of them, set from either side; on request also those before, for lookups at the
/// time of a measurement.
///
/// Poses between frames that no transform joins directly are products along the shortest chain of transforms; of equally
/// short ones that through the frames first by name. Share it by reference or `Arc`: any number of threads may look up
/// while one sets, and see each change whole.
///
/// ```
/// use kinetic_core::{FrameTree, Pose};
///
/// let tree = FrameTree::with_history(10.0)?;
/// tree.set_transform("base", "tool", Pose::from_xyz(0.0, 0.0, 1.0), 5.0)?;
/// tree.set_transform("base", "tool", Pose::from_xyz(0.0, 0.0, 2.0), 6.0)?;
/// assert_eq!(tree.lookup_transform_at("base", "tool", 5.5)?.translation().z, 1.5);
/// assert!(tree.lookup_transform_at("base", "tool", 6.5).is_err());
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Default)]
pub struct FrameTree(RwLock<Frames>);

impl FrameTree {
    /// A tree without frames that keeps the latest transforms only.
    pub fn new() -> Self {
        Self::default()
    }

    /// A tree without frames that keeps, for each pair of them, the transforms of the last `seconds` before the newest one, and at most
    /// 65,536.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a time that is negative or not finite.
    pub fn with_history(seconds: f64) -> Result<Self> {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(KineticError::invalid("history", seconds, "a finite number of at least 0 (s)"));
        }
        Ok(Self(RwLock::new(Frames { history: seconds, ..Frames::default() })))
    }

    /// How long transforms are kept, s.
    pub fn history(&self) -> f64 {
        self.read().history
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
        self.write().insert(transform);
        Ok(())
    }

    /// As [`set_transform`](Self::set_transform), for a transform that never changes: [`update_from_fk`](Self::update_from_fk)
    /// and [`clear_dynamic`](Self::clear_dynamic) leave it.
    ///
    /// # Errors
    /// As [`set_transform`](Self::set_transform).
    pub fn set_static_transform(&self, parent: &str, child: &str, parent_from_child: impl Into<Pose>) -> Result<()> {
        let transform = checked(parent, child, parent_from_child.into(), 0.0, true)?;
        self.write().insert(transform);
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
        let mut frames = self.write();
        for transform in transforms {
            if !is_fixed(&frames.graph, &transform) {
                frames.insert(transform);
            }
        }
        Ok(())
    }

    /// The pose of frame `b` in frame `a`, `a_from_b`, by the latest transforms.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] naming the frame, or [`KineticError::FramesNotConnected`].
    pub fn lookup_transform(&self, a: &str, b: &str) -> Result<Pose> {
        let frames = self.read();
        product(&frames.graph, a, b, |here, next| Ok(frames.graph[here][next].between(here)))
    }

    /// The pose of frame `b` in frame `a` at a time (s): along the chain of [`lookup_transform`](Self::lookup_transform), each
    /// transform between those before and after that time, the translation on a line and the rotation at a constant rate. Static
    /// transforms are those of any time.
    ///
    /// # Errors
    /// As [`lookup_transform`](Self::lookup_transform); [`KineticError::InvalidValue`] for a time that a transform of the chain does
    /// not cover: nothing is extrapolated.
    pub fn lookup_transform_at(&self, a: &str, b: &str, stamp: f64) -> Result<Pose> {
        check_finite("stamp", &[stamp])?;
        let frames = self.read();
        product(&frames.graph, a, b, |here, next| frames.between_at(here, next, stamp))
    }

    /// The latest time at which [`lookup_transform_at`](Self::lookup_transform_at) of two frames may have an answer, s: the least of
    /// the newest stamps along the chain. `None` where nothing or static transforms only connect them.
    pub fn latest_common_time(&self, a: &str, b: &str) -> Option<f64> {
        let frames = self.read();
        let newest = Cell::new(None);
        let found = product(&frames.graph, a, b, |here, next| {
            let stamp =
                frames.histories.get(&in_order(here, next)).and_then(|pair| pair.poses.span()).map(|span| span.1);
            newest.set(stamp.map(|stamp| newest.get().map_or(stamp, |other: f64| other.min(stamp))).or(newest.get()));
            Ok(Pose::identity())
        });
        found.ok().and_then(|_| newest.get())
    }

    /// True when [`lookup_transform`](Self::lookup_transform) of the two has an answer.
    pub fn has_transform(&self, a: &str, b: &str) -> bool {
        let frames = self.read();
        frames.graph.contains_key(a) && next_towards(&frames.graph, b).contains_key(a)
    }

    /// The transform that joins two frames directly, in the direction in which it was set.
    pub fn direct_transform(&self, a: &str, b: &str) -> Option<StampedTransform> {
        self.read().graph.get(a)?.get(b).cloned()
    }

    /// All transforms as they were set, ordered by child, then by parent.
    pub fn transforms(&self) -> Vec<StampedTransform> {
        let frames = self.read();
        let own = |(frame, neighbours): (&String, &BTreeMap<String, StampedTransform>)| {
            neighbours.values().filter(|transform| transform.child == *frame).cloned().collect::<Vec<_>>()
        };
        frames.graph.iter().flat_map(own).collect()
    }

    /// All transforms that are kept, by pair of frames and ascending in time: those that are not static.
    pub fn stamped_transforms(&self) -> Vec<StampedTransform> {
        let frames = self.read();
        let of_pair = |PairHistory { parent, child, poses }: &PairHistory| {
            let stamped = |(stamp, pose): &(f64, Pose)| StampedTransform {
                parent: parent.clone(),
                child: child.clone(),
                parent_from_child: *pose,
                stamp: *stamp,
                is_static: false,
            };
            poses.entries().map(stamped).collect::<Vec<_>>()
        };
        frames.histories.values().flat_map(of_pair).collect()
    }

    /// Names of the frames that some transform names, sorted.
    pub fn list_frames(&self) -> Vec<String> {
        self.read().graph.keys().cloned().collect()
    }

    /// Number of transforms.
    pub fn num_transforms(&self) -> usize {
        self.read().graph.values().map(BTreeMap::len).sum::<usize>() / 2
    }

    /// Removes the transform that joins two frames directly; false when there is none.
    pub fn remove_transform(&self, a: &str, b: &str) -> bool {
        let mut frames = self.write();
        frames.histories.remove(&in_order(a, b));
        let graph = &mut frames.graph;
        let found = graph.get_mut(a).is_some_and(|neighbours| neighbours.remove(b).is_some());
        if let Some(neighbours) = graph.get_mut(b) {
            neighbours.remove(a);
        }
        graph.retain(|_, neighbours| !neighbours.is_empty());
        found
    }

    /// Removes all transforms but the static ones, and the frames that only they named.
    pub fn clear_dynamic(&self) {
        let mut frames = self.write();
        frames.histories.clear();
        let graph = &mut frames.graph;
        for neighbours in graph.values_mut() {
            neighbours.retain(|_, transform| transform.is_static);
        }
        graph.retain(|_, neighbours| !neighbours.is_empty());
    }

    /// Removes everything.
    pub fn clear(&self) {
        let mut frames = self.write();
        *frames = Frames { history: frames.history, ..Frames::default() };
    }

    /// Every edit checks first and then leaves a whole graph, so that a lock of a thread that panicked can be used.
    fn read(&self) -> RwLockReadGuard<'_, Frames> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Frames> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The transforms and their history as they are at the moment.
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
    check_finite("stamp", &[stamp])?;
    let (parent, child) = (parent.to_owned(), child.to_owned());
    Ok(StampedTransform { parent, child, parent_from_child, stamp, is_static })
}

impl Frames {
    /// Sets a transform; one that is static ends the history of its frames.
    fn insert(&mut self, transform: StampedTransform) {
        let (parent, child) = (transform.parent.clone(), transform.child.clone());
        let pair = in_order(&parent, &child);
        if transform.is_static {
            self.histories.remove(&pair);
        } else {
            let begun =
                || PairHistory { parent: parent.clone(), child: child.clone(), poses: StampedHistory::default() };
            let history = self.histories.entry(pair).or_insert_with(begun);
            let pose = transform.between(&history.parent);
            history.poses.insert(transform.stamp, pose, self.history);
        }
        self.graph.entry(parent.clone()).or_default().insert(child.clone(), transform.clone());
        self.graph.entry(child).or_default().insert(parent, transform);
    }

    /// The pose of frame `next` in frame `here`, which a transform joins, at a time.
    fn between_at(&self, here: &str, next: &str, stamp: f64) -> Result<Pose> {
        let latest = &self.graph[here][next];
        let Some(history) = self.histories.get(&in_order(here, next)) else { return Ok(latest.between(here)) };
        let found = match history.poses.around(stamp) {
            Some(Around::At(pose)) => *pose,
            Some(Around::Between(before, after, ratio)) => before.slerp(after, ratio),
            None => {
                let (first, last) = history.poses.span().unwrap_or((latest.stamp, latest.stamp));
                let cover = format!("which the transforms of \"{here}\" and \"{next}\" cover");
                return Err(KineticError::invalid("stamp", stamp, format!("between {first} and {last} s, {cover}")));
            }
        };
        Ok(if here == history.parent { found } else { found.inverse() })
    }
}

/// Two names in order, by which histories are kept.
fn in_order(a: &str, b: &str) -> (String, String) {
    if a < b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
}

/// The product of `between(here, next)` along the shortest chain of transforms from frame `a` to frame `b`.
fn product(graph: &Graph, a: &str, b: &str, between: impl Fn(&str, &str) -> Result<Pose>) -> Result<Pose> {
    for name in [a, b] {
        if !graph.contains_key(name) {
            return Err(KineticError::unknown_name("frame", name, graph.keys()));
        }
    }
    let towards_b = next_towards(graph, b);
    if !towards_b.contains_key(a) {
        let connected = next_towards(graph, a).into_keys().map(str::to_owned).collect();
        return Err(KineticError::FramesNotConnected { from: a.to_owned(), to: b.to_owned(), connected });
    }
    let (mut here, mut a_from_here) = (a, Pose::identity());
    while let Some(next) = towards_b.get(here).copied().flatten() {
        a_from_here = a_from_here * between(here, next)?;
        here = next;
    }
    Ok(a_from_here)
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
