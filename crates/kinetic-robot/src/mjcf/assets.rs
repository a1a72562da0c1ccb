//! `<asset><mesh>`: meshes by name.

use std::collections::BTreeMap;
use std::path::Path;

use kinetic_core::{Pose, Result};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::compiler::Compiler;
use super::defaults::Classes;
use super::element::{Attributes, Element};
use super::frame;

/// How the mass of a mesh is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MeshInertia {
    /// Of its convex hull.
    Convex,
    /// Of the enclosed volume.
    Exact,
    /// Of pyramids from the triangles to the centre of the surface, each counted as positive.
    Legacy,
    /// Of the surface.
    Shell,
}

/// Where the vertices come from.
#[derive(Debug, Clone)]
pub(super) enum MeshSource {
    /// A file, as a path from the document's folder.
    File(String),
    /// Numbers in the document: vertices, and triangles where stated.
    Inline(Vec<Point3<f64>>, Vec<[u32; 3]>),
}

/// A mesh that geoms can name.
#[derive(Debug, Clone)]
pub(super) struct MeshAsset {
    pub(super) source: MeshSource,
    /// Factor per axis, applied to the vertices of the source.
    pub(super) scale: Vector3<f64>,
    /// Then the place of those in the frame of the geom (`refpos`, `refquat`).
    pub(super) geom_from_mesh: Pose,
    pub(super) inertia: MeshInertia,
}

/// The colours of a document's materials, red, green, blue and opacity.
pub(super) fn colors(root: &Element, classes: &Classes) -> Result<BTreeMap<String, [f64; 4]>> {
    let mut colors = BTreeMap::new();
    for element in root.children("asset").flat_map(|asset| asset.children("material")) {
        let color = classes.of(element, None)?.numbers("rgba")?.unwrap_or([1.0; 4]);
        colors.insert(element.get("name").unwrap_or_default().to_owned(), color);
    }
    Ok(colors)
}

/// The meshes of a document.
pub(super) fn read(root: &Element, compiler: &Compiler, classes: &Classes) -> Result<BTreeMap<String, MeshAsset>> {
    let mut meshes = BTreeMap::new();
    for element in root.children("asset").flat_map(|asset| asset.children("mesh")) {
        let given = classes.of(element, None)?;
        let name = match (element.get("name"), element.get("file")) {
            (Some(name), _) => name.to_owned(),
            (None, Some(file)) => stem(file),
            (None, None) => return Err(element.error("a mesh without a file needs a name")),
        };
        if meshes.insert(name.clone(), mesh(&given, compiler)?).is_some() {
            return Err(element.error(format!("mesh \"{name}\" is defined twice")));
        }
    }
    Ok(meshes)
}

fn mesh(given: &Attributes<'_>, compiler: &Compiler) -> Result<MeshAsset> {
    let scale = Vector3::from(given.numbers("scale")?.unwrap_or([1.0; 3]));
    if scale.iter().any(|factor| *factor == 0.0) {
        return Err(given.error(format!("scale {:?} flattens the mesh", scale.as_slice())));
    }
    Ok(MeshAsset {
        source: source(given, compiler)?,
        scale,
        geom_from_mesh: reference(given, scale)?,
        inertia: match given.get("inertia") {
            None | Some("legacy") => MeshInertia::Legacy,
            Some("convex") => MeshInertia::Convex,
            Some("exact") => MeshInertia::Exact,
            Some("shell") => MeshInertia::Shell,
            Some(other) => {
                return Err(given.error(format!("inertia = \"{other}\"; wanted convex, exact, legacy or shell")));
            }
        },
    })
}

fn source(given: &Attributes<'_>, compiler: &Compiler) -> Result<MeshSource> {
    if let Some(kind) = given.get("builtin").filter(|kind| *kind != "none") {
        return Err(given.error(format!("builtin = \"{kind}\": meshes that MuJoCo generates are not supported")));
    }
    if let Some(file) = given.get("file").filter(|file| !file.is_empty()) {
        let file = if compiler.strip_path { last_part(file) } else { file };
        return Ok(MeshSource::File(Path::new(&compiler.mesh_dir).join(file).to_string_lossy().into_owned()));
    }
    let numbers = given.list("vertex")?.ok_or_else(|| given.error("neither \"file\" nor \"vertex\" is stated"))?;
    if numbers.is_empty() || numbers.len() % 3 != 0 {
        return Err(given.error(format!("attribute \"vertex\" has {} numbers; wanted three per vertex", numbers.len())));
    }
    let vertices: Vec<_> = numbers.chunks_exact(3).map(|v| Point3::new(v[0], v[1], v[2])).collect();
    Ok(MeshSource::Inline(vertices.clone(), faces(given, vertices.len())?))
}

fn faces(given: &Attributes<'_>, vertices: usize) -> Result<Vec<[u32; 3]>> {
    let words: Vec<&str> = given.get("face").unwrap_or_default().split_whitespace().collect();
    let index = |word: &&str| word.parse::<u32>().ok().filter(|index| (*index as usize) < vertices);
    let indices = words.iter().map(index).collect::<Option<Vec<u32>>>().filter(|indices| indices.len() % 3 == 0);
    let wrong = || given.error(format!("attribute \"face\" must have three indices below {vertices} per triangle"));
    Ok(indices.ok_or_else(wrong)?.chunks_exact(3).map(|face| [face[0], face[1], face[2]]).collect())
}

/// MuJoCo moves vertices by `-refpos`, turns them by the inverse of `refquat`, and scales them then.
fn reference(given: &Attributes<'_>, scale: Vector3<f64>) -> Result<Pose> {
    let position = Vector3::from(given.numbers("refpos")?.unwrap_or([0.0; 3]));
    let turn = frame::quaternion(given, "refquat")?.inverse();
    let is_uniform = scale.x == scale.y && scale.y == scale.z;
    if turn.angle() > 1e-12 && !is_uniform {
        return Err(given.error("refquat together with a scale that differs between the axes is not supported"));
    }
    let translation = (turn * -position).component_mul(&scale);
    Ok(Pose(Isometry3::from_parts(Translation3::from(translation), turn)))
}

/// What follows the last `/` or `\`.
fn last_part(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// File name without folders and ending.
fn stem(file: &str) -> String {
    let name = last_part(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}
