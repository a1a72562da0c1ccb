//! Forward kinematics of batches of configurations: poses of all links in single precision.

use std::sync::Arc;

use kinetic_core::{Control, Result};
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::choice::DeviceChoice;
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
use crate::layout::{self, Four, PLACED_FLOATS};
use crate::packed_robot::{PackedRobot, link_elements};
use crate::twin::kinematics::{PlacedFrame, link_poses, place_frames};

/// Numbers of a pose: the rows of a 3 × 4 matrix.
const POSE_FLOATS: usize = 12;
/// Buffers that the shader reads.
const FK_INPUTS: usize = 3;

/// The text of the shader.
pub(crate) fn text() -> String {
    layout::with_kinematics(include_str!("shaders/batch_fk.wgsl"))
}

/// All joints of a robot that move, and its links.
#[derive(Debug, Clone)]
struct RobotLinks {
    robot: PackedRobot,
    links: Vec<Four>,
    num_links: usize,
}

impl RobotLinks {
    fn new(robot: &Robot) -> Self {
        let variables: Vec<usize> = (0..robot.num_variables()).collect();
        let program = JointProgram::compile(robot, &variables, &robot.neutral_configuration());
        Self { robot: PackedRobot::new(&program), links: link_elements(&program), num_links: program.num_links() }
    }

    fn floats_per_row(&self) -> usize {
        self.num_links * POSE_FLOATS
    }
}

/// Forward kinematics on a device. The robot stays there between calls.
#[derive(Debug)]
pub struct GpuKinematics {
    robot: RobotLinks,
    kernel: Kernel,
}

impl GpuKinematics {
    /// For all joints of a robot.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(device: &Arc<GpuDevice>, robot: &Robot) -> GpuResult<Self> {
        let robot = RobotLinks::new(robot);
        let mut kernel = Kernel::new(device, "batch_fk", &text(), FK_INPUTS)?;
        kernel.upload(1, &[robot.robot.elements(), &robot.links].concat())?;
        Ok(Self { robot, kernel })
    }

    /// Poses of all links of the robot in its root, `root_from_link`, for configurations of robot length, row after row.
    ///
    /// The answer has shape (configurations, links, 3, 4): the rows of a homogeneous matrix without its last, translations
    /// in m. Angles are taken modulo a turn in double precision, so that continuous joints keep their accuracy.
    ///
    /// # Errors
    /// [`GpuError::Input`](crate::GpuError::Input) for an incomplete row, NaN, or values beyond ±32 of joints that slide or
    /// have followers with broken multipliers; and those of the device.
    pub fn link_poses(&mut self, configurations: &[f64]) -> GpuResult<Vec<f32>> {
        self.link_poses_within(configurations, &Control::default())
    }

    /// As [`link_poses`](Self::link_poses), with a control that is looked at between dispatches.
    ///
    /// # Errors
    /// As [`link_poses`](Self::link_poses), and that of the control.
    pub fn link_poses_within(&mut self, configurations: &[f64], control: &Control) -> GpuResult<Vec<f32>> {
        let packed = self.robot.robot.pack_configurations(configurations)?;
        let RobotLinks { robot, num_links, .. } = &self.robot;
        let (width, floats) = (robot.num_variables().max(1), self.robot.floats_per_row());
        let scratch = robot.num_frames() * PLACED_FLOATS;
        let rows_per_dispatch = self.kernel.device().max_rows(size_of::<f32>() * floats.max(width).max(scratch));
        let fixed = [robot.num_frames(), width, robot.elements().len(), *num_links].map(|size| size as u32);
        let (mut poses, mut part) = (Vec::with_capacity(packed.len() / width * floats), Vec::new());
        for chunk in packed.chunks(rows_per_dispatch * width) {
            let rows = chunk.len() / width;
            control.check((poses.len() / floats.max(1)) as u64)?;
            self.kernel.upload(0, &[&[rows as u32][..], &fixed].concat())?;
            self.kernel.upload(2, chunk)?;
            self.kernel.run(rows, [floats, scratch], &mut part)?;
            poses.append(&mut part);
        }
        Ok(poses)
    }
}

/// Forward kinematics on the processor, with the arithmetic of [`GpuKinematics`].
#[derive(Debug, Clone)]
pub struct CpuKinematics {
    robot: RobotLinks,
    frames: Vec<PlacedFrame>,
}

impl CpuKinematics {
    /// For all joints of a robot.
    pub fn new(robot: &Robot) -> Self {
        let robot = RobotLinks::new(robot);
        Self { frames: vec![PlacedFrame::root(); robot.robot.num_frames()], robot }
    }

    /// As [`GpuKinematics::link_poses`].
    ///
    /// # Errors
    /// As [`GpuKinematics::link_poses`], but for those of the device.
    pub fn link_poses(&mut self, configurations: &[f64]) -> Result<Vec<f32>> {
        let packed = self.robot.robot.pack_configurations(configurations)?;
        let (width, floats) = (self.robot.robot.num_variables().max(1), self.robot.floats_per_row());
        let mut poses = vec![0.0; packed.len() / width * floats];
        for (q, out) in packed.chunks_exact(width).zip(poses.chunks_exact_mut(floats.max(1))) {
            place_frames(self.robot.robot.elements(), q, &mut self.frames);
            link_poses(&self.frames, &self.robot.links, out);
        }
        Ok(poses)
    }
}

/// Poses of all links for a batch of configurations, on the device of [`DeviceChoice::Auto`]: the one-liner, which opens
/// the device and compiles the shader. For more than one batch keep a [`GpuKinematics`], whose
/// [`link_poses`](GpuKinematics::link_poses) describes the answer.
///
/// # Errors
/// As [`GpuDevice::open`], [`GpuKinematics::new`] and [`GpuKinematics::link_poses`].
pub fn batch_fk_gpu(robot: &Robot, configurations: &[f64]) -> GpuResult<Vec<f32>> {
    GpuKinematics::new(&GpuDevice::open(&DeviceChoice::Auto)?, robot)?.link_poses(configurations)
}
