//! Objects that no sensor has seen for too long.

use std::collections::{BTreeMap, BTreeSet};

use kinetic_core::{Control, Result};

use super::{PerceptionPipeline, lock};

impl PerceptionPipeline {
    /// Removes the objects whose time to live is over: all sensors that feed them have one, and it has passed since the newest of
    /// their measurements. The time is the newest that the pipeline knows, of a measurement or of joint values; so an object of a
    /// sensor that has failed goes as long as others, or the robot, are heard. Objects that were `fed` just now stay, whatever others say of
    /// the time.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(super) fn remove_expired(&self, fed: &BTreeSet<String>, control: &Control) -> Result<()> {
        let mut expired = self.expired();
        expired.retain(|name| !fed.contains(name));
        if expired.is_empty()
            || self.0.live.read(|scene| expired.iter().all(|name| !scene.objects().contains_key(name)))
        {
            return Ok(());
        }
        let mut removed = expired;
        self.0.live.edit_within(control, |scene| {
            removed.retain(|name| scene.remove(name));
            Ok(())
        })?;
        for sensor in lock(&self.0.sensors).values_mut() {
            sensor.statistics.expired += u64::from(removed.contains(&sensor.config.object));
        }
        Ok(())
    }

    /// Names of objects whose time to live is over.
    fn expired(&self) -> Vec<String> {
        let last_joints = lock(&self.0.joints).span().map(|(_, last)| last);
        let sensors = lock(&self.0.sensors);
        let stamps = sensors.values().filter_map(|sensor| sensor.statistics.last_stamp);
        let now = stamps.chain(last_joints).fold(f64::NEG_INFINITY, f64::max);
        // When each object expires; never, as long as nothing was seen of it.
        let mut ends: BTreeMap<&str, f64> = BTreeMap::new();
        for sensor in sensors.values() {
            let Some(last) = sensor.statistics.last_stamp else { continue };
            let end = sensor.config.time_to_live.map_or(f64::INFINITY, |time_to_live| last + time_to_live);
            let known = ends.entry(&sensor.config.object).or_insert(end);
            *known = known.max(end);
        }
        ends.into_iter().filter(|(_, end)| *end < now).map(|(name, _)| name.to_owned()).collect()
    }
}
