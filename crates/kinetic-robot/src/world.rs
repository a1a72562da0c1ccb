//! Worlds: several models, each where it stands.

use kinetic_core::Pose;

use crate::robot::Robot;

/// The models of a world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// In the order of the file.
    pub models: Vec<WorldModel>,
    /// What was read and not used, one sentence each; what concerns one model alone stands in its own notes.
    pub notes: Vec<String>,
}

/// A model of a world: furniture, a machine, a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldModel {
    /// What the world calls it.
    pub name: String,
    /// Its links and joints; a static model has only fixed joints, and a link `world` as its root.
    pub model: Robot,
    /// Pose of its root link in the world; the identity where the root stands for the world.
    pub world_from_root: Pose,
}
