//! Proven lower bounds on the distances of bounding spheres of two links inside the joint limits. Links with few joints
//! between them, like a hand and the forearm, are near each other in nearly every configuration, yet most of their
//! spheres can never touch. The box of the joints between them is split as for whole links ([`proof`](super::proof)),
//! for all sphere pairs at once: pairs that are decided in a box are not tested in its halves. The motion bound of a
//! sphere pair is the minimum over all ways to attribute the joints to the two links, because a joint moves a sphere
//! that is near its axis less.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_collision_simd::{LinkSphereDistances, SphereDistances, StoredResults};
use kinetic_core::{ContentHash, ContentHasher};
use kinetic_kinematics::{JointProgram, Motion, Rigid};
use kinetic_robot::Robot;
use nalgebra::{Point3, Vector3};

use super::proof::{JointBox, split, whole_box};
use super::tree::JointTree;
use crate::link_geometry::LinkGeometry;
use crate::tolerance::MAX_CACHED_ROBOTS;

/// Joints between two links up to which distances are computed. With more joints, nearly all spheres can touch.
const MAX_JOINTS_BETWEEN: usize = 2;

/// Budgets of distance and motion bound evaluations, for two links and for a robot. One takes some 10 ns, and the first
/// plan with a robot waits for all.
const MAX_EVALUATIONS_PER_PAIR: usize = 800_000;
const MAX_EVALUATIONS_PER_ROBOT: usize = 2_000_000;

/// Smallest distance that is proven, m. Spheres that come nearer count as touching.
const MIN_PROVEN_DISTANCE_M: f64 = 1e-2;

/// Bound on the difference of distances among robots with the same key, m.
const KEY_ROUNDING_M: f64 = 1e-7;

/// Kind of sphere distances among stored results.
pub(crate) const SPHERE_DISTANCES_KIND: &str = "far-spheres";

static CACHED_SPHERE_DISTANCES: Mutex<BTreeMap<u64, Arc<LinkSphereDistances>>> = Mutex::new(BTreeMap::new());

/// The sphere distances of a robot, cached or computed. `key` identifies the robot.
pub(crate) fn cached_or_found(
    robot: &Robot,
    links: &[LinkGeometry],
    pairs: &[(usize, usize)],
    key: u64,
) -> Arc<LinkSphereDistances> {
    let cache = || CACHED_SPHERE_DISTANCES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = cache().get(&key) {
        return Arc::clone(known);
    }
    let known = StoredResults::of(&robot.collision.precomputed);
    let found = Arc::new(stored_or_found(known, robot, (links, pairs), key));
    let mut memory = cache();
    if memory.len() >= MAX_CACHED_ROBOTS {
        memory.pop_first();
    }
    memory.insert(key, Arc::clone(&found));
    found
}

fn stored_or_found(
    known: StoredResults,
    robot: &Robot,
    (links, pairs): (&[LinkGeometry], &[(usize, usize)]),
    key: u64,
) -> LinkSphereDistances {
    let name = (SPHERE_DISTANCES_KIND, key_of(pairs, key));
    known.get(name, |bytes| from_bytes(bytes, links, pairs)).unwrap_or_else(|| {
        let found = known.find(|| find(robot, links, pairs));
        known.store(name, &to_bytes(&found));
        found
    })
}

/// Cache key of the sphere distances of some pairs of a robot.
pub(crate) fn key_of(pairs: &[(usize, usize)], robot: u64) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.word(robot);
    pairs.iter().flat_map(|(a, b)| [*a, *b]).for_each(|link| hasher.word(link as u64));
    hasher.finish()
}

/// Serializes the links of each pair and the distances, row by row.
pub(crate) fn to_bytes(all: &LinkSphereDistances) -> Vec<u8> {
    let mut bytes = Vec::new();
    for ((a, b), distances) in &all.pairs {
        bytes.extend([*a, *b].iter().flat_map(|link| (*link as u32).to_le_bytes()));
        distances.distances().iter().for_each(|distance| bytes.extend(distance.to_le_bytes()));
    }
    bytes
}

/// Reads the bytes of [`to_bytes`]; `None` for bytes that do not fit these pairs and spheres.
fn from_bytes(mut bytes: &[u8], links: &[LinkGeometry], pairs: &[(usize, usize)]) -> Option<LinkSphereDistances> {
    let mut read = LinkSphereDistances::default();
    while !bytes.is_empty() {
        let mut link = || take(&mut bytes).map(|four| u32::from_le_bytes(four) as usize);
        let pair = (link()?, link()?);
        pairs.contains(&pair).then_some(())?;
        let columns = links[pair.1].spheres.len();
        let distance = |_| take(&mut bytes).map(f32::from_le_bytes).filter(|distance| !distance.is_nan());
        let distances = (0..links[pair.0].spheres.len() * columns).map(distance).collect::<Option<_>>()?;
        read.pairs.insert(pair, SphereDistances::new(columns, distances));
    }
    Some(read)
}

/// Computes the sphere distances of all pairs. Pairs with the fewest joints between them come first, because their
/// proofs are the shortest.
pub(crate) fn find(robot: &Robot, links: &[LinkGeometry], pairs: &[(usize, usize)]) -> LinkSphereDistances {
    let tree = JointTree::new(robot);
    let with_joints = pairs.iter().map(|pair| (tree.variables_between(pair.0, pair.1), *pair));
    let mut near: Vec<_> = with_joints.filter(|(joints, _)| joints.len() <= MAX_JOINTS_BETWEEN).collect();
    near.sort_by_key(|(joints, pair)| (joints.len(), *pair));
    let mut left = MAX_EVALUATIONS_PER_ROBOT;
    let mut found = LinkSphereDistances::default();
    for (variables, pair) in near {
        let Some(whole) = whole_box(robot, &variables) else { continue };
        let mut search = SphereSearch::new(robot, links, pair, &variables, MAX_EVALUATIONS_PER_PAIR.min(left));
        search.run(whole);
        left -= search.used.min(left);
        let distances: Vec<f32> =
            search.bounds.iter().map(|bound| ((*bound - KEY_ROUNDING_M) as f32).next_down()).collect();
        if distances.iter().any(|distance| *distance > 0.0) {
            found.pairs.insert(pair, SphereDistances::new(links[pair.1].spheres.len(), distances));
        }
    }
    found
}

fn take(bytes: &mut &[u8]) -> Option<[u8; 4]> {
    let (four, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*four)
}

/// The spheres of one link, with motion bounds.
struct LinkSpheres {
    /// Centre and radius in the frame of the link.
    spheres: Vec<(Vector3<f64>, f64)>,
    frame: usize,
    /// Placed centres.
    placed: Vec<Vector3<f64>>,
    /// Per sphere, motion bounds by its nearest joints of the chain, from none to all.
    moved: Vec<f64>,
}

struct SphereSearch {
    program: JointProgram,
    frames: Vec<Rigid>,
    /// Frames of the joints on the chain from the first link to the second.
    chain: Vec<usize>,
    ends: [LinkSpheres; 2],
    bounds: Vec<f64>,
    budget: usize,
    used: usize,
}

impl SphereSearch {
    fn new(robot: &Robot, links: &[LinkGeometry], pair: (usize, usize), variables: &[usize], budget: usize) -> Self {
        let program = JointProgram::compile(robot, variables, &robot.neutral_configuration());
        let (up, down) = (program.ancestors(program.link(pair.0).0), program.ancestors(program.link(pair.1).0));
        let common = up.iter().rev().zip(down.iter().rev()).take_while(|(a, b)| a == b).count();
        let (up, down) = (&up[..up.len() - common], &down[..down.len() - common]);
        let chain: Vec<usize> = up.iter().chain(down.iter().rev()).copied().collect();
        let end = |link: usize| {
            let (frame, frame_from_link) = program.link(link);
            let placed = |center: &Point3<f64>| frame_from_link.point(&center.coords);
            let spheres: Vec<_> =
                links[link].spheres.iter().map(|sphere| (placed(&sphere.center), sphere.radius)).collect();
            LinkSpheres {
                placed: vec![Vector3::zeros(); spheres.len()],
                moved: vec![0.0; spheres.len() * (chain.len() + 1)],
                spheres,
                frame,
            }
        };
        let ends = [end(pair.0), end(pair.1)];
        let bounds = vec![f64::INFINITY; ends[0].spheres.len() * ends[1].spheres.len()];
        Self { frames: vec![Rigid::identity(); program.num_frames()], program, chain, ends, bounds, budget, used: 0 }
    }

    fn run(&mut self, whole: JointBox) {
        let all: Vec<u32> = (0..self.bounds.len() as u32).collect();
        let mut boxes = vec![(whole, all)];
        while let Some((joint_box, undecided)) = boxes.pop() {
            self.used += undecided.len() + self.ends[0].moved.len() + self.ends[1].moved.len();
            let undecided = self.undecided_in(&joint_box, undecided);
            if undecided.is_empty() {
                continue;
            }
            if self.used >= self.budget {
                self.give_up(&undecided);
                for (_, undecided) in &boxes {
                    self.give_up(undecided);
                }
                return;
            }
            let [first, second] = split(joint_box, self.widest_variable());
            boxes.push((first, undecided.clone()));
            boxes.push((second, undecided));
        }
    }

    fn give_up(&mut self, undecided: &[u32]) {
        for pair in undecided {
            self.bounds[*pair as usize] = -1.0;
        }
    }

    /// The sphere pairs that are undecided in a box.
    fn undecided_in(&mut self, joint_box: &JointBox, mut undecided: Vec<u32>) -> Vec<u32> {
        self.program.frames_into(&joint_box.middle, &mut self.frames);
        self.place(0, &joint_box.half);
        self.place(1, &joint_box.half);
        undecided.retain(|pair| self.is_undecided(*pair as usize));
        undecided
    }

    fn is_undecided(&mut self, pair: usize) -> bool {
        if self.bounds[pair] < 0.0 {
            return false;
        }
        let [first, second] = &self.ends;
        let (i, j) = (pair / second.spheres.len(), pair % second.spheres.len());
        let distance = (first.placed[i] - second.placed[j]).norm() - first.spheres[i].1 - second.spheres[j].1;
        let joints = self.chain.len();
        let moved = |from_first: usize| {
            first.moved[i * (joints + 1) + from_first] + second.moved[j * (joints + 1) + joints - from_first]
        };
        let moved = (0..=joints).map(moved).fold(f64::INFINITY, f64::min);
        if distance < MIN_PROVEN_DISTANCE_M {
            self.bounds[pair] = -1.0;
            return false;
        }
        // Half of the distance at the middle is proven, because a proof of the whole would not terminate.
        if moved > 0.5 * distance {
            return true;
        }
        self.bounds[pair] = self.bounds[pair].min(distance - moved);
        false
    }

    /// Places the spheres of a link and computes their motion bounds in a box of half-widths `half`.
    fn place(&mut self, index: usize, half: &[f64]) {
        let Self { program, frames, chain, ends, .. } = self;
        let end = &mut ends[index];
        let joints = chain.len();
        for (sphere, (center, _)) in end.spheres.iter().enumerate() {
            let center = if end.frame == 0 { *center } else { frames[end.frame].point(center) };
            end.placed[sphere] = center;
            let mut moved = 0.0;
            for slot in 0..joints {
                let joint = if index == 0 { chain[slot] } else { chain[joints - 1 - slot] };
                let frame = &program.frames()[joint - 1];
                let width = half[frame.variable] * frame.multiplier.abs();
                moved += match frame.motion {
                    Motion::Translation => width,
                    Motion::Rotation => {
                        let pose = &frames[joint];
                        let arm = pose.z_axis().cross(&(center - pose.translation)).norm();
                        (arm + moved) * width.min(2.0)
                    }
                };
                end.moved[sphere * (joints + 1) + slot + 1] = moved;
            }
        }
    }

    /// The variable that moves the spheres of the two links most relative to each other.
    fn widest_variable(&self) -> usize {
        let joints = self.chain.len();
        let most = |slot: usize| {
            let step = |end: &LinkSpheres, slot: usize| {
                let steps = end.moved.chunks_exact(joints + 1).map(|moved| moved[slot + 1] - moved[slot]);
                steps.fold(0.0, f64::max)
            };
            step(&self.ends[0], slot).min(step(&self.ends[1], joints - 1 - slot))
        };
        let widest = (0..joints).max_by(|a, b| most(*a).total_cmp(&most(*b))).unwrap_or(0);
        self.program.frames()[self.chain[widest] - 1].variable
    }
}

#[cfg(test)]
mod tests;
