//! Objects that come into a scene together: all of them, or none.

use std::collections::BTreeSet;

use kinetic_collision::MeshForm;
use kinetic_core::{Control, KineticError, Pose, Result, Shape};
use kinetic_kinematics::JointProgram;
use kinetic_robot::{GeometryShape, MeshRef, Robot};

use super::Scene;

/// A scene that objects are being added to, and their names so far.
pub(super) struct Incoming<'a> {
    edited: Scene,
    names: Vec<String>,
    taken: BTreeSet<String>,
    control: &'a Control,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(scene: &Scene, control: &'a Control) -> Self {
        Self { edited: scene.clone(), names: Vec::new(), taken: BTreeSet::new(), control }
    }

    /// Adds the collision shapes of a model whose root stands at `root_from_model` in the root of the scene's robot and
    /// whose active joints stand at `configuration`.
    pub(super) fn add_model(
        &mut self,
        name: &str,
        model: &Robot,
        configuration: &[f64],
        root_from_model: Pose,
    ) -> Result<()> {
        let variables: Vec<usize> = (0..configuration.len()).collect();
        let model_from_links = JointProgram::compile(model, &variables, configuration).link_poses(configuration);
        for (link, model_from_link) in model.links.iter().zip(model_from_links) {
            for (index, geometry) in link.collisions.iter().enumerate() {
                self.control.check(0)?;
                let number = if link.collisions.len() > 1 { format!("/{index}") } else { String::new() };
                let shape = match &geometry.shape {
                    GeometryShape::Shape(shape) => shape.clone(),
                    GeometryShape::Mesh(mesh) => mesh_shape(mesh)?,
                };
                let pose = root_from_model * model_from_link * geometry.link_from_shape;
                self.add(format!("{name}/{}{number}", link.name), shape, pose)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, object: String, shape: Shape, pose: Pose) -> Result<()> {
        if !self.taken.insert(object.clone()) {
            return Err(KineticError::invalid(
                "object of a model",
                format!("\"{object}\" twice"),
                "links of other names",
            ));
        }
        self.edited.add(&object, shape, pose)?;
        self.names.push(object);
        Ok(())
    }

    /// True when no object has come so far.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Puts the edited scene into the place of `scene`; returns the names of the objects in the order in which they came.
    pub(super) fn enter(self, scene: &mut Scene) -> Vec<String> {
        *scene = self.edited;
        self.names
    }
}

/// A solid where the mesh is closed, else its surface.
fn mesh_shape(mesh: &MeshRef) -> Result<Shape> {
    let mesh = mesh.load()?;
    MeshForm::Solid.shape(&mesh, 1.0).or_else(|_| MeshForm::Surface.shape(&mesh, 1.0))
}
