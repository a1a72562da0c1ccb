//! Triangle meshes named by a robot description: found and read on request, never for kinematics.

mod read;
mod resolve;

use std::path::PathBuf;
use std::sync::Arc;

use kinetic_core::Result;
use nalgebra::{Point3, Vector3};

pub use resolve::MeshResolver;

/// A mesh file as a description names it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshRef {
    /// The name as written, for example `package://robot/meshes/link.stl`.
    pub uri: String,
    /// Factor per axis; a negative one mirrors.
    pub scale: Vector3<f64>,
    /// Where to look.
    pub resolver: Arc<MeshResolver>,
}

/// Vertices and triangles, m.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    /// Vertices in the frame of the geometry.
    pub vertices: Vec<Point3<f64>>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl MeshRef {
    /// The file this name means.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io) listing every place that was tried.
    pub fn path(&self) -> Result<PathBuf> {
        self.resolver.resolve(&self.uri)
    }

    /// Reads the file and applies the scale. STL (binary and text) and OBJ are supported.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io) when it is not found or not readable,
    /// [`FileParse`](kinetic_core::KineticError::FileParse) when it is malformed or of another format.
    pub fn load(&self) -> Result<TriangleMesh> {
        let mut mesh = read::read(&self.path()?)?;
        for vertex in &mut mesh.vertices {
            vertex.coords.component_mul_assign(&self.scale);
        }
        // A mirror turns triangles inside out; swapping two corners turns them back.
        if self.scale.product() < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(mesh)
    }
}
