//! Whether two convex pieces are farther apart than a bound, or certainly not, in single precision.
//!
//! A direction along which the gap between two bodies exceeds a bound proves that they are farther apart, and finding the
//! extents of both along it is all that a trial costs: the corners of a hull lie eight together. The direction that parted
//! a pair last is tried first, since bodies that move a little stay apart along it; then GJK looks for one. A point of the
//! difference of the two that is nearer to the origin than the bound proves the opposite.
//!
//! Both proofs leave room for rounding and for what the exact tier may be short of the true distance
//! ([`GAP`](kinetic_collision::exact::GAP)), so that the exact tier would say the same, whatever was asked before; it is
//! asked about everything between.

mod simplex;

use std::sync::Arc;

use kinetic_collision::exact::{Body, GAP};
use kinetic_core::Shape;
use kinetic_kinematics::Rigid;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::collision_model::{MovingBody, Obstacle};
use crate::dispatch::{Instructions, PackedKernel};
use crate::rounding::{LARGEST_COORDINATE, single, upward};
use crate::separation::simplex::{Nearest, Simplex};
use crate::tier::{SimdTier, detect_simd_tier};
use crate::vector::{Lanes, Plain, Point};

const W: usize = 8;

/// A point or direction in single precision.
type Vector = [f32; 3];

/// Trials of directions; most searches end after two to four.
const ROUNDS: usize = 10;

/// Directions that are remembered, a power of two.
const REMEMBERED: usize = 256;

/// What rounding can do to a gap, relative to the distance of the centres and the two radii: the corners, the relative pose
/// and the direction are off by a few units of 6e-8 each, and products of three terms by as many.
const ROUNDING: f32 = 4e-6;

/// Along the axis of a cylinder but for this, a direction has the middle of the end as its farthest point.
const LEAST_ACROSS: f32 = 1e-3;

/// What is left of a piece when its rounding is taken off, around its centre and turned as its frame is.
#[derive(Debug, Clone)]
enum Core {
    /// Corners of a hull, the last one repeated.
    Corners(Vec<Point<Plain<W>>>),
    /// Half the edges of a box; without length where there are fewer, of capsules and spheres.
    Box([Vector; 3]),
    Cylinder {
        axis: Vector,
        radius: f32,
        half: f32,
    },
}

/// A convex piece of a body, or an obstacle.
#[derive(Debug, Clone)]
struct Piece {
    core: Core,
    /// In the frame that carries it.
    center: Vector3<f64>,
    /// Of a ball around it, rounding included, m.
    radius: f64,
    rounding: f32,
}

impl Piece {
    /// `None` for what is not convex or not bounded.
    fn new(body: &Body, frame_from_body: &Isometry3<f64>) -> Option<Self> {
        if body.compound().is_some() {
            return None;
        }
        let ball = body.bounding_ball();
        let center = (frame_from_body * ball.center).coords;
        let rotation = frame_from_body.rotation.to_rotation_matrix();
        let edges = |half: Vector3<f64>| {
            let axis = |k: usize| single(&(rotation.matrix().column(k) * half[k]));
            Core::Box([axis(0), axis(1), axis(2)])
        };
        // All but hulls are around their origin, which is the centre of their ball.
        let core = match body.shape() {
            Shape::Sphere { .. } => edges(Vector3::zeros()),
            Shape::Capsule { half_height, .. } => edges(Vector3::new(0.0, 0.0, half_height)),
            Shape::Cuboid { half_extents } => edges(half_extents),
            Shape::Cylinder { radius, half_height } => {
                let axis = single(&rotation.matrix().column(2).into_owned());
                Core::Cylinder { axis, radius: radius as f32, half: half_height as f32 }
            }
            Shape::Convex { vertices, .. } => {
                let placed = |point: &Point3<f64>| single(&((frame_from_body * point).coords - center));
                Core::Corners(blocks(&vertices.iter().map(placed).collect::<Vec<_>>()))
            }
            _ => return None,
        };
        Some(Self { core, center, radius: ball.radius, rounding: body.rounding_radius() as f32 })
    }
}

#[inline(always)]
fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn along(a: Vector, direction: Vector, length: f32) -> Vector {
    [a[0] + direction[0] * length, a[1] + direction[1] * length, a[2] + direction[2] * length]
}

#[inline(always)]
fn double(v: Vector) -> [f64; 3] {
    [f64::from(v[0]), f64::from(v[1]), f64::from(v[2])]
}

fn blocks(points: &[Vector]) -> Vec<Point<Plain<W>>> {
    let block = |chunk: &[Vector]| {
        let of = |axis: usize| Plain(std::array::from_fn(|lane| chunk[lane.min(chunk.len() - 1)][axis]));
        Point { x: of(0), y: of(1), z: of(2) }
    };
    points.chunks(W).map(block).collect()
}

impl Core {
    /// Largest product of a point with a direction.
    #[inline(always)]
    fn extent(&self, direction: Vector) -> f32 {
        match self {
            Self::Corners(blocks) => {
                let mut most = Plain::<W>::splat(f32::NEG_INFINITY);
                for block in blocks {
                    most = most.max(block.dot_fixed(direction));
                }
                most.largest()
            }
            Self::Box([x, y, z]) => dot(*x, direction).abs() + dot(*y, direction).abs() + dot(*z, direction).abs(),
            Self::Cylinder { axis, radius, half } => {
                let height = dot(*axis, direction);
                let across = along(direction, *axis, -height);
                half * height.abs() + radius * dot(across, across).sqrt()
            }
        }
    }

    /// The point that has the largest product, which is known.
    #[inline(always)]
    fn farthest(&self, direction: Vector, extent: f32) -> Vector {
        match self {
            Self::Corners(blocks) => {
                let mut found = [0.0; 3];
                for block in blocks {
                    let short = Plain::splat(extent) - block.dot_fixed(direction);
                    let reached = short.not_positive();
                    if reached != 0 {
                        let lane = reached.trailing_zeros() as usize;
                        found = [block.x.0[lane], block.y.0[lane], block.z.0[lane]];
                        break;
                    }
                }
                found
            }
            Self::Box(edges) => {
                let mut corner = [0.0; 3];
                for edge in edges {
                    corner = along(corner, *edge, 1.0_f32.copysign(dot(*edge, direction)));
                }
                corner
            }
            Self::Cylinder { axis, radius, half } => {
                let height = dot(*axis, direction);
                let across = along(direction, *axis, -height);
                // Once more: what cancelled must not lift the point off the cylinder.
                let across = along(across, *axis, -dot(*axis, across));
                let length = dot(across, across).sqrt();
                let scale = if length > LEAST_ACROSS { radius / length } else { 0.0 };
                along(across.map(|value| value * scale), *axis, half.copysign(height))
            }
        }
    }
}

/// What is certain about two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separated {
    /// Farther apart than the bound.
    Yes,
    /// Not farther apart.
    No,
    /// Too close to the bound for single precision, or of a kind that is not looked at here.
    Perhaps,
}

/// The direction that parted two pieces, in the frame of the first.
#[derive(Debug, Clone, Copy, Default)]
struct StoredResults {
    pair: (u32, u32),
    direction: Vector,
}

/// All pieces of a checker, those of the robot's bodies first, and the directions that parted pairs of them.
#[derive(Debug, Clone)]
pub struct SeparationTest {
    /// `None` where every fused multiply-add is a call of a function: double precision is quicker then.
    instructions: Option<Instructions>,
    pieces: Arc<[Option<Piece>]>,
    /// The obstacles, which have the numbers after these.
    obstacles: Arc<[Option<Piece>]>,
    /// Number of the first piece of every body, and of the first obstacle.
    first: Arc<[u32]>,
    known: Vec<StoredResults>,
}

impl SeparationTest {
    /// For the convex pieces of some bodies and obstacles, with the widest instructions that the processor has.
    pub fn new(bodies: &[MovingBody], world: &[Obstacle]) -> Self {
        let mut pieces = Vec::new();
        let mut first = Vec::with_capacity(bodies.len() + 1);
        for body in bodies {
            first.push(pieces.len() as u32);
            // Balls are measured as such, without pieces.
            let is_looked_at = !body.spheres_are_exact;
            pieces.extend(
                body.pieces
                    .iter()
                    .map(|part| is_looked_at.then(|| Piece::new(&part.body, &part.frame_from_piece)).flatten()),
            );
        }
        first.push(pieces.len() as u32);
        Self {
            instructions: Instructions::with_fused_multiply_add(detect_simd_tier()),
            pieces: pieces.into(),
            obstacles: pieces_of(world),
            first: first.into(),
            known: vec![StoredResults::default(); REMEMBERED],
        }
    }

    /// With other obstacles.
    pub fn set_obstacles(&mut self, world: &[Obstacle]) {
        self.obstacles = pieces_of(world);
        self.forget();
    }

    /// Takes over where an obstacle is now. Directions of before are where searches begin, and decide nothing.
    pub fn move_obstacle(&mut self, id: u32, other: &Obstacle) {
        Arc::make_mut(&mut self.obstacles)[id as usize] = Piece::new(&other.body, &other.world_from_body);
    }

    /// Without the directions of earlier questions.
    pub fn forget(&mut self) {
        self.known.fill(StoredResults::default());
    }

    /// With other instructions.
    pub fn set_tier(&mut self, tier: SimdTier) {
        self.instructions = Instructions::with_fused_multiply_add(tier);
    }

    /// Number of a body's piece.
    pub fn piece(&self, body: usize, piece: usize) -> usize {
        self.first[body] as usize + piece
    }

    /// Number of an obstacle.
    pub fn obstacle(&self, id: u32) -> usize {
        (self.first[self.first.len() - 1] + id) as usize
    }

    /// Whether two pieces, each with the pose of the frame that carries it, are farther apart than `bound` (m). `None` is
    /// the pose of what stands in the root frame.
    pub fn parts(&mut self, a: (usize, Option<&Rigid>), b: (usize, &Rigid), bound: f64) -> Separated {
        let Some(instructions) = self.instructions else { return Separated::Perhaps };
        let Self { pieces, obstacles, known, .. } = self;
        let (Some(piece_a), Some(piece_b)) = (numbered(pieces, obstacles, a.0), numbered(pieces, obstacles, b.0))
        else {
            return Separated::Perhaps;
        };
        let (rotation, offset) = relative((piece_a, a.1), (piece_b, b.1));
        let apart = offset.norm();
        let size = apart + piece_a.radius + piece_b.radius;
        if apart - piece_a.radius - piece_b.radius > bound + GAP * size {
            return Separated::Yes;
        }
        if !(size < LARGEST_COORDINATE && bound >= 0.0) {
            return Separated::Perhaps;
        }
        let pair = (a.0 as u32, b.0 as u32);
        let place = place_of(pair);
        let last = known[place];
        let is_known = last.pair == pair && last.direction != [0.0; 3];
        let offset = single(&offset);
        // The exact tier's distance is short of the true one by at most its gap; twice that is room enough.
        let pad = ROUNDING * upward(size) + upward(2.0 * GAP * size);
        let mut search = Search {
            pieces: (piece_a, piece_b),
            rotation,
            offset,
            bound: upward(bound) + piece_a.rounding + piece_b.rounding,
            pad,
            direction: if is_known { last.direction } else { offset },
            is_unit: is_known,
            found: Separated::Perhaps,
        };
        instructions.run_eight(&mut search);
        if search.found == Separated::Yes {
            known[place] = StoredResults { pair, direction: search.direction };
        }
        search.found
    }
}

/// The piece of a number, of bodies or after them of obstacles; `None` for those that are not looked at here.
#[inline(always)]
fn numbered<'a>(bodies: &'a [Option<Piece>], obstacles: &'a [Option<Piece>], number: usize) -> Option<&'a Piece> {
    let piece = match number.checked_sub(bodies.len()) {
        None => &bodies[number],
        Some(obstacle) => &obstacles[obstacle],
    };
    piece.as_ref()
}

fn pieces_of(world: &[Obstacle]) -> Arc<[Option<Piece>]> {
    world.iter().map(|other| Piece::new(&other.body, &other.world_from_body)).collect()
}

/// Axes of the second frame in the first (row after row), and the way between the centres.
#[inline]
fn relative(
    (a, root_from_a): (&Piece, Option<&Rigid>),
    (b, root_from_b): (&Piece, &Rigid),
) -> ([Vector; 3], Vector3<f64>) {
    let center = root_from_b.point(&b.center);
    let (rotation, offset) = match root_from_a {
        None => (root_from_b.rotation, center - a.center),
        Some(frame) => {
            let from_root = frame.rotation.transpose();
            (from_root * root_from_b.rotation, from_root * (center - frame.translation) - a.center)
        }
    };
    (std::array::from_fn(|row| std::array::from_fn(|column| rotation[(row, column)] as f32)), offset)
}

/// Where the direction of a pair is remembered.
#[inline]
fn place_of((a, b): (u32, u32)) -> usize {
    // Fibonacci hashing (Knuth 1973, 6.4).
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - REMEMBERED.trailing_zeros())) as usize
}

/// One search, in the frame of the first piece.
struct Search<'a> {
    pieces: (&'a Piece, &'a Piece),
    /// Rows of the second frame's rotation.
    rotation: [Vector; 3],
    /// From centre to centre.
    offset: Vector,
    /// To be exceeded by the cores.
    bound: f32,
    /// What rounding and the exact tier may be off by.
    pad: f32,
    /// The first to try, and what parted them.
    direction: Vector,
    is_unit: bool,
    found: Separated,
}

impl PackedKernel for Search<'_> {
    #[inline(always)]
    fn work<L: Lanes>(&mut self) {
        let (a, b) = (&self.pieces.0.core, &self.pieces.1.core);
        if !self.is_unit {
            let length = dot(self.direction, self.direction).sqrt();
            self.direction = if length > 0.0 { self.direction.map(|value| value / length) } else { [1.0, 0.0, 0.0] };
        }
        let mut simplex = Simplex::default();
        let mut nearest = f64::MAX;
        for _ in 0..ROUNDS {
            let back = self.turned_back(self.direction);
            let (extent_a, extent_b) = (a.extent(self.direction), b.extent(back));
            if dot(self.direction, self.offset) - extent_a - extent_b > self.bound + self.pad {
                self.found = Separated::Yes;
                return;
            }
            let on_b = self.turned(b.farthest(back, extent_b));
            let on_a = a.farthest(self.direction, extent_a);
            let between = along(along(self.offset, on_b, 1.0), on_a, -1.0);
            let Nearest::Point([x, y, z]) = simplex.add(double(between), f64::from(self.pad)) else {
                self.found = Separated::No;
                return;
            };
            let length = (x * x + y * y + z * z).sqrt();
            if length + f64::from(self.pad) <= f64::from(self.bound) {
                self.found = Separated::No;
                return;
            }
            // Also ends where rounding stops all progress, and for NaN.
            if !(length < nearest && length > f64::from(self.pad)) {
                return;
            }
            nearest = length;
            self.direction = [(x / length) as f32, (y / length) as f32, (z / length) as f32];
        }
    }
}

impl Search<'_> {
    /// Minus a direction, in the frame of the second piece.
    #[inline(always)]
    fn turned_back(&self, direction: Vector) -> Vector {
        let [x, y, z] = direction;
        let mut turned = [0.0; 3];
        for (column, value) in turned.iter_mut().enumerate() {
            *value = -(self.rotation[0][column] * x + self.rotation[1][column] * y + self.rotation[2][column] * z);
        }
        turned
    }

    #[inline(always)]
    fn turned(&self, vector: Vector) -> Vector {
        [dot(self.rotation[0], vector), dot(self.rotation[1], vector), dot(self.rotation[2], vector)]
    }
}

#[cfg(test)]
mod tests;
