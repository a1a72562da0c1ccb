//! Joint programs: a robot compiled to flat constants.
//!
//! Fixed joints, and joints whose variable is held, are folded into constants. Each remaining joint becomes one frame
//! whose motion is along or about its own +z axis, so that a kernel over frames has no case for axes.

use kinetic_core::Pose;
use kinetic_robot::{JointType, Robot};
use nalgebra::Vector3;

pub use crate::frame::{Frame, Motion};
use crate::kernel::{Constant, Kernel, Transform};
use crate::rigid::Rigid;
use crate::simd::Lanes;

/// A compiled tree (or chain) of frames, and the links fixed on them.
#[derive(Debug, Clone)]
pub struct JointProgram {
    /// Moving frames, parents first; frame `k` of every method is `frames[k - 1]`, frame 0 the root.
    frames: Vec<Frame>,
    /// Per link: its frame and `frame_from_link`.
    links: Vec<(usize, Rigid)>,
    /// The frames as the kernel takes them.
    kernel: Kernel,
    /// `frame_from_link` as the kernel takes it.
    link_constants: Vec<Constant>,
    num_variables: usize,
}

impl JointProgram {
    /// Compiles the whole robot. `variables` are the active joints that move, in the order of the configuration
    /// vector; all others are held at their value in `held`, a robot-length configuration.
    pub fn compile(robot: &Robot, variables: &[usize], held: &[f64]) -> Self {
        let mut compiler = Compiler::new(robot, variables, held);
        let mut links = vec![(0, Rigid::identity()); robot.links.len()];
        for link in 1..robot.links.len() {
            if let Some(joint) = robot.links[link].parent_joint {
                links[link] = compiler.add(joint, &links[robot.joints[joint].parent]);
            }
        }
        Self::new(compiler.frames, links, variables.len())
    }

    /// Compiles a chain of joints. Links are those the chain passes: its base first, its tip last.
    pub fn compile_chain(robot: &Robot, joints: &[usize], variables: &[usize], held: &[f64]) -> Self {
        let mut compiler = Compiler::new(robot, variables, held);
        let mut links = vec![(0, Rigid::identity())];
        for joint in joints {
            let parent = links[links.len() - 1];
            links.push(compiler.add(*joint, &parent));
        }
        Self::new(compiler.frames, links, variables.len())
    }

    /// Compiles the joints from one link up to another one, nearest first, and from there down to a third one. Links are those
    /// the path passes: the first is the root.
    pub(crate) fn compile_between(robot: &Robot, [up, down]: [&[usize]; 2], variables: &[usize], held: &[f64]) -> Self {
        let mut compiler = Compiler::new(robot, variables, held);
        let mut links = vec![(0, Rigid::identity())];
        for joint in up {
            let child = links[links.len() - 1];
            links.push(compiler.add_inverse(*joint, &child));
        }
        for joint in down {
            let parent = links[links.len() - 1];
            links.push(compiler.add(*joint, &parent));
        }
        Self::new(compiler.frames, links, variables.len())
    }

    pub(crate) fn new(frames: Vec<Frame>, links: Vec<(usize, Rigid)>, num_variables: usize) -> Self {
        let kernel = Kernel::new(&frames);
        let link_constants = links.iter().map(|(_, frame_from_link)| Constant::new(frame_from_link)).collect();
        Self { frames, links, kernel, link_constants, num_variables }
    }

    /// Length of the configuration vector.
    pub fn num_variables(&self) -> usize {
        self.num_variables
    }

    /// Number of frames, the root included.
    pub fn num_frames(&self) -> usize {
        self.frames.len() + 1
    }

    /// The moving frames: frame `k` is element `k - 1`.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The frame a link is fixed on, and the link's pose in it.
    pub fn link(&self, link: usize) -> (usize, &Rigid) {
        let (frame, frame_from_link) = &self.links[link];
        (*frame, frame_from_link)
    }

    /// Number of links.
    pub fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Poses of all frames in the root, `root_from_frame`, root first. `out` must hold [`num_frames`](Self::num_frames).
    #[inline]
    pub fn frames_into(&self, q: &[f64], out: &mut [Rigid]) {
        self.place(q, out);
    }

    /// As [`frames_into`](Self::frames_into); returns the pose of the last frame as well.
    #[inline]
    pub(crate) fn place(&self, q: &[f64], out: &mut [Rigid]) -> Transform<f64> {
        self.kernel.place(q, out)
    }

    /// Poses of all frames for several configurations in SIMD lanes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "otherwise compiled without the wide instructions")]
    pub(crate) fn place_lanes<const W: usize>(&self, q: &[Lanes<W>], out: &mut [Transform<Lanes<W>>]) {
        self.kernel.place_lanes(q, out);
    }

    /// Poses of all frames, allocating.
    pub fn frame_poses(&self, q: &[f64]) -> Vec<Rigid> {
        let mut frames = vec![Rigid::identity(); self.num_frames()];
        self.frames_into(q, &mut frames);
        frames
    }

    /// Poses of all links in the root from those of the frames, which [`frames_into`](Self::frames_into) wrote. `out`
    /// must hold [`num_links`](Self::num_links).
    #[inline]
    pub fn links_into(&self, frames: &[Rigid], out: &mut [Rigid]) {
        for (index, constant) in self.link_constants.iter().enumerate() {
            out[index] = constant.after_rigid(&frames[self.links[index].0]);
        }
    }

    /// Poses of all links in the root, `root_from_link`.
    pub fn link_poses(&self, q: &[f64]) -> Vec<Pose> {
        let frames = self.frame_poses(q);
        self.links.iter().map(|(frame, frame_from_link)| frames[*frame].then(frame_from_link).to_pose()).collect()
    }

    /// The moving frames on the path from `frame` to the root, nearest first, `frame` included.
    pub fn ancestors(&self, frame: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut current = frame;
        while current != 0 {
            path.push(current);
            current = self.frames[current - 1].parent;
        }
        path
    }
}

struct Compiler<'a> {
    robot: &'a Robot,
    /// Per active joint its place in the configuration vector, if it moves.
    places: Vec<Option<usize>>,
    held: &'a [f64],
    frames: Vec<Frame>,
}

impl<'a> Compiler<'a> {
    fn new(robot: &'a Robot, variables: &'a [usize], held: &'a [f64]) -> Self {
        let mut places = vec![None; robot.num_variables()];
        for (place, variable) in variables.iter().enumerate().rev() {
            places[*variable] = Some(place);
        }
        Self { robot, places, held, frames: Vec::new() }
    }

    /// Frame and pose in it of the child link of `joint`, whose parent link is placed at `parent`.
    fn add(&mut self, index: usize, parent: &(usize, Rigid)) -> (usize, Rigid) {
        let joint = &self.robot.joints[index];
        let still = (parent.0, parent.1.then(&Rigid::from(&joint.parent_from_joint)));
        self.move_about(index, &joint.axis, &still)
    }

    /// Frame and pose in it of the parent link of `joint`, whose child link is placed at `child`: the joint moves about its axis
    /// turned round.
    fn add_inverse(&mut self, index: usize, child: &(usize, Rigid)) -> (usize, Rigid) {
        let joint = &self.robot.joints[index];
        let (frame, frame_from_joint) = self.move_about(index, &-joint.axis, child);
        let parent_from_joint = Rigid::from(&joint.parent_from_joint);
        (frame, frame_from_joint.then(&parent_from_joint.inverse()))
    }

    /// Frame and pose in it of what a joint moves along or about an axis, from where it is `still`.
    fn move_about(&mut self, index: usize, axis: &Vector3<f64>, still: &(usize, Rigid)) -> (usize, Rigid) {
        let joint = &self.robot.joints[index];
        let (Some(motion), Some(robot_variable)) = (motion_of(joint.joint_type), variable_of(self.robot, index)) else {
            return *still;
        };
        let (multiplier, offset) = joint.mimic.as_ref().map_or((1.0, 0.0), |mimic| (mimic.multiplier, mimic.offset));
        let joint_from_frame = axis_frame(axis);
        let (parent, parent_from_frame) = (still.0, still.1.then(&joint_from_frame));
        let frame_from_joint = inverse_rotation(&joint_from_frame);
        if let Some(variable) = self.places[robot_variable] {
            self.frames.push(Frame { parent, parent_from_frame, motion, variable, multiplier, offset });
            return (self.frames.len(), frame_from_joint);
        }
        let value = multiplier * self.held[robot_variable] + offset;
        let moved = match motion {
            Motion::Rotation => parent_from_frame.rotated_z(value),
            Motion::Translation => parent_from_frame.moved_z(value),
        };
        (parent, moved.then(&frame_from_joint))
    }
}

/// The active joint (as an index into the robot's active joints) that drives `joint`; `None` for a fixed joint.
pub(crate) fn variable_of(robot: &Robot, joint: usize) -> Option<usize> {
    let joint = &robot.joints[joint];
    match &joint.mimic {
        Some(mimic) => robot.joints[mimic.joint].variable,
        None => joint.variable,
    }
}

fn motion_of(joint_type: JointType) -> Option<Motion> {
    match joint_type {
        JointType::Revolute | JointType::Continuous => Some(Motion::Rotation),
        JointType::Prismatic => Some(Motion::Translation),
        JointType::Fixed => None,
    }
}

/// Rotation that takes +z to `axis`. Exact for the coordinate axes, so that no rounding enters from them.
fn axis_frame(axis: &Vector3<f64>) -> Rigid {
    let columns = match [axis.x, axis.y, axis.z] {
        [0.0, 0.0, 1.0] => return Rigid::identity(),
        [x, 0.0, 0.0] => [[0.0, 1.0, 0.0], [0.0, 0.0, x], [x, 0.0, 0.0]],
        [0.0, y, 0.0] => [[0.0, 0.0, y], [1.0, 0.0, 0.0], [0.0, y, 0.0]],
        [x, y, z] => {
            // Duff et al. 2017, "Building an orthonormal basis, revisited": as accurate next to -z as elsewhere.
            let sign = 1.0_f64.copysign(z);
            let a = -1.0 / (sign + z);
            let b = x * y * a;
            [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y], [x, y, z]]
        }
    };
    let rotation = nalgebra::Matrix3::from_columns(&columns.map(|c| Vector3::new(c[0], c[1], c[2])));
    Rigid { rotation, translation: Vector3::zeros() }
}

fn inverse_rotation(pure_rotation: &Rigid) -> Rigid {
    Rigid { rotation: pure_rotation.rotation.transpose(), translation: Vector3::zeros() }
}
