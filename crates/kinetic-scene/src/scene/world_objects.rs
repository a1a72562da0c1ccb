//! Objects from the models of a world: its furniture, its machines, other robots.

use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_robot::{World, WorldModel};

use super::Scene;
use super::incoming::Incoming;

impl Scene {
    /// Adds the collision shapes of the models of a world as objects, all or none, and returns their names, model by
    /// model: "model/link", and "model/link/0" and so on for links of several shapes, as [`add_model`](Self::add_model)
    /// names them. Objects of these names are replaced.
    ///
    /// `root_from_world` is the pose of the world in the root frame of the scene's robot. The joints of the models stand
    /// at 0, or at the limit next to 0. Models in `without` are left out: the scene's own robot, say, which many worlds
    /// contain; models without collision shapes are left out as well. A plane is a half-space, solid below, and
    /// allowing contacts with what stands on it is up to the caller. The objects do not follow the world afterwards.
    ///
    /// # Errors
    /// [`UnknownName`](KineticError::UnknownName) for a name in `without` that no model has, with those there are;
    /// errors of the pose, an empty name of a model, models of which none has a collision shape, two objects of one
    /// name, names that links or attached bodies have, what loading meshes reports, and what the control says, which
    /// is looked at before each shape.
    pub fn add_world(
        &mut self,
        world: &World,
        without: &[&str],
        root_from_world: impl Into<Pose>,
        control: &Control,
    ) -> Result<Vec<String>> {
        let root_from_world = root_from_world.into();
        root_from_world.check_finite("pose of the world")?;
        let models = models_but(world, without)?;
        let mut incoming = Incoming::new(self, control);
        for WorldModel { name, model, world_from_root } in &models {
            if name.is_empty() {
                return Err(KineticError::invalid("name of a model", "\"\"", "a name of at least one character"));
            }
            incoming.add_model(name, model, &model.neutral_configuration(), root_from_world * *world_from_root)?;
        }
        if incoming.is_empty() && !models.is_empty() {
            return Err(KineticError::invalid("collision shapes of a world", 0, "at least one"));
        }
        Ok(incoming.enter(self))
    }
}

/// The models of a world whose names are not among `without`.
fn models_but<'w>(world: &'w World, without: &[&str]) -> Result<Vec<&'w WorldModel>> {
    let names = || world.models.iter().map(|model| model.name.as_str());
    if let Some(unknown) = without.iter().find(|name| !names().any(|known| known == **name)) {
        return Err(KineticError::unknown_name("model", *unknown, names()));
    }
    Ok(world.models.iter().filter(|model| !without.contains(&model.name.as_str())).collect())
}
