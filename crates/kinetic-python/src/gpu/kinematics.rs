//! Forward and inverse kinematics of batches on a device.

use kinetic::core::error::check_finite;
use kinetic::core::{KineticError, Pose};
use kinetic::gpu::{CollisionOptions, ComputeDevice, CpuKinematics, GpuInverseKinematics, GpuKinematics};
use kinetic::kinematics::InverseKinematics;
use kinetic::kinematics::ik::{IKConfig, IKSolution};
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, Text};
use crate::error::Result;
use crate::ik::acceptance::Acceptance;
use crate::interrupt::{interruptible, stoppable};
use crate::robot::argument::RobotArg;

/// Numbers of a pose as the device has them, and as Python does.
const POSE_FLOATS: usize = 12;
const MATRIX_FLOATS: usize = 16;

/// Poses of all links for many configurations, in single precision on a GPU.
///
/// Args:
///     robot: The robot, or the name of a built-in one.
///     configs: Joint values, one row each (N, dof), or in the length of the robot.
///     device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.
///
/// Returns:
///     Poses (N, links, 4, 4) of the links in the root frame, in the order of `Robot.links`: those of `fk_all` to 1e-5 m.
///
/// Raises:
///     InputError: NaN, wrong shapes, or a device that is not there.
///
/// Example:
///     >>> import kinetic
///     >>> robot = kinetic.Robot("ur5e")
///     >>> kinetic.batch_fk_gpu(robot, [[0.0] * 6, [0.1] * 6]).shape[2:]
///     (4, 4)
#[pyfunction]
#[pyo3(
    signature = (robot, configs, device=Text("auto".to_owned())),
    text_signature = "(robot, configs, device='auto')"
)]
pub(crate) fn batch_fk_gpu<'py>(
    py: Python<'py>,
    robot: RobotArg<'py>,
    configs: Matrix,
    device: Text,
) -> Result<Array<'py>> {
    let model = robot.handle(py)?.get().model();
    // Before rows are made longer, so that the index is that of the array.
    check_finite("configurations of a batch", &configs.values)?;
    let rows: Vec<Vec<f64>> = configs
        .rows()
        .map(|row| model.robot.full_configuration(model.group(), row))
        .collect::<kinetic::core::Result<_>>()?;
    let (choice, rows, (stop, control)) = (device.0.parse()?, rows.concat(), stoppable());
    let poses = interruptible(py, &stop, || match ComputeDevice::open(&choice)? {
        ComputeDevice::Cpu => CpuKinematics::new(&model.robot).link_poses(&rows),
        ComputeDevice::Gpu(device) => {
            Ok(GpuKinematics::new(&device, &model.robot)?.link_poses_within(&rows, &control)?)
        }
    })??;
    let shape = [configs.num_rows(), model.robot.links.len(), 4, 4];
    Array::filled(py, &shape, None, |out| {
        for (matrix, pose) in out.chunks_exact_mut(MATRIX_FLOATS).zip(poses.chunks_exact(POSE_FLOATS)) {
            matrix.iter_mut().zip(pose).for_each(|(to, from)| *to = f64::from(*from));
            matrix[POSE_FLOATS..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        }
        Ok(())
    })
}

/// All poses on a device, until Ctrl-C. None where the choice is the processor.
pub(crate) fn solve_on_device(
    py: Python<'_>,
    device: &str,
    ik: &InverseKinematics,
    (targets, seeds): (&[Pose], &[&[f64]]),
    config: &IKConfig,
    accept: &Acceptance,
) -> Result<Option<Vec<Option<IKSolution>>>> {
    let choice = device.parse()?;
    let ComputeDevice::Gpu(device) = py.detach(|| ComputeDevice::open(&choice)).map_err(KineticError::from)? else {
        return Ok(None);
    };
    let solved = interruptible(py, &config.stop, || {
        let mut solver = GpuInverseKinematics::for_config(&device, ik.chain(), config)?;
        if let Some((scene, group, margins)) = accept.scene() {
            solver = solver.in_scene(scene, group, margins, CollisionOptions::default())?;
        }
        solver.solve_batch_where(targets, seeds, config, &|q| accept.takes(q))
    })?;
    Ok(Some(solved.map_err(KineticError::from)?))
}
