//! Cache records: keys and serialization of results about a robot that are stored between processes. A key is a hash of
//! everything that a result depends on, to the last bit. A record that is not valid in every part is rejected.

use kinetic_collision::Sphere;
use kinetic_collision::fit::SphereGenConfig;
use kinetic_core::{ContentHash, ContentHasher, Pose, Shape};
use kinetic_robot::{PairFacts, Robot};
use nalgebra::Point3;

use crate::link_geometry::{LinkGeometry, Shapes};
use crate::pairs::Effort;

/// Cache key of the bounding spheres of a link.
pub(crate) fn key_of_bounding_spheres(shapes: &[(Pose, Shape)], config: &SphereGenConfig) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.integer(config.max_spheres as u64);
    hasher.number(config.target_excess);
    add_shapes(&mut hasher, shapes);
    hasher.finish()
}

/// Cache key of the facts about some pairs of a robot.
pub(crate) fn key_of_facts(
    robot: &Robot,
    (shapes, links): (&[Shapes], &[LinkGeometry]),
    undecided: &[(usize, usize)],
    effort: &Effort,
) -> ContentHash {
    let mut hasher = ContentHasher::default();
    for count in [effort.near, effort.far, effort.total] {
        hasher.integer(count as u64);
    }
    add_joints(&mut hasher, robot);
    for (shapes, link) in shapes.iter().zip(links) {
        add_shapes(&mut hasher, shapes);
        hasher.bytes(&spheres_to_bytes(&link.spheres));
        hasher.integer(link.spheres.len() as u64);
        hasher.integer(u64::from(link.spheres_are_exact));
    }
    undecided.iter().flat_map(|(a, b)| [*a, *b]).for_each(|link| hasher.integer(link as u64));
    hasher.finish()
}

fn add_shapes(hasher: &mut ContentHasher, shapes: &[(Pose, Shape)]) {
    hasher.integer(shapes.len() as u64);
    for (pose, shape) in shapes {
        hasher.pose(pose);
        hasher.hash(shape.content_hash());
    }
}

fn add_joints(hasher: &mut ContentHasher, robot: &Robot) {
    hasher.integer(robot.joints.len() as u64);
    for joint in &robot.joints {
        hasher.integer(joint.joint_type as u64);
        hasher.integer(joint.parent as u64);
        hasher.integer(joint.child as u64);
        // 0 stands for a joint without a variable.
        hasher.integer(joint.variable.map_or(0, |variable| variable as u64 + 1));
        hasher.pose(&joint.parent_from_joint);
        hasher.numbers(joint.axis.as_slice());
        hasher.integer(u64::from(joint.mimic.is_some()));
        if let Some(mimic) = &joint.mimic {
            hasher.integer(mimic.joint as u64);
            hasher.numbers(&[mimic.multiplier, mimic.offset]);
        }
    }
    robot.joint_limits.iter().for_each(|limits| hasher.numbers(&[limits.lower, limits.upper]));
    hasher.numbers(&robot.neutral_configuration());
}

/// Serializes centres and radii, as their bits.
pub(crate) fn spheres_to_bytes(spheres: &[Sphere]) -> Vec<u8> {
    let numbers = |sphere: &Sphere| [sphere.center.x, sphere.center.y, sphere.center.z, sphere.radius];
    spheres.iter().flat_map(numbers).flat_map(f64::to_le_bytes).collect()
}

/// Reads spheres; `None` for bytes that are no list of spheres.
pub(crate) fn spheres_from_bytes(bytes: &[u8]) -> Option<Vec<Sphere>> {
    let (rows, []) = bytes.as_chunks::<32>() else { return None };
    let sphere = |row: &[u8; 32]| {
        let mut reader = RecordReader(row);
        let [x, y, z, radius] = [reader.number()?, reader.number()?, reader.number()?, reader.number()?];
        let is_sphere = [x, y, z, radius].iter().all(|value| value.is_finite()) && radius >= 0.0;
        is_sphere.then(|| Sphere::new(Point3::new(x, y, z), radius))
    };
    let spheres = rows.iter().map(sphere).collect::<Option<Vec<_>>>()?;
    (!spheres.is_empty()).then_some(spheres)
}

/// Serializes facts about pairs, as link indices and the bits of distances.
pub(crate) fn facts_to_bytes(facts: &PairFacts) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |value: u64| bytes.extend(value.to_le_bytes());
    add(facts.always.len() as u64);
    facts.always.iter().flat_map(|(a, b)| [*a, *b]).for_each(|link| add(link as u64));
    for ((a, b), distance) in &facts.never {
        [*a as u64, *b as u64, distance.to_bits()].into_iter().for_each(&mut add);
    }
    bytes
}

/// Reads facts; `None` for facts that are unordered or about pairs that are not undecided.
pub(crate) fn facts_from_bytes(bytes: &[u8], fingerprint: u64, undecided: &[(usize, usize)]) -> Option<PairFacts> {
    let mut reader = RecordReader(bytes);
    let always = usize::try_from(reader.integer()?).ok().filter(|count| *count <= undecided.len())?;
    let always = (0..always).map(|_| reader.pair()).collect::<Option<Vec<_>>>()?;
    let mut never = Vec::new();
    while !reader.0.is_empty() {
        never.push((reader.pair()?, reader.number().filter(|distance| distance.is_finite() && *distance > 0.0)?));
    }
    let pairs = |pairs: &mut dyn Iterator<Item = (usize, usize)>| {
        let pairs: Vec<_> = pairs.collect();
        pairs.is_sorted_by(|p, q| p < q) && pairs.iter().all(|pair| undecided.binary_search(pair).is_ok())
    };
    let is_valid = pairs(&mut always.iter().copied()) && pairs(&mut never.iter().map(|(pair, _)| *pair));
    is_valid.then_some(PairFacts { fingerprint, always, never })
}

/// Reads numbers from bytes.
struct RecordReader<'a>(&'a [u8]);

impl RecordReader<'_> {
    fn integer(&mut self) -> Option<u64> {
        let (eight, remaining) = self.0.split_first_chunk::<8>()?;
        self.0 = remaining;
        Some(u64::from_le_bytes(*eight))
    }

    fn number(&mut self) -> Option<f64> {
        self.integer().map(f64::from_bits)
    }

    fn pair(&mut self) -> Option<(usize, usize)> {
        Some((usize::try_from(self.integer()?).ok()?, usize::try_from(self.integer()?).ok()?))
    }
}
