//! Problems in the format of robometrics, in which cuRobo publishes its planning figures (Sundaralingam et al., ICRA 2023): sets of problems of
//! MotionBenchMaker and Motion Policy Networks with poses as goals; see the command `kinetic bench robometrics`.

use std::path::Path;

use kinetic_core::{Control, Goal, KineticError, Pose, Result, Shape};
use kinetic_planning::{Planner, PlanningProblem};
use kinetic_robot::yaml::{YamlNode, YamlSource};
use kinetic_scene::Scene;

use crate::mbm::with_open_grippers;

/// A problem of a file.
#[derive(Debug, Clone)]
pub struct RobometricsProblem {
    /// The set that it belongs to, such as `bookshelf_small_panda`.
    pub set: String,
    /// The problem.
    pub problem: PlanningProblem,
}

/// Reads a YAML file of problems for the robot, group and options of a planner, in its order.
///
/// Goals are the poses of links, lengths are in m, cuboids and cylinders stand around, and grippers are open. Configurations at the goal that come with a
/// problem (`goal_ik`) are not read: to find them is part of the problem.
///
/// # Errors
/// [`KineticError::FileParse`] with the line for a malformed file, an obstacle of another kind, and a start for another number of joints;
/// [`KineticError::LinkNotFound`] for a goal of a link that the robot does not have; [`KineticError::InvalidValue`] for problems in another
/// frame than that in which the planner's group begins, which has to be the root of the robot; that of the control, which is looked at
/// before each problem.
pub fn read_robometrics(
    path: impl AsRef<Path>,
    planner: &Planner,
    control: &Control,
) -> Result<Vec<RobometricsProblem>> {
    let path = path.as_ref();
    let source = YamlSource { file: path.display().to_string() };
    let document = source.parse(&kinetic_core::files::read_text(path)?)?;
    let mut empty = Scene::new(planner.scene().robot())?;
    let open = with_open_grippers(empty.robot());
    empty.hold(&open)?;
    let reader = Reader { source, planner, empty };
    let mut problems = Vec::new();
    for (set, list) in reader.source.entries(&document, "sets of problems")? {
        for node in reader.source.items(list, set)? {
            control.check(0)?;
            problems.push(RobometricsProblem { set: set.to_owned(), problem: reader.problem(node)? });
        }
    }
    Ok(problems)
}

struct Reader<'a> {
    source: YamlSource,
    planner: &'a Planner,
    /// The robot alone, with open grippers.
    empty: Scene,
}

/// Keys and values of a map.
type Entries<'a> = Vec<(&'a str, &'a YamlNode)>;

impl Reader<'_> {
    fn problem(&self, node: &YamlNode) -> Result<PlanningProblem> {
        let entries = self.source.entries(node, "problem")?;
        self.check_frame(self.source.word(self.entry(node, &entries, "world_frame")?, "world_frame")?)?;
        let start = self.entry(node, &entries, "start")?;
        let values = self.source.numbers(start, "start")?;
        let dof = self.planner.group().variables.len();
        if values.len() != dof {
            return Err(self.source.at(start.line, format!("start: {} values for {dof} joints", values.len())));
        }
        let goal = self.goal(self.entry(node, &entries, "goal_pose")?)?;
        let mut scene = self.empty.clone();
        self.add_obstacles(&mut scene, self.entry(node, &entries, "obstacles")?)?;
        self.planner.clone().with_scene(&scene)?.problem(&values, &goal)
    }

    fn entry<'a>(&self, node: &YamlNode, entries: &Entries<'a>, name: &str) -> Result<&'a YamlNode> {
        let found = entries.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or_else(|| self.source.at(node.line, format!("missing field `{name}`")))
    }

    /// Obstacles stand in the frame of the root, goals in that of the group's base.
    fn check_frame(&self, frame: &str) -> Result<()> {
        let robot = self.planner.scene().robot();
        let (root, base) = (&robot.links[0].name, &robot.links[self.planner.group().base_link].name);
        if frame == root && root == base {
            return Ok(());
        }
        let wanted = format!("the root \"{root}\", in which the group begins (it begins at \"{base}\")");
        Err(KineticError::invalid("world_frame", format!("\"{frame}\""), wanted))
    }

    fn goal(&self, node: &YamlNode) -> Result<Goal> {
        let entries = self.source.entries(node, "goal_pose")?;
        let link = self.source.word(self.entry(node, &entries, "frame")?, "frame")?;
        self.planner.scene().robot().link_index(link)?;
        let [x, y, z] = self.vector(self.entry(node, &entries, "position_xyz")?, "position_xyz")?;
        let [w, i, j, k] = self.vector(self.entry(node, &entries, "quaternion_wxyz")?, "quaternion_wxyz")?;
        Ok(Goal::links([(link, self.pose(node, [x, y, z, w, i, j, k])?)]))
    }

    /// The pose of x, y, z and a quaternion with its real part first.
    fn pose(&self, node: &YamlNode, [x, y, z, w, i, j, k]: [f64; 7]) -> Result<Pose> {
        Pose::from_xyz_quat(x, y, z, i, j, k, w).map_err(|error| self.source.at(node.line, error.to_string()))
    }

    /// So many finite numbers.
    fn vector<const N: usize>(&self, node: &YamlNode, name: &str) -> Result<[f64; N]> {
        let values = self.source.numbers(node, name)?;
        let wrong =
            |values: Vec<f64>| self.source.at(node.line, format!("{name}: {} values instead of {N}", values.len()));
        values.try_into().map_err(wrong)
    }

    fn add_obstacles(&self, scene: &mut Scene, node: &YamlNode) -> Result<()> {
        for (kind, obstacles) in self.source.entries(node, "obstacles")? {
            for (name, obstacle) in self.source.entries(obstacles, kind)? {
                let entries = self.source.entries(obstacle, name)?;
                let shape = self.shape(kind, (obstacle, &entries))?;
                let pose = self.entry(obstacle, &entries, "pose")?;
                let root_from_shape = self.pose(pose, self.vector(pose, "pose")?)?;
                scene.add(&format!("{kind} {name}"), shape, root_from_shape)?;
            }
        }
        Ok(())
    }

    fn shape(&self, kind: &str, (node, entries): (&YamlNode, &Entries<'_>)) -> Result<Shape> {
        let number = |name: &str| self.source.number(self.entry(node, entries, name)?, name);
        let shape = match kind {
            "cuboid" => {
                let [x, y, z] = self.vector(self.entry(node, entries, "dims")?, "dims")?;
                Shape::cuboid(0.5 * x, 0.5 * y, 0.5 * z)
            }
            "cylinder" => Shape::cylinder(number("radius")?, 0.5 * number("height")?),
            _ => {
                let detail = format!("obstacles of kind \"{kind}\"; there are cuboid and cylinder");
                return Err(self.source.at(node.line, detail));
            }
        };
        shape.map_err(|error| self.source.at(node.line, error.to_string()))
    }
}
