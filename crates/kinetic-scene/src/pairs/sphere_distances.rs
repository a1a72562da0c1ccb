//! Which spheres of two links that may touch never meet each other.
//!
//! Links with few joints between them, as a hand and the forearm, are near each other in nearly every configuration, yet
//! most of their spheres can never meet. The box of the joints between is split, as for whole links
//! ([`proof`](super::proof)), for all spheres at once: those that are decided in a part are left out of its halves. What
//! the joints can change of the distance of two points is bounded from both ends: those near one of them turn about axes
//! that its link carries or is close to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_collision_simd::{LinkSphereDistances, SphereDistances, StoredResults};
use kinetic_core::{ContentHash, ContentHasher};
use kinetic_kinematics::{JointProgram, Motion, Rigid};
use kinetic_robot::Robot;
use nalgebra::{Point3, Vector3};

use super::proof::{Part, split, whole_box};
use super::tree::Tree;
use crate::link_geometry::LinkGeometry;

/// Links with more joints between them meet with nearly all of their spheres.
const MOST_JOINTS: usize = 2;

/// Distances and bounds that searches may compute: for two links, and for a robot. One takes some 10 ns, and the first
/// plan with a robot waits for all.
const BUDGET_OF_PAIR: usize = 800_000;
const BUDGET: usize = 2_000_000;

/// Smallest distance worth a proof, m. Where less is left, spheres may meet.
const LEAST_DISTANCE: f64 = 1e-2;

/// What distances may differ by among robots of one key, m.
const ROUNDING: f64 = 1e-7;

/// What they are called among results that are stored and kept.
pub(crate) const KIND: &str = "far-spheres";

/// Robots whose spheres are remembered; some kilobytes each.
const REMEMBERED: usize = 64;

static MEMORY: Mutex<BTreeMap<u64, Arc<LinkSphereDistances>>> = Mutex::new(BTreeMap::new());

/// Those of a robot, which were found before or are found now. `key` says which robot it is.
pub(crate) fn known_or_found(
    robot: &Robot,
    links: &[LinkGeometry],
    pairs: &[(usize, usize)],
    key: u64,
) -> Arc<LinkSphereDistances> {
    let remembered = || MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = remembered().get(&key) {
        return Arc::clone(known);
    }
    let known = StoredResults::of(&robot.collision.precomputed);
    let found = Arc::new(stored_or_found(known, robot, (links, pairs), key));
    let mut memory = remembered();
    if memory.len() >= REMEMBERED {
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
    let name = (KIND, key_of(pairs, key));
    known.get(name, |bytes| from_bytes(bytes, links, pairs)).unwrap_or_else(|| {
        let found = known.find(|| find(robot, links, pairs));
        known.store(name, &to_bytes(&found));
        found
    })
}

/// What they are found by.
pub(crate) fn key_of(pairs: &[(usize, usize)], robot: u64) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.word(robot);
    pairs.iter().flat_map(|(a, b)| [*a, *b]).for_each(|link| hasher.word(link as u64));
    hasher.finish()
}

/// Per pair the links, and row by row the distances.
pub(crate) fn to_bytes(all: &LinkSphereDistances) -> Vec<u8> {
    let mut bytes = Vec::new();
    for ((a, b), kept) in &all.pairs {
        bytes.extend([*a, *b].iter().flat_map(|link| (*link as u32).to_le_bytes()));
        kept.distances().iter().for_each(|distance| bytes.extend(distance.to_le_bytes()));
    }
    bytes
}

/// Reads what [`to_bytes`] wrote; `None` for what is not about these pairs and spheres.
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

/// The pairs with the fewest joints between them first: their proofs are the shortest.
pub(crate) fn find(robot: &Robot, links: &[LinkGeometry], pairs: &[(usize, usize)]) -> LinkSphereDistances {
    let tree = Tree::new(robot);
    let with_joints = pairs.iter().map(|pair| (tree.variables_between(pair.0, pair.1), *pair));
    let mut near: Vec<_> = with_joints.filter(|(joints, _)| joints.len() <= MOST_JOINTS).collect();
    near.sort_by_key(|(joints, pair)| (joints.len(), *pair));
    let mut left = BUDGET;
    let mut found = LinkSphereDistances::default();
    for (variables, pair) in near {
        let Some(whole) = whole_box(robot, &variables) else { continue };
        let mut search = Search::new(robot, links, pair, &variables, BUDGET_OF_PAIR.min(left));
        search.run(whole);
        left -= search.used.min(left);
        let distances: Vec<f32> = search.kept.iter().map(|kept| ((*kept - ROUNDING) as f32).next_down()).collect();
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

/// The spheres of one link, and how far the joints move their centres.
struct End {
    /// In its frame.
    spheres: Vec<(Vector3<f64>, f64)>,
    frame: usize,
    /// The placed centres.
    placed: Vec<Vector3<f64>>,
    /// Per sphere, bounds on its motion by the nearest joints between, none to all.
    moved: Vec<f64>,
}

struct Search {
    program: JointProgram,
    frames: Vec<Rigid>,
    /// Frames of the joints from the first link to the second.
    way: Vec<usize>,
    ends: [End; 2],
    kept: Vec<f64>,
    budget: usize,
    used: usize,
}

impl Search {
    fn new(robot: &Robot, links: &[LinkGeometry], pair: (usize, usize), variables: &[usize], budget: usize) -> Self {
        let program = JointProgram::compile(robot, variables, &robot.neutral_configuration());
        let (up, down) = (program.ancestors(program.link(pair.0).0), program.ancestors(program.link(pair.1).0));
        let common = up.iter().rev().zip(down.iter().rev()).take_while(|(a, b)| a == b).count();
        let (up, down) = (&up[..up.len() - common], &down[..down.len() - common]);
        let way: Vec<usize> = up.iter().chain(down.iter().rev()).copied().collect();
        let end = |link: usize| {
            let (frame, frame_from_link) = program.link(link);
            let placed = |center: &Point3<f64>| frame_from_link.point(&center.coords);
            let spheres: Vec<_> =
                links[link].spheres.iter().map(|sphere| (placed(&sphere.center), sphere.radius)).collect();
            End {
                placed: vec![Vector3::zeros(); spheres.len()],
                moved: vec![0.0; spheres.len() * (way.len() + 1)],
                spheres,
                frame,
            }
        };
        let ends = [end(pair.0), end(pair.1)];
        let kept = vec![f64::INFINITY; ends[0].spheres.len() * ends[1].spheres.len()];
        Self { frames: vec![Rigid::identity(); program.num_frames()], program, way, ends, kept, budget, used: 0 }
    }

    fn run(&mut self, whole: Part) {
        let all: Vec<u32> = (0..self.kept.len() as u32).collect();
        let mut parts = vec![(whole, all)];
        while let Some((part, open)) = parts.pop() {
            self.used += open.len() + self.ends[0].moved.len() + self.ends[1].moved.len();
            let open = self.look(&part, open);
            if open.is_empty() {
                continue;
            }
            if self.used >= self.budget {
                self.give_up(&open);
                for (_, open) in &parts {
                    self.give_up(open);
                }
                return;
            }
            let [first, second] = split(part, self.widest_variable());
            parts.push((first, open.clone()));
            parts.push((second, open));
        }
    }

    fn give_up(&mut self, open: &[u32]) {
        for pair in open {
            self.kept[*pair as usize] = -1.0;
        }
    }

    /// Which pairs of spheres have to be looked at in the halves of a part.
    fn look(&mut self, part: &Part, mut open: Vec<u32>) -> Vec<u32> {
        self.program.frames_into(&part.middle, &mut self.frames);
        self.place(0, &part.half);
        self.place(1, &part.half);
        open.retain(|pair| self.is_open(*pair as usize));
        open
    }

    fn is_open(&mut self, pair: usize) -> bool {
        if self.kept[pair] < 0.0 {
            return false;
        }
        let [first, second] = &self.ends;
        let (i, j) = (pair / second.spheres.len(), pair % second.spheres.len());
        let distance = (first.placed[i] - second.placed[j]).norm() - first.spheres[i].1 - second.spheres[j].1;
        let joints = self.way.len();
        let moved = |from_first: usize| {
            first.moved[i * (joints + 1) + from_first] + second.moved[j * (joints + 1) + joints - from_first]
        };
        let moved = (0..=joints).map(moved).fold(f64::INFINITY, f64::min);
        if distance < LEAST_DISTANCE {
            self.kept[pair] = -1.0;
            return false;
        }
        // Half of the distance at the middle is what is proven: the whole would never end.
        if moved > 0.5 * distance {
            return true;
        }
        self.kept[pair] = self.kept[pair].min(distance - moved);
        false
    }

    /// Places the spheres of a link and bounds how far the joints next to it move them, in a part of half-widths `half`.
    fn place(&mut self, index: usize, half: &[f64]) {
        let Self { program, frames, way, ends, .. } = self;
        let end = &mut ends[index];
        let joints = way.len();
        for (sphere, (center, _)) in end.spheres.iter().enumerate() {
            let center = if end.frame == 0 { *center } else { frames[end.frame].point(center) };
            end.placed[sphere] = center;
            let mut moved = 0.0;
            for slot in 0..joints {
                let joint = if index == 0 { way[slot] } else { way[joints - 1 - slot] };
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

    /// The variable that moves the spheres of the two links most against each other.
    fn widest_variable(&self) -> usize {
        let joints = self.way.len();
        let most = |slot: usize| {
            let step = |end: &End, slot: usize| {
                let steps = end.moved.chunks_exact(joints + 1).map(|moved| moved[slot + 1] - moved[slot]);
                steps.fold(0.0, f64::max)
            };
            step(&self.ends[0], slot).min(step(&self.ends[1], joints - 1 - slot))
        };
        let widest = (0..joints).max_by(|a, b| most(*a).total_cmp(&most(*b))).unwrap_or(0);
        self.program.frames()[self.way[widest] - 1].variable
    }
}

#[cfg(test)]
mod tests;
