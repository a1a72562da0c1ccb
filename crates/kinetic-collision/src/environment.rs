//! Conservative collision queries between the spheres of a robot and obstacles.

use kinetic_core::{Pose, Result, Shape};

use crate::distance::point::PreparedShape;
use crate::obstacles::ObstacleSet;
use crate::spheres::RobotSpheres;

/// Obstacles for the bounding spheres of a robot. Queries are fast and conservative: a configuration without contact is
/// free. The checker of a scene decides the others with the exact shapes of the links, allowed collisions, attached
/// bodies and margins.
#[derive(Debug, Clone, Default)]
pub struct CollisionEnvironment {
    obstacles: ObstacleSet,
}

impl CollisionEnvironment {
    /// An environment without obstacles.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Obstacles with their poses in the robot's root; distances name them by their position in the list.
    ///
    /// # Errors
    /// What preparing a shape reports.
    pub fn build(shapes: &[(Shape, Pose)]) -> Result<Self> {
        let prepare =
            |(id, (shape, pose)): (usize, &(Shape, Pose))| Ok((id as u32, PreparedShape::new(shape, &pose.0)?));
        let prepared = shapes.iter().enumerate().map(prepare).collect::<Result<Vec<_>>>()?;
        Ok(Self { obstacles: ObstacleSet::new(prepared) })
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &ObstacleSet {
        &self.obstacles
    }

    /// True when a sphere touches an obstacle.
    pub fn check_collision(&self, robot: &RobotSpheres) -> bool {
        self.check_collision_with_margin(robot, 0.0)
    }

    /// True when a sphere comes within `margin` (m) of an obstacle.
    pub fn check_collision_with_margin(&self, robot: &RobotSpheres, margin: f64) -> bool {
        robot.collides_with(&self.obstacles, margin)
    }

    /// Least signed distance to an obstacle, m; infinite without obstacles.
    pub fn min_distance(&self, robot: &RobotSpheres) -> f64 {
        self.check_full(robot).map_or(f64::INFINITY, |(distance, _, _)| distance)
    }

    /// As [`min_distance`](Self::min_distance), with the link and the obstacle.
    pub fn check_full(&self, robot: &RobotSpheres) -> Option<(f64, usize, u32)> {
        robot.min_distance(&self.obstacles)
    }
}
