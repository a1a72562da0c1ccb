//! Geometry of the robots that scenes were made around last.
//!
//! Hulls, covers and the facts about pairs of links take milliseconds to make, and checkers tens of microseconds; another
//! scene around the same robot takes over those that there are. A robot is the same while it is the same allocation: what is
//! shared does not change, and the weak reference that is kept here makes `Arc::make_mut` of others move to another one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use kinetic_core::Result;
use kinetic_robot::Robot;

use super::pool::Spares;
use crate::geometry::RobotGeometry;

/// Robots whose geometry is kept; the one that was asked for longest ago goes first.
const MOST: usize = 8;

/// What scenes around one robot share.
#[derive(Debug, Clone)]
pub(super) struct KnownRobot {
    robot: Weak<Robot>,
    pub(super) geometry: Arc<RobotGeometry>,
    pub(super) spares: Arc<Spares>,
}

/// The robots that were asked for last, the latest at the end.
#[derive(Debug, Default)]
struct KnownRobots(Mutex<Vec<KnownRobot>>);

static KNOWN: KnownRobots = KnownRobots(Mutex::new(Vec::new()));

impl KnownRobot {
    /// That of a robot, made when it is first asked for.
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
            spares: Arc::default(),
        };
        // Another thread may have made it meanwhile.
        Ok(self.find(robot).unwrap_or_else(|| self.keep(new)))
    }

    fn list(&self) -> MutexGuard<'_, Vec<KnownRobot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, robot: &Arc<Robot>) -> Option<KnownRobot> {
        let mut known = self.list();
        let place = known.iter().position(|known| std::ptr::eq(known.robot.as_ptr(), Arc::as_ptr(robot)))?;
        let found = known.remove(place);
        known.push(found.clone());
        Some(found)
    }

    fn keep(&self, new: KnownRobot) -> KnownRobot {
        let mut known = self.list();
        if known.len() >= MOST {
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
        assert!(Arc::ptr_eq(&one.geometry, &two.geometry) && Arc::ptr_eq(&one.spares, &two.spares));
        // The weak reference makes the edit one of a copy, although there is no other owner.
        let before = Arc::as_ptr(&robot);
        Arc::make_mut(&mut robot).links[2].collisions.clear();
        assert!(!std::ptr::eq(before, Arc::as_ptr(&robot)));
        assert!(!Arc::ptr_eq(&all.get(&robot)?.geometry, &one.geometry));
        Ok(())
    }

    #[test]
    fn robots_that_were_asked_for_long_ago_are_forgotten() -> Result<()> {
        let all = KnownRobots::default();
        let robots: Vec<_> = (0..=MOST).map(|_| Robot::from_name("so_arm100").map(Arc::new)).collect::<Result<_>>()?;
        let first = all.get(&robots[0])?;
        for robot in &robots[1..] {
            all.get(robot)?;
        }
        assert_eq!(all.list().len(), MOST);
        assert!(!Arc::ptr_eq(&all.get(&robots[0])?.geometry, &first.geometry));
        Ok(())
    }
}
