//! `GpuCollisionChecker`: least distances of batches of configurations in a scene.

use std::sync::Mutex;

use kinetic::core::KineticError;
use kinetic::gpu::{CollisionOptions, ComputeChoice, DeviceCollisionChecker};
use kinetic::scene::{BatchCollisionChecker, Clearance, Margins};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Mask, Matrix, Real, Text, Vector};
use crate::error::Result;
use crate::interrupt::{interruptible, locked, stoppable};
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;

/// Collision checks of many configurations at once, on a GPU of any vendor.
///
/// Links and attached bodies are the spheres that contain them: what is free here is free for `Scene.are_free`, and some of what
/// is not may be. Objects, attached bodies, allowed pairs, margins and paddings are those of the scene at each call; a call uploads
/// what was edited since the last one.
///
/// Args:
///     robot: The robot, or the name of a built-in one, as of the scene; its selected group is checked.
///     scene: The scene.
///     resolution: Distance of the nodes of voxel grids, m: for meshes, hulls and other objects without a closed form.
///     device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.
///     collision_margin: Distance to keep from the world, m.
///     self_margin: Distance to keep between links of the robot, m.
///
/// Raises:
///     InputError: Another robot than that of the scene, numbers that cannot be used, or a device that is not there.
///
/// Example:
///     >>> import kinetic
///     >>> scene = kinetic.Scene("ur5e")
///     >>> scene.add("ball", kinetic.Shape.sphere(0.2), kinetic.Pose.from_xyz(0.6, 0.0, 0.4))
///     >>> checker = kinetic.GpuCollisionChecker("ur5e", scene)
///     >>> found = checker.check_batch([[0.0, -1.5, 1.5, 0.0, 0.0, 0.0], [1.6, -1.5, 1.5, 0.0, 0.0, 0.0]])
///     >>> bool(found["min_distances"][0] < found["min_distances"][1])
///     True
#[pyclass(frozen, module = "kinetic", name = "GpuCollisionChecker")]
pub(crate) struct PyGpuCollisionChecker {
    scene: Py<PyScene>,
    checker: Mutex<DeviceCollisionChecker>,
}

impl PyGpuCollisionChecker {
    /// Asks the checker as the scene is now, until Ctrl-C.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut DeviceCollisionChecker) -> kinetic::core::Result<T> + Send,
    ) -> Result<T> {
        let (scene, (stop, control)) = (self.scene.get().now(), stoppable());
        let mut checker = locked(py, &self.checker)?;
        let checker = &mut *checker;
        Ok(interruptible(py, &stop, || {
            checker.update(&scene)?;
            checker.obey(Some(&control));
            let answer = question(checker);
            checker.obey(None);
            answer
        })??)
    }
}

#[pymethods]
impl PyGpuCollisionChecker {
    #[new]
    #[pyo3(
        signature = (robot, scene, resolution=Real(CollisionOptions::default().resolution), device=Text("auto".to_owned()), *,
                     collision_margin=Real(0.0), self_margin=Real(0.0)),
        text_signature = "(robot, scene, resolution=0.02, device='auto', *, collision_margin=0.0, self_margin=0.0)"
    )]
    fn __new__<'py>(
        py: Python<'py>,
        robot: RobotArg<'py>,
        scene: &Bound<'py, PyScene>,
        resolution: Real,
        device: Text,
        collision_margin: Real,
        self_margin: Real,
    ) -> Result<Self> {
        let (model, now) = (robot.handle(py)?.get().model(), scene.get().now());
        let choice: ComputeChoice = device.0.parse()?;
        let margins = Margins::new(collision_margin.0, self_margin.0);
        let options = CollisionOptions { resolution: resolution.0 };
        // A device takes up to seconds to open.
        let made = py.detach(|| {
            let of_robot = now.with_robot(&model.robot)?;
            DeviceCollisionChecker::new(&choice, &of_robot, &model.group().name, margins, options)
        });
        let checker = made.map_err(KineticError::from)?;
        Ok(Self { scene: scene.clone().unbind(), checker: Mutex::new(checker) })
    }

    /// Whether it computes on a device of Vulkan, Metal or DX12; False on the processor, where the same numbers come from.
    #[getter]
    fn is_gpu(&self, py: Python<'_>) -> Result<bool> {
        Ok(locked(py, &self.checker)?.device().is_gpu())
    }

    /// "cpu", or the adapter with its number, backend and driver.
    #[getter]
    fn device(&self, py: Python<'_>) -> Result<String> {
        Ok(locked(py, &self.checker)?.device().to_string())
    }

    /// Checks many configurations.
    ///
    /// Args:
    ///     configs: Joint values of the group, one row each (N, dof).
    ///     gradients: Also the derivatives of the distances by the joint values.
    ///
    /// Returns:
    ///     A dict: `in_collision` (N,), False where every pair is proven to keep its clearance; `min_distances` (N,), a lower
    ///     bound of the least distance less the clearance that its pair has to keep, m, infinite where nothing can touch; with
    ///     `gradients` also `gradients` (N, dof), m/rad or m/m.
    ///
    /// Raises:
    ///     InputError: NaN or wrong shapes.
    #[pyo3(signature = (configs, *, gradients=false))]
    fn check_batch<'py>(&self, py: Python<'py>, configs: Matrix, gradients: bool) -> Result<Dict<'py>> {
        let rows = configs.num_rows();
        let dof = locked(py, &self.checker)?.dof();
        configs.check_columns("configuration of a batch", dof)?;
        let mut slacks = vec![0.0; rows];
        let mut derivatives = vec![0.0; if gradients { rows * dof } else { 0 }];
        let values = &configs.values;
        let (slacks_out, derivatives_out) = (&mut slacks, &mut derivatives);
        self.ask(py, move |checker| {
            if gradients {
                return checker.gradients_into(values, slacks_out, derivatives_out);
            }
            checker.slacks_into(values, slacks_out)
        })?;
        let free: Vec<bool> = slacks.iter().map(|slack| !(*slack > 0.0)).collect();
        let dict = Dict::new(py).with("in_collision", Mask::new(py, &free))?;
        let dict = dict.with("min_distances", Array::vector(py, &slacks)?)?;
        if !gradients {
            return Ok(dict);
        }
        Ok(dict.with("gradients", Array::new(py, &[rows, dof], &derivatives)?)?)
    }

    /// Checks one configuration: whether it may touch, and the lower bound of the least distance as of `check_batch`, m.
    fn check_single(&self, py: Python<'_>, q: Vector) -> Result<(bool, f64)> {
        let mut slack = [0.0];
        let out = &mut slack;
        self.ask(py, move |checker| checker.slacks_into(&q.0, out))?;
        Ok((!(slack[0] > 0.0), slack[0]))
    }

    /// The tightest pair of each configuration.
    ///
    /// Args:
    ///     configs: Joint values of the group, one row each (N, dof).
    ///
    /// Returns:
    ///     For each the names of a link or attached body and of what is nearest to it; None where nothing can touch.
    fn nearest_pairs(&self, py: Python<'_>, configs: Matrix) -> Result<Vec<Option<(String, String)>>> {
        configs.check_columns("configuration of a batch", locked(py, &self.checker)?.dof())?;
        let values = &configs.values;
        let found = self.ask(py, move |checker| Ok(checker.clearances(values)?))?;
        let names = |clearance: Clearance| clearance.pair.map(|pair| (pair.link, pair.other));
        Ok(found.into_iter().map(names).collect())
    }

    fn __repr__(&self, py: Python<'_>) -> Result<String> {
        let checker = locked(py, &self.checker)?;
        Ok(format!("GpuCollisionChecker(<group \"{}\" on {}>)", checker.group(), checker.device()))
    }
}
