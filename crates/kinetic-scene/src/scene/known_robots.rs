//! Cache of the collision geometry of recently used robots. Hulls, bounding spheres and the facts about pairs of links
//! take milliseconds to compute, and checkers tens of microseconds, so that scenes around the same robot share them.
//! Robots are compared by allocation: a shared robot does not change, because the weak reference in the cache makes
//! `Arc::make_mut` of other owners move to a new allocation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use kinetic_core::Result;
use kinetic_robot::Robot;

use super::pool::DetachedCheckers;
use crate::geometry::RobotGeometry;

/// Robots in the cache; the least recently used one is evicted first.
const MAX_KNOWN_ROBOTS: usize = 8;

/// Data shared by all scenes around one robot.
#[derive(Debug, Clone)]
pub(super) struct KnownRobot {
    robot: Weak<Robot>,
    pub(super) geometry: Arc<RobotGeometry>,
    pub(super) detached: Arc<DetachedCheckers>,
}

/// The recently used robots, the latest at the end.
#[derive(Debug, Default)]
struct KnownRobots(Mutex<Vec<KnownRobot>>);

static KNOWN: KnownRobots = KnownRobots(Mutex::new(Vec::new()));

impl KnownRobot {
    /// The data of a robot, computed at the first query.
    ///
    /// # Errors
    /// As [`RobotGeometry::new`].
    pub(super) fn of(robot: &Arc<Robot>) -> Result<Self> {
        KNOWN.get(robot)
    }
}

impl KnownRobots {
    fn get(&self, robot: &Arc<Robot>) -> Result<KnownRobot> {
        if let Some(known) = self.find(robot) {
            return Ok(known);
        }
        let new = KnownRobot {
            robot: Arc::downgrade(robot),
            geometry: Arc::new(RobotGeometry::new(robot)?),
            detached: Arc::default(),
        };
        // Another thread may have added it meanwhile.
        Ok(self.find(robot).unwrap_or_else(|| self.add(new)))
    }

    fn list(&self) -> MutexGuard<'_, Vec<KnownRobot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, robot: &Arc<Robot>) -> Option<KnownRobot> {
        let mut known = self.list();
        let index = known.iter().position(|known| std::ptr::eq(known.robot.as_ptr(), Arc::as_ptr(robot)))?;
        let found = known.remove(index);
        known.push(found.clone());
        Some(found)
    }

    fn add(&self, new: KnownRobot) -> KnownRobot {
        let mut known = self.list();
        if known.len() >= MAX_KNOWN_ROBOTS {
            known.remove(0);
        }
        known.push(new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_scene_around_a_robot_shares_its_geometry_and_an_edited_robot_has_its_own() -> Result<()> {
        let all = KnownRobots::default();
        let mut robot = Arc::new(Robot::from_name("ur5e")?);
        let (one, two) = (all.get(&robot)?, all.get(&robot)?);
        assert!(Arc::ptr_eq(&one.geometry, &two.geometry) && Arc::ptr_eq(&one.detached, &two.detached));
        // The weak reference makes `make_mut` copy, although there is no other owner.
        let before = Arc::as_ptr(&robot);
        Arc::make_mut(&mut robot).links[2].collisions.clear();
        assert!(!std::ptr::eq(before, Arc::as_ptr(&robot)));
        assert!(!Arc::ptr_eq(&all.get(&robot)?.geometry, &one.geometry));
        Ok(())
    }

    #[test]
    fn robots_that_were_asked_for_long_ago_are_forgotten() -> Result<()> {
        let all = KnownRobots::default();
        let robots: Vec<_> =
            (0..=MAX_KNOWN_ROBOTS).map(|_| Robot::from_name("so_arm100").map(Arc::new)).collect::<Result<_>>()?;
        let first = all.get(&robots[0])?;
        for robot in &robots[1..] {
            all.get(robot)?;
        }
        assert_eq!(all.list().len(), MAX_KNOWN_ROBOTS);
        assert!(!Arc::ptr_eq(&all.get(&robots[0])?.geometry, &first.geometry));
        Ok(())
    }
}
