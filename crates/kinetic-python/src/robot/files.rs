//! `Robot` from files of any format. What only Python packages can do, xacro and `robot_descriptions`, stands in the
//! Python module `kinetic.descriptions`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kinetic::core::{Result as KineticResult, files};
use kinetic::robot::moveit::MoveItConfig;
use kinetic::robot::srdf::SrdfModel;
use kinetic::robot::{MeshResolver, Robot, UrdfOptions};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::{File, Paths, Source, Text};
use crate::error::Result;
use crate::robot::{PyRobot, UrdfSource};

/// Arguments of a xacro file by name.
pub(crate) type XacroArguments = BTreeMap<String, String>;

const HELPERS: &str = "kinetic.descriptions";

fn is_xacro(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xacro"))
}

/// The document that a .xacro file expands to.
fn expand(py: Python<'_>, path: &Path, arguments: Option<XacroArguments>, package_dirs: &[PathBuf]) -> Result<String> {
    let call = (path, arguments.unwrap_or_default(), package_dirs.to_vec());
    Ok(py.import(HELPERS)?.call_method1("expand_xacro", call)?.extract()?)
}

impl PyRobot {
    /// Reads a URDF file, expanding it first when its name says that it is xacro.
    pub(crate) fn load_urdf(
        py: Python<'_>,
        path: PathBuf,
        mut options: UrdfOptions,
        xacro_args: Option<XacroArguments>,
    ) -> Result<Self> {
        if !is_xacro(&path) {
            return Self::load(py, || Robot::from_urdf_with(path, &options));
        }
        let xml = expand(py, &path, xacro_args, &options.package_dirs)?;
        options.base_dir = path.parent().map(Path::to_path_buf);
        Self::load(py, || Robot::from_urdf_string_with(&xml, &options))
    }
}

/// Constructors from files.
#[pymethods]
impl PyRobot {
    /// A robot from a URDF file and the SRDF file that belongs to it (groups, named poses, disabled pairs).
    ///
    /// Files that end in .xacro are expanded first, with the extra `kinetic[xacro]`.
    ///
    /// Args:
    ///     urdf_path: The URDF file.
    ///     srdf_path: The SRDF file.
    ///     package_dirs: Folders in which `package://` names of meshes are looked up, and those of `$(find …)` in xacro.
    ///     xacro_args: Arguments of .xacro files by name.
    #[staticmethod]
    #[pyo3(
        signature = (urdf_path, srdf_path, *, package_dirs=Paths::default(), xacro_args=None),
        text_signature = "(urdf_path, srdf_path, *, package_dirs=(), xacro_args=None)"
    )]
    fn from_urdf_srdf(
        py: Python<'_>,
        urdf_path: File,
        srdf_path: File,
        package_dirs: Paths,
        xacro_args: Option<XacroArguments>,
    ) -> Result<Self> {
        let mut options = UrdfOptions { package_dirs: package_dirs.0, ..UrdfOptions::default() };
        let expanded = |path: &Path| -> Result<Option<String>> {
            is_xacro(path).then(|| expand(py, path, xacro_args.clone(), &options.package_dirs)).transpose()
        };
        let (urdf, srdf) = (expanded(&urdf_path.0)?, expanded(&srdf_path.0)?);
        if urdf.is_some() {
            options.base_dir = urdf_path.0.parent().map(Path::to_path_buf);
        }
        Self::load(py, || -> KineticResult<Robot> {
            let mut robot = match urdf {
                Some(xml) => Robot::from_urdf_string_with(&xml, &options)?,
                None => Robot::from_urdf_with(urdf_path.0, &options)?,
            };
            let model = match srdf {
                Some(xml) => SrdfModel::from_string(&xml)?,
                None => SrdfModel::from_file(srdf_path.0)?,
            };
            model.apply_to_robot(&mut robot)?;
            Ok(robot)
        })
    }

    /// A robot from an SDF file or document; it has one group, "arm".
    ///
    /// Args:
    ///     path_or_xml: Path of a file, or the XML text itself.
    ///     base: Base link of the group; None for the root.
    ///     tip: Tip link of the group; None for the link with the most moving joints above it.
    ///     package_dirs: Folders in which `model://` and `package://` names of models and meshes are looked up.
    ///
    /// Raises:
    ///     InputError: Malformed or unsupported element (with file and line), unknown link, no chain from base to tip.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    #[pyo3(
        signature = (path_or_xml, *, base=None, tip=None, package_dirs=Paths::default()),
        text_signature = "(path_or_xml, *, base=None, tip=None, package_dirs=())"
    )]
    fn from_sdf(
        py: Python<'_>,
        path_or_xml: UrdfSource,
        base: Option<Text>,
        tip: Option<Text>,
        package_dirs: Paths,
    ) -> Result<Self> {
        let (base, tip) = (base.map(|base| base.0), tip.map(|tip| tip.0));
        let options = UrdfOptions { base, tip, package_dirs: package_dirs.0, ..UrdfOptions::default() };
        Self::load(py, || match path_or_xml.0 {
            Source::Document(xml) => Robot::from_sdf_string_with(&xml, &options),
            Source::File(path) => Robot::from_sdf_with(path, &options),
        })
    }

    /// A robot from a file of any format: .urdf, .xacro, .sdf, .world, .mjcf, .xml (the outermost element says which),
    /// a kinetic.toml or its folder.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: File) -> Result<Self> {
        if is_xacro(&path.0) {
            return Self::load_urdf(py, path.0, UrdfOptions::default(), None);
        }
        Self::load(py, || Robot::from_file(path.0))
    }

    /// A robot of the PyPI package `robot_descriptions`, which downloads the description when it is first asked for.
    ///
    /// Args:
    ///     name: Name of the description, for example "ur5e_mj_description"; "_description" may be left out.
    ///
    /// Raises:
    ///     InputError: The package is not installed, or does not know the name.
    #[staticmethod]
    fn from_description(py: Python<'_>, name: Text) -> Result<Self> {
        let found = py.import(HELPERS)?.call_method1("locate", (name.0,))?;
        let (path, package_dirs, xacro_args): (PathBuf, Vec<PathBuf>, XacroArguments) = found.extract()?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
            return Self::load(py, || Robot::from_file(path));
        }
        let options = UrdfOptions { package_dirs, ..UrdfOptions::default() };
        Self::load_urdf(py, path, options, Some(xacro_args))
    }
}

/// Folder of a package, found as the packages of meshes are.
#[pyfunction]
pub(crate) fn _find_package(name: Text, near: File, package_dirs: Paths) -> Result<PathBuf> {
    let resolver = MeshResolver { base_dir: Some(near.0), package_dirs: package_dirs.0 };
    Ok(resolver.resolve(&format!("package://{}", name.0))?)
}

/// The bytes of a file, refused as by every reader when it is no regular one or too large.
#[pyfunction]
pub(crate) fn _read_file(py: Python<'_>, path: File) -> Result<Bound<'_, PyBytes>> {
    let bytes = py.detach(|| files::read(path.0))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Writes a `kinetic.toml` from the files of a MoveIt configuration: SRDF, joint_limits.yaml, kinematics.yaml.
///
/// The result is read by `Robot.from_path`.
///
/// Args:
///     folder: Folder of the configuration; its files stand in it or in `config` below.
///     urdf: The URDF, not xacro.
///     out: Folder for kinetic.toml; it is made if need be.
///
/// Returns:
///     What has no counterpart, one sentence each.
///
/// Raises:
///     InputError: A malformed file (with file and line), or no single SRDF in the folder.
///     OSError: A file cannot be read or written.
#[pyfunction]
#[pyo3(signature = (folder, *, urdf, out))]
pub(crate) fn import_moveit(py: Python<'_>, folder: File, urdf: File, out: File) -> Result<Vec<String>> {
    Ok(py.detach(|| MoveItConfig::find(folder.0, urdf.0)?.import(out.0))?)
}
