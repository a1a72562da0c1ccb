//! Triangle meshes named by a robot description: found and read on request, never for kinematics.
//!
//! STL (binary and text), OBJ, COLLADA (`.dae`), glTF 2.0 (`.glb`, `.gltf`) and MuJoCo's MSH are read. COLLADA's unit of length is
//! applied. The upward axis that COLLADA and glTF declare is not: published robot descriptions mean the numbers of their
//! meshes in the frame of the link, whatever the file says about up, and `RViz` and Coal take them so.
//! [`TriangleMesh::from_file_z_up`] turns a file that is not part of a robot.

mod assembly;
mod dae;
mod environment;
mod gltf;
mod msh;
mod obj;
mod read;
mod resolve;
mod stl;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetic_core::Result;
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

pub use environment::SearchPaths;
pub use resolve::MeshResolver;
pub(crate) use resolve::UNSUPPORTED;

use self::assembly::UpAxis;

/// A mesh file as a description names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Vertices in the frame of the geometry, each a corner of some triangle.
    pub vertices: Vec<Point3<f64>>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Reads a mesh file with the axes of the file.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io) when it is not readable,
    /// [`FileParse`](kinetic_core::KineticError::FileParse) when it is malformed or of another format.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        Ok(read::read(path.as_ref())?.0)
    }

    /// Reads a mesh file and turns it so that its upward axis becomes z: glTF files have y up, COLLADA files say which,
    /// STL and OBJ files stay as they are.
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file).
    pub fn from_file_z_up(path: impl AsRef<Path>) -> Result<Self> {
        let (mut mesh, up) = read::read(path.as_ref())?;
        // COLLADA 1.4.1, `<up_axis>`: right, up and inward axes of the three systems, matched.
        let turned = |[x, y, z]: [f64; 3]| match up {
            UpAxis::X => [-y, -z, x],
            UpAxis::Y => [x, -z, y],
            UpAxis::Z => [x, y, z],
        };
        mesh.vertices.iter_mut().for_each(|vertex| *vertex = Point3::from(turned(vertex.coords.into())));
        Ok(mesh)
    }
}

impl MeshRef {
    /// The file this name means.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io) listing every place that was tried.
    pub fn path(&self) -> Result<PathBuf> {
        self.resolver.resolve(&self.uri)
    }

    /// Reads the file and applies the scale.
    ///
    /// # Errors
    /// [`Io`](kinetic_core::KineticError::Io) when it is not found or not readable,
    /// [`FileParse`](kinetic_core::KineticError::FileParse) when it is malformed or of another format.
    pub fn load(&self) -> Result<TriangleMesh> {
        let mut mesh = TriangleMesh::from_file(self.path()?)?;
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
