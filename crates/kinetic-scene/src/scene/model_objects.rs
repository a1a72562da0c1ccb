//! Objects from a model in a file: a cell, another robot, a world.

use kinetic_collision::MeshForm;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{Control, KineticError, Pose, Result, Shape};
use kinetic_kinematics::JointProgram;
use kinetic_robot::{GeometryShape, MeshRef, Robot};

use super::Scene;

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
        let variables: Vec<usize> = (0..configuration.len()).collect();
        let model_from_links = JointProgram::compile(model, &variables, configuration).link_poses(configuration);
        let mut edited = self.clone();
        let mut names = Vec::new();
        for (link, model_from_link) in model.links.iter().zip(model_from_links) {
            for (index, geometry) in link.collisions.iter().enumerate() {
                control.check(0)?;
                let number = if link.collisions.len() > 1 { format!("/{index}") } else { String::new() };
                let object = format!("{name}/{}{number}", link.name);
                if names.contains(&object) {
                    return Err(KineticError::invalid(
                        "object of a model",
                        format!("\"{object}\" twice"),
                        "links of other names",
                    ));
                }
                let shape = match &geometry.shape {
                    GeometryShape::Shape(shape) => shape.clone(),
                    GeometryShape::Mesh(mesh) => mesh_shape(mesh)?,
                };
                edited.add(&object, shape, root_from_model * model_from_link * geometry.link_from_shape)?;
                names.push(object);
            }
        }
        if names.is_empty() {
            let wanted = format!("at least one; \"{}\" has none", model.name);
            return Err(KineticError::invalid("collision shapes of a model", 0, wanted));
        }
        *self = edited;
        Ok(names)
    }
}

/// A solid where the mesh is closed, else its surface.
fn mesh_shape(mesh: &MeshRef) -> Result<Shape> {
    let mesh = mesh.load()?;
    MeshForm::Solid.shape(&mesh, 1.0).or_else(|_| MeshForm::Surface.shape(&mesh, 1.0))
}
