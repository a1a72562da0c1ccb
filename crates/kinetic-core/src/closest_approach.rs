//! Closest approaches of a motion to obstacles and to the robot itself.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::control::Control;
use crate::error::Result;
use crate::pair::Pair;
use crate::unbounded;

/// Where the pair that comes closest to the margin it has to keep is closest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClosestApproach {
    /// Signed distance of the pair, m; infinite when there is nothing to come close to.
    #[serde(with = "unbounded::number")]
    pub distance: f64,
    /// Margin that the pair has to keep, paddings and what the scene says about it included, m.
    pub margin: f64,
    /// The pair.
    pub pair: Option<Pair>,
    /// When, s.
    pub time: f64,
}

impl ClosestApproach {
    /// Distance that the pair has to spare, m.
    pub fn excess(&self) -> f64 {
        self.distance - self.margin
    }
}

/// The closest approaches to the world and to the robot itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClosestApproaches {
    /// Of links and carried bodies to objects.
    pub world: ClosestApproach,
    /// Of links and carried bodies to each other.
    pub own: ClosestApproach,
}

impl ClosestApproaches {
    /// The one with less to spare.
    pub fn tightest(&self) -> &ClosestApproach {
        if self.own.excess() < self.world.excess() { &self.own } else { &self.world }
    }
}

type Measure = dyn Fn(&Control) -> Result<ClosestApproaches> + Send + Sync;

/// The closest approaches of a motion, measured when they are first asked for: to find them takes many times as long as to
/// plan the motion and to prove that it keeps its margins. Clones share what was measured. `None` when there is nothing to
/// measure, because nothing that moves has a shape.
#[derive(Clone)]
pub struct Measurement(Arc<Shared>);

struct Shared {
    found: OnceLock<Option<ClosestApproaches>>,
    /// Let go once they are found: it holds the scene.
    measure: Mutex<Option<Arc<Measure>>>,
}

impl Measurement {
    /// What is known already.
    pub fn known(found: Option<ClosestApproaches>) -> Self {
        Self(Arc::new(Shared { found: OnceLock::from(found), measure: Mutex::default() }))
    }

    /// What `measure` will find; it is asked once, and again only when its control ended it.
    pub fn on_demand(measure: impl Fn(&Control) -> Result<ClosestApproaches> + Send + Sync + 'static) -> Self {
        let measure: Arc<Measure> = Arc::new(measure);
        Self(Arc::new(Shared { found: OnceLock::new(), measure: Mutex::new(Some(measure)) }))
    }

    /// Whether they were asked for already.
    pub fn is_known(&self) -> bool {
        self.0.found.get().is_some()
    }

    /// The closest approaches.
    ///
    /// # Errors
    /// What measuring reports: that `control` ended it.
    pub fn get(&self, control: &Control) -> Result<Option<&ClosestApproaches>> {
        let lock = || self.0.measure.lock().unwrap_or_else(PoisonError::into_inner);
        let measure = lock().clone();
        if let Some(measure) = measure {
            let found = measure(control)?;
            // Another thread that measured meanwhile has found the same.
            let _ = self.0.found.set(Some(found));
            *lock() = None;
        }
        Ok(self.0.found.get().and_then(Option::as_ref))
    }
}

impl fmt::Debug for Measurement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.found.get() {
            Some(found) => found.fmt(out),
            None => out.write_str("not asked for yet"),
        }
    }
}

/// Measures what was not asked for yet.
impl Serialize for Measurement {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.get(&Control::default()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Measurement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::known)
    }
}
