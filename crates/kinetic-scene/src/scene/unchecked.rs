//! Links without collision shapes, for which nothing is checked.

use kinetic_core::Result;
use kinetic_robot::PlanningGroup;

use super::Scene;

impl Scene {
    /// Names of the links that a group moves and that have no collision shape though there is something to collide with
    /// (see [`Robot::links_without_shapes`](kinetic_robot::Robot::links_without_shapes)): queries of the scene do not
    /// include them.
    ///
    /// # Errors
    /// [`GroupNotFound`](kinetic_core::KineticError::GroupNotFound).
    pub fn unchecked_links(&self, group: &str) -> Result<Vec<String>> {
        let planned = self.content.robot.resolve_group(group)?;
        let moved = self.content.robot.links_moved_by(&planned);
        let without =
            self.content.robot.links_without_shapes().into_iter().filter(|link| moved.binary_search(link).is_ok());
        Ok(without.map(|link| self.content.robot.links[link].name.clone()).collect())
    }

    /// Whether anything that a group moves, bodies it carries included, has a shape.
    pub fn moves_shapes(&self, group: &PlanningGroup) -> bool {
        let carried: Vec<usize> = self.attached().values().map(|body| body.link).collect();
        let moved = self.content.robot.links_moved_by(group);
        moved.iter().any(|link| !self.content.geometry.links()[*link].is_empty() || carried.contains(link))
    }
}
