//! Objects from one model of a file: a cell, another robot.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_robot::Robot;

use super::Scene;
use super::incoming::Incoming;

impl Scene {
    /// Adds the collision shapes of a model as objects, all or none, and returns their names: "name/link", and
    /// "name/link/0" and so on for links of several shapes. Objects of these names are replaced.
    ///
    /// The model stands with its root at `root_from_model` and its joints at `configuration` (its active joints). Meshes are
    /// taken as they are, with what they enclose where they are closed; links without collision shapes are left out. The objects do not
    /// follow the model afterwards.
    ///
    /// # Errors
    /// Errors of the configuration and the pose, an empty name, a model without collision shapes, names that links or attached bodies have, what loading meshes reports, and what the
    /// control says, which is looked at before each shape.
    pub fn add_model(
        &mut self,
        name: &str,
        model: &Robot,
        configuration: &[f64],
        root_from_model: impl Into<Pose>,
        control: &Control,
    ) -> Result<Vec<String>> {
        let root_from_model = root_from_model.into();
        root_from_model.check_finite(&format!("pose of model \"{name}\""))?;
        check_len("configuration of the model", configuration.len(), model.num_variables())?;
        check_finite("configuration of the model", configuration)?;
        if name.is_empty() {
            return Err(KineticError::invalid("name of a model", "\"\"", "a name of at least one character"));
        }
        let mut incoming = Incoming::new(self, control);
        incoming.add_model(name, model, configuration, root_from_model)?;
        if incoming.is_empty() {
            let wanted = format!("at least one; \"{}\" has none", model.name);
            return Err(KineticError::invalid("collision shapes of a model", 0, wanted));
        }
        Ok(incoming.enter(self))
    }
}
