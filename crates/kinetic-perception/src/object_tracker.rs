//! Objects over frames: which measured object is which.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector3};

/// When objects are the same, and when they come and go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackerConfig {
    /// A measured object is at most this far from where the tracked one is expected, m.
    pub max_distance: f64,
    /// An object counts after so many frames with it.
    pub confirm_after: usize,
    /// An object is gone when it was not seen for longer than this, s.
    pub forget_after: f64,
}

impl Default for TrackerConfig {
    fn default() -> Self {
        Self { max_distance: 0.1, confirm_after: 3, forget_after: 0.5 }
    }
}

/// An object that is followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackedObject {
    /// Its number; no other object of the tracker ever has it.
    pub id: u64,
    /// Where it was seen last, m.
    pub position: Point3<f64>,
    /// Its velocity between the last two frames with it, m/s.
    pub velocity: Vector3<f64>,
    /// When it was seen first, s.
    pub born: f64,
    /// When it was seen last, s.
    pub seen: f64,
    /// Frames with it.
    pub hits: usize,
}

/// What a frame has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackerUpdate {
    /// The number of the object at each position.
    pub ids: Vec<u64>,
    /// Objects that count from this frame on.
    pub confirmed: Vec<u64>,
    /// Objects that counted and are gone.
    pub lost: Vec<u64>,
}

/// Follows objects from frame to frame by their positions.
///
/// Each object is expected where its velocity leads it; the nearest pairs of expected and measured positions are the same object, one
/// after the other (global nearest neighbour, greedily; Blackman and Popoli 1999).
#[derive(Debug, Clone)]
pub struct ObjectTracker {
    config: TrackerConfig,
    objects: Vec<TrackedObject>,
    next_id: u64,
    last_stamp: Option<f64>,
}

impl ObjectTracker {
    /// A tracker without objects.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a distance or a time that is not positive and finite.
    pub fn new(config: TrackerConfig) -> Result<Self> {
        for (name, value) in [("max_distance", config.max_distance), ("forget_after", config.forget_after)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        Ok(Self { config, objects: Vec::new(), next_id: 0, last_stamp: None })
    }

    /// All objects in order of their numbers, those that do not count yet too.
    pub fn objects(&self) -> &[TrackedObject] {
        &self.objects
    }

    /// Whether an object has been seen often enough to count.
    pub fn is_confirmed(&self, object: &TrackedObject) -> bool {
        object.hits >= self.config.confirm_after
    }

    /// Takes the positions of the objects of a frame (m) at a time (s).
    ///
    /// # Errors
    /// [`KineticError::NotFinite`]; [`KineticError::InvalidValue`] for a time that is not after that of the frame before. The tracker is
    /// as before then.
    pub fn update(&mut self, positions: &[Point3<f64>], stamp: f64) -> Result<TrackerUpdate> {
        check_finite("stamp", &[stamp])?;
        for position in positions {
            check_finite("position of an object", position.coords.as_slice())?;
        }
        if let Some(last) = self.last_stamp.filter(|last| stamp <= *last) {
            return Err(KineticError::invalid("stamp", stamp, format!("after that of the frame before, {last} s")));
        }
        self.last_stamp = Some(stamp);
        let mut update = TrackerUpdate { lost: self.forget(stamp), ..TrackerUpdate::default() };
        let objects_of = self.assigned(positions, stamp);
        for (position, object) in positions.iter().zip(objects_of) {
            let id = match object {
                Some(index) => self.seen_again(index, position, stamp),
                None => self.seen_first(position, stamp),
            };
            update.ids.push(id);
        }
        let confirm_after = self.config.confirm_after.max(1);
        let counts_now = |object: &&TrackedObject| object.seen == stamp && object.hits == confirm_after;
        update.confirmed = self.objects.iter().filter(counts_now).map(|object| object.id).collect();
        Ok(update)
    }

    /// Drops objects that are gone at a time, also where no frame came meanwhile; the numbers of those that counted.
    fn forget(&mut self, stamp: f64) -> Vec<u64> {
        let TrackerConfig { confirm_after, forget_after, .. } = self.config;
        let is_gone = |object: &TrackedObject| stamp - object.seen > forget_after;
        let was_counted = |object: &&TrackedObject| is_gone(object) && object.hits >= confirm_after;
        let lost = self.objects.iter().filter(was_counted).map(|object| object.id).collect();
        self.objects.retain(|object| !is_gone(object));
        lost
    }

    /// For each position the index of the object that it is of.
    fn assigned(&self, positions: &[Point3<f64>], stamp: f64) -> Vec<Option<usize>> {
        let mut pairs = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            let expected = object.position + object.velocity * (stamp - object.seen);
            for (place, position) in positions.iter().enumerate() {
                let distance = (position - expected).norm();
                if distance <= self.config.max_distance {
                    pairs.push((distance, index, place));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let (mut objects_of, mut is_taken) = (vec![None; positions.len()], vec![false; self.objects.len()]);
        for (_, index, place) in pairs {
            if objects_of[place].is_none() && !is_taken[index] {
                (objects_of[place], is_taken[index]) = (Some(index), true);
            }
        }
        objects_of
    }

    fn seen_again(&mut self, index: usize, position: &Point3<f64>, stamp: f64) -> u64 {
        let object = &mut self.objects[index];
        object.velocity = (position - object.position) / (stamp - object.seen);
        (object.position, object.seen, object.hits) = (*position, stamp, object.hits + 1);
        object.id
    }

    fn seen_first(&mut self, position: &Point3<f64>, stamp: f64) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let velocity = Vector3::zeros();
        self.objects.push(TrackedObject { id, position: *position, velocity, born: stamp, seen: stamp, hits: 1 });
        id
    }
}
