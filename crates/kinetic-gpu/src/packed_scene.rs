//! A scene as data: bodies with their spheres, pairs, obstacles and required clearances in flat arrays.

use std::sync::Arc;

use kinetic_collision_simd::{CollisionModel, MovingBody, Obstacle};
use kinetic_core::{KineticError, Pair, Pose, Result, Shape};
use kinetic_kinematics::Rigid;
use kinetic_scene::Clearance;
use nalgebra::Vector3;

use crate::layout::{
    BODY_STRIDE, FIELD_LOW, FIELD_NODES, Four, KIND_CAPSULE, KIND_CUBOID, KIND_CYLINDER, KIND_FIELD, KIND_HALF_SPACE,
    KIND_SPHERE, MAX_INDEX, NEAREST_FLOATS, OBSTACLE_KIND, OBSTACLE_SIZES, OBSTACLE_STRIDE, PAIR_OWN, PAIR_UNFINISHED,
    PAIR_WORLD, SHAPE_HIGH, SHAPE_LOW, UNCHECKED,
};
use crate::packed_robot::{PackedRobot, rows};
use crate::twin::fk_collide::SceneArrays;
use crate::twin::kinematics::index;
use crate::voxel_field::VoxelField;

/// What single precision is off by, per metre of the size of robot and world, in distances.
const ROUNDING_PER_METRE: f64 = 1e-6;
/// What is added for joint values that enter as they are.
const ROUNDING_OF_UNWRAPPED: f64 = 2e-6;

/// The arrays that the shader reads, and what is needed to read its answers.
#[derive(Debug, Clone)]
pub(crate) struct PackedScene {
    pub(crate) robot: PackedRobot,
    bodies: Vec<Four>,
    spheres: Vec<Four>,
    pairs: Vec<Four>,
    obstacles: Vec<Four>,
    margins: Vec<f32>,
    pub(crate) fields: Vec<f32>,
    /// Grids of shapes, for scenes that hold the same shapes.
    grids: Vec<Arc<VoxelField>>,
    /// Names of bodies and obstacles.
    names: [Vec<String>; 2],
    /// Required clearances per body and obstacle, and of pairs with their bodies, m.
    required: Vec<f64>,
    own: Vec<(usize, usize, f64)>,
    /// What is taken off every slack, m.
    pub(crate) rounding: f64,
}

impl PackedScene {
    /// The arrays of a collision model. Grids of shapes that `known` has are not computed again.
    ///
    /// # Errors
    /// What the shapes report, and [`KineticError::InvalidValue`] for more grid nodes than indices can count.
    pub(crate) fn new(model: &CollisionModel, resolution: f64, known: &[Arc<VoxelField>]) -> Result<Self> {
        let robot = PackedRobot::new(&model.program);
        let mut first = 0;
        let bodies = model.bodies.iter().flat_map(|body| body_elements(body, &mut first)).collect();
        let checked = &model.pairs[..model.checked_pairs];
        let mut scene = Self {
            bodies,
            spheres: model.bodies.iter().flat_map(|body| body.spheres.iter().map(sphere_element)).collect(),
            pairs: checked.iter().map(|pair| [pair.a as f32, pair.b as f32, pair.margin as f32, 0.0]).collect(),
            obstacles: Vec::new(),
            margins: Vec::new(),
            fields: Vec::new(),
            grids: Vec::new(),
            names: [
                model.bodies.iter().map(|body| body.name.clone()).collect(),
                model.world.iter().map(|obstacle| obstacle.name.clone()).collect(),
            ],
            required: required(model),
            own: checked.iter().map(|pair| (pair.a, pair.b, pair.margin)).collect(),
            rounding: rounding(&robot, model),
            robot,
        };
        scene.margins = scene.required.iter().map(|margin| margin.min(f64::from(UNCHECKED)) as f32).collect();
        for obstacle in &model.world {
            let row = scene.obstacle_elements(obstacle, resolution, known)?;
            scene.obstacles.extend(row);
        }
        Ok(scene)
    }

    /// The grids of its shapes.
    pub(crate) fn grids(&self) -> &[Arc<VoxelField>] {
        &self.grids
    }

    /// Numbers of an answer.
    pub(crate) fn floats_per_row(&self, with_gradient: bool) -> usize {
        NEAREST_FLOATS + if with_gradient { self.robot.num_variables() } else { 0 }
    }

    /// The array of the robot: frames, bodies, spheres, pairs.
    pub(crate) fn robot_elements(&self) -> Vec<Four> {
        [self.robot.elements(), &self.bodies, &self.spheres, &self.pairs].concat()
    }

    /// The array of the world: obstacles, and the required clearance of each body and obstacle.
    pub(crate) fn world_elements(&self) -> Vec<Four> {
        let four = |margins: &[f32]| std::array::from_fn(|place| margins.get(place).copied().unwrap_or(UNCHECKED));
        self.obstacles.iter().copied().chain(self.margins.chunks(4).map(four)).collect()
    }

    pub(crate) fn num_obstacles(&self) -> usize {
        self.names[1].len()
    }

    /// Elements of the arrays of the robot and of the world.
    pub(crate) fn num_elements(&self) -> [usize; 2] {
        let robot = self.robot.elements().len() + self.bodies.len() + self.spheres.len() + self.pairs.len();
        [robot, self.obstacles.len() + self.margins.len().div_ceil(4)]
    }

    /// Sizes for the shader, in its order.
    pub(crate) fn sizes(&self, rows: usize, floats_per_row: usize) -> [u32; 11] {
        let bodies = self.robot.elements().len();
        let spheres = bodies + self.bodies.len();
        [
            rows,
            self.robot.num_frames(),
            self.robot.num_variables(),
            bodies,
            self.names[0].len(),
            spheres,
            spheres + self.spheres.len(),
            self.own.len(),
            self.names[1].len(),
            self.obstacles.len(),
            floats_per_row,
        ]
        .map(|size| size as u32)
    }

    /// How often the loops of a thread run, at most, for the tightest pair of a configuration and its gradient: every sphere and every
    /// pair of spheres is looked at, and both carriers up to the root.
    pub(crate) fn loops_per_query(&self) -> usize {
        let counts: Vec<usize> = self.bodies.chunks_exact(BODY_STRIDE).map(|body| index(body[1][2]) + 1).collect();
        let of_body = |count: &usize| 1 + self.names[1].len() * (1 + count);
        let of_pair = |(a, b, _): &(usize, usize, f64)| 1 + counts[*a] * (1 + counts[*b]);
        let world: usize = counts.iter().map(of_body).sum();
        let own: usize = self.own.iter().map(of_pair).sum();
        world + own + 3 * (self.robot.num_frames() + 1)
    }

    /// The arrays for the twin.
    pub(crate) fn arrays(&self) -> SceneArrays<'_> {
        SceneArrays {
            frames: self.robot.elements(),
            bodies: &self.bodies,
            spheres: &self.spheres,
            pairs: &self.pairs,
            obstacles: &self.obstacles,
            margins: &self.margins,
            fields: &self.fields,
        }
    }

    /// The slack of an answer, m; infinite where nothing can touch.
    pub(crate) fn slack(&self, answer: &[f32]) -> f64 {
        if index(answer[1]) == PAIR_WORLD || index(answer[1]) == PAIR_OWN {
            return f64::from(answer[0]) - self.rounding;
        }
        f64::INFINITY
    }

    /// The tightest pair of an answer.
    pub(crate) fn clearance(&self, answer: &[f32]) -> Clearance {
        let [kind, first, second] = [1, 2, 3].map(|place| index(answer[place]));
        let [bodies, obstacles] = &self.names;
        let (margin, pair) = match kind {
            PAIR_WORLD => {
                (self.required[first * obstacles.len() + second], Pair::new(&bodies[first], &obstacles[second]))
            }
            PAIR_OWN => {
                let (a, b, margin) = self.own[first];
                (margin, Pair::new(&bodies[a], &bodies[b]))
            }
            _ => return Clearance { distance: f64::INFINITY, margin: 0.0, pair: None },
        };
        Clearance { distance: self.slack(answer) + margin, margin, pair: Some(pair) }
    }

    fn obstacle_elements(
        &mut self,
        obstacle: &Obstacle,
        resolution: f64,
        known: &[Arc<VoxelField>],
    ) -> Result<[Four; OBSTACLE_STRIDE]> {
        let mut row = [[0.0; 4]; OBSTACLE_STRIDE];
        row[..3].copy_from_slice(&rows(&Rigid::from(&Pose(obstacle.world_from_body.inverse()))));
        let (kind, sizes) = match &obstacle.solid {
            Shape::Sphere { radius } => (KIND_SPHERE, [*radius, 0.0, 0.0, 0.0]),
            Shape::Cuboid { half_extents: half } => (KIND_CUBOID, [half.x, half.y, half.z, 0.0]),
            Shape::Capsule { radius, half_height } => (KIND_CAPSULE, [*radius, *half_height, 0.0, 0.0]),
            Shape::Cylinder { radius, half_height } => (KIND_CYLINDER, [*radius, *half_height, 0.0, 0.0]),
            Shape::HalfSpace { normal, offset } => (KIND_HALF_SPACE, [normal.x, normal.y, normal.z, *offset]),
            other => {
                let same = |grid: &&Arc<VoxelField>| grid.shape == *other && grid.asked == resolution;
                let found = self.grids.iter().chain(known).find(same).map(Arc::clone);
                let grid = found.map_or_else(|| VoxelField::new(other, resolution).map(Arc::new), Ok)?;
                self.add_grid(grid, &mut row)?;
                (KIND_FIELD, [0.0; 4])
            }
        };
        row[OBSTACLE_KIND][0] = kind as f32;
        row[OBSTACLE_SIZES] = sizes.map(|size| size as f32);
        Ok(row)
    }

    fn add_grid(&mut self, grid: Arc<VoxelField>, row: &mut [Four]) -> Result<()> {
        let first = match self.grids.iter().position(|known| Arc::ptr_eq(known, &grid)) {
            Some(place) => self.grids[..place].iter().map(|grid| grid.values.len()).sum(),
            None => self.fields.len(),
        };
        row[OBSTACLE_KIND][1] = first as f32;
        row[OBSTACLE_KIND][2] = grid.resolution as f32;
        let nodes = Vector3::from(grid.nodes.map(|count| count as f64));
        let [low, high] = grid.shape_box;
        for (place, v) in [(FIELD_NODES, nodes), (FIELD_LOW, grid.low), (SHAPE_LOW, low), (SHAPE_HIGH, high)] {
            row[place] = [v.x as f32, v.y as f32, v.z as f32, 0.0];
        }
        if first == self.fields.len() {
            self.fields.extend_from_slice(&grid.values);
            self.grids.push(grid);
        }
        if self.fields.len() > MAX_INDEX {
            let wanted = format!("at most {MAX_INDEX}; a coarser resolution needs fewer");
            return Err(KineticError::invalid("grid nodes of all obstacles", self.fields.len(), wanted));
        }
        Ok(())
    }
}

fn body_elements(body: &MovingBody, first: &mut usize) -> [Four; BODY_STRIDE] {
    let (start, count) = (*first, body.spheres.len());
    *first += count;
    [sphere_element(&(body.center, body.radius)), [body.frame as f32, start as f32, count as f32, 0.0]]
}

fn sphere_element((center, radius): &(Vector3<f64>, f64)) -> Four {
    [center.x, center.y, center.z, *radius].map(|number| number as f32)
}

/// Required clearance of each body and obstacle; infinite for those that are not compared.
fn required(model: &CollisionModel) -> Vec<f64> {
    let obstacles = model.world.len();
    let mut required = vec![f64::INFINITY; model.bodies.len() * obstacles];
    for (index, body) in model.bodies.iter().enumerate() {
        for group in &body.world {
            for (id, _) in model.sets[group.set].shapes() {
                required[index * obstacles + *id as usize] = group.margin;
            }
        }
    }
    required
}

/// A bound on what single precision is off by in a slack, for robot and world of their size.
fn rounding(robot: &PackedRobot, model: &CollisionModel) -> f64 {
    let of_body = |body: &MovingBody| body.center.norm() + body.radius;
    let of_obstacle = |obstacle: &Obstacle| {
        let ball = obstacle.shape.bounding_ball();
        let size = if ball.radius.is_finite() { ball.radius } else { 0.0 };
        ball.center.coords.norm() + size
    };
    let reach = robot.reach() + model.bodies.iter().map(of_body).fold(0.0, f64::max);
    let size = model.world.iter().map(of_obstacle).fold(reach, f64::max);
    let unwrapped = if robot.has_unwrapped() { ROUNDING_OF_UNWRAPPED * reach.max(1.0) } else { 0.0 };
    ROUNDING_PER_METRE * size + unwrapped
}

/// Whether the device looked at all pairs for each of some answers.
pub(crate) fn is_finished(answers: &[f32], width: usize) -> bool {
    answers.chunks_exact(width).all(|answer| index(answer[1]) != PAIR_UNFINISHED)
}
