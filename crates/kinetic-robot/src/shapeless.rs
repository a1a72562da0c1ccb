//! Links without collision shapes, for which nothing can be checked.

use kinetic_core::Pose;

use crate::model::PlanningGroup;
use crate::robot::Robot;

/// Frames nearer to each other than this are one place, m.
const SAME_PLACE_M: f64 = 1e-6;

/// What is known of the links that fixed joints join to one body.
#[derive(Clone, Default)]
struct RigidBody {
    has_shape: bool,
    has_visual: bool,
    /// A mass, or two joints at different places: something has to be between them.
    has_matter: bool,
}

impl Robot {
    /// Links that a joint moves and that have no collision shape though there is something to collide with: they are drawn;
    /// or no link of the same rigid body has a shape, and it has a mass or keeps joints apart. Frames without matter, such as
    /// that of a tool, are none of them. In tree order.
    pub fn links_without_shapes(&self) -> Vec<usize> {
        let (heads, bodies) = self.rigid_bodies();
        let is_without = |link: &usize| {
            let (body, is_drawn) = (&bodies[heads[*link]], !self.links[*link].visuals.is_empty());
            let stands_for_body = heads[*link] == *link && !body.has_shape && !body.has_visual && body.has_matter;
            self.links[*link].collisions.is_empty() && (is_drawn || stands_for_body)
        };
        self.movable_links().into_iter().filter(is_without).collect()
    }

    /// Links that the joints of a group move, also through joints that follow them, in tree order.
    pub fn links_moved_by(&self, group: &PlanningGroup) -> Vec<usize> {
        let mut moves = vec![false; self.links.len()];
        // Parents come first.
        for joint in &self.joints {
            let variable = joint.mimic.map_or(joint.variable, |mimic| self.joints[mimic.joint].variable);
            let is_moved = variable.is_some_and(|variable| group.variables.contains(&variable));
            moves[joint.child] = moves[joint.parent] || is_moved;
        }
        (0..self.links.len()).filter(|link| moves[*link]).collect()
    }

    /// Per link the first link of its rigid body, and under that index what is known of the body.
    fn rigid_bodies(&self) -> (Vec<usize>, Vec<RigidBody>) {
        let mut heads: Vec<usize> = (0..self.links.len()).collect();
        let mut bodies = vec![RigidBody::default(); self.links.len()];
        let mut head_from_link = vec![Pose::identity(); self.links.len()];
        for joint in &self.joints {
            let head_from_joint = head_from_link[joint.parent] * joint.parent_from_joint;
            bodies[heads[joint.parent]].has_matter |= head_from_joint.translation().norm() > SAME_PLACE_M;
            if !joint.joint_type.is_moving() {
                heads[joint.child] = heads[joint.parent];
                head_from_link[joint.child] = head_from_joint;
            }
        }
        for (link, head) in self.links.iter().zip(&heads) {
            let body = &mut bodies[*head];
            body.has_shape |= !link.collisions.is_empty();
            body.has_visual |= !link.visuals.is_empty();
            body.has_matter |= link.inertial.as_ref().is_some_and(|inertial| inertial.mass > 0.0);
        }
        (heads, bodies)
    }

    /// Says in the notes which links have no collision shapes.
    pub(crate) fn note_links_without_shapes(&mut self) {
        let names: Vec<String> =
            self.links_without_shapes().iter().map(|link| format!("\"{}\"", self.links[*link].name)).collect();
        if !names.is_empty() {
            let names = names.join(", ");
            self.notes.push(format!("links without collision shapes: nothing is checked for {names}"));
        }
    }
}
