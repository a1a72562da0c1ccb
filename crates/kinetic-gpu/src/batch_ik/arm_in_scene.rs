//! The arm among the bodies of a scene, as arrays.

use kinetic_core::{KineticError, Result};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::PlanningGroup;
use kinetic_scene::{Checker, Margins, Scene};

use crate::collision::CollisionOptions;
use crate::layout::Four;
use crate::packed_robot::rows;
use crate::packed_scene::PackedScene;

/// A scene as arrays, and where the base of the chain is in it.
#[derive(Debug, Clone)]
pub(super) struct ArmInScene {
    pub(super) packed: PackedScene,
    pub(super) root_from_base: Rigid,
}

impl ArmInScene {
    /// Of the chain of a group; with the tip of the chain in the forward kinematics of the scene.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a group of other joints than the chain, a base that the group moves, or options out of their
    /// domain; as [`Scene::checker`].
    pub(super) fn new(
        chain: &KinematicChain,
        scene: &Scene,
        group: &str,
        margins: Margins,
        options: CollisionOptions,
    ) -> Result<(Self, Vec<Four>)> {
        options.check()?;
        let planned = scene.robot().group(group)?;
        check_same_joints(chain, scene, planned)?;
        let checker = scene.checker(group, margins)?;
        let (frame, root_from_base) = checker.model().program.link(planned.base_link);
        if frame != 0 {
            let given = scene.robot().links[planned.base_link].name.clone();
            return Err(KineticError::invalid("base of the chain", given, "a link that the group does not move"));
        }
        let packed = PackedScene::new(checker.model(), options.resolution, &[])?;
        Ok((Self { packed, root_from_base: *root_from_base }, tip_in(&checker, planned, chain)))
    }

    /// The sizes of the scene for the shader, those of its fourth place first.
    pub(super) fn sizes(&self) -> [usize; 8] {
        let sizes = self.packed.sizes(0, 0);
        std::array::from_fn(|place| sizes[place + 3] as usize)
    }
}

/// Frame and pose in it of the tool of a chain, in the forward kinematics of a checker.
fn tip_in(checker: &Checker, group: &PlanningGroup, chain: &KinematicChain) -> Vec<Four> {
    let (frame, frame_from_link) = checker.model().program.link(group.tip_link);
    tip_elements((frame, &frame_from_link.then(&Rigid::from(&chain.tcp()))))
}

/// # Errors
/// [`KineticError::InvalidValue`] for a group that moves other joints than the chain.
fn check_same_joints(chain: &KinematicChain, scene: &Scene, group: &PlanningGroup) -> Result<()> {
    let robot = scene.robot();
    let names = group.variables.iter().map(|variable| &robot.joints[robot.active_joints[*variable]].name);
    if chain.joint_names().iter().eq(names.clone()) {
        return Ok(());
    }
    let given = format!("{:?} of group \"{}\"", names.collect::<Vec<_>>(), group.name);
    Err(KineticError::invalid("joints", given, format!("those of the chain, {:?}", chain.joint_names())))
}

/// The rows of `frame_from_tip`, then the frame.
pub(super) fn tip_elements((frame, frame_from_tip): (usize, &Rigid)) -> Vec<Four> {
    let [a, b, c] = rows(frame_from_tip);
    vec![a, b, c, [frame as f32, 0.0, 0.0, 0.0]]
}
