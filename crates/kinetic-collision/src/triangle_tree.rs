//! Bounding-volume hierarchy of triangles: distance of the nearest one, and winding number (Jacobson et al. 2013).

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use crate::aabb::Aabb;
use crate::vector::origin_on_triangle;

/// Triangles per leaf; below this a box saves nothing.
const TRIANGLES_PER_LEAF: usize = 4;
/// Nodes that can be open at once: one per level, of which a list in memory has fewer.
const MAX_OPEN_NODES: usize = 64;

pub(crate) type Triangle = [Point3<f64>; 3];

/// A bounding-volume hierarchy over triangles, those without area included.
#[derive(Debug, Clone)]
pub(crate) struct TriangleTree {
    triangles: Vec<Triangle>,
    nodes: Vec<TriangleNode>,
}

#[derive(Debug, Clone)]
struct TriangleNode {
    aabb: Aabb,
    /// Triangles below, as a range.
    range: (usize, usize),
    /// The second child; the first one follows the node. `None` for a leaf.
    second: Option<usize>,
    /// Sum of the area vectors of the triangles below, and their mean place.
    area: Vector3<f64>,
    place: Point3<f64>,
    radius: f64,
}

impl TriangleTree {
    pub(crate) fn new(mut triangles: Vec<Triangle>) -> Self {
        let mut nodes = Vec::with_capacity(triangles.len());
        let count = triangles.len();
        if count > 0 {
            build(&mut triangles, 0, &mut nodes);
        }
        Self { triangles, nodes }
    }

    /// Distance of a point from the nearest triangle; infinite without triangles.
    pub(crate) fn distance(&self, point: &Point3<f64>) -> f64 {
        let mut best = f64::INFINITY;
        let mut open = Vec::with_capacity(32);
        open.push((self.nodes.first().map_or(f64::INFINITY, |node| squared_distance(&node.aabb, point)), 0));
        while let Some((bound, index)) = open.pop() {
            if bound >= best {
                continue;
            }
            let node = &self.nodes[index];
            let Some(second) = node.second else {
                for triangle in &self.triangles[node.range.0..node.range.1] {
                    let [a, b, c] = triangle.map(|corner| corner - point);
                    best = best.min(origin_on_triangle(&a, &b, &c).norm_squared());
                }
                continue;
            };
            let child = |index: usize| (squared_distance(&self.nodes[index].aabb, point), index);
            let (near, far) = (child(index + 1), child(second));
            // The nearer child is pushed last, so that it is visited first.
            open.extend(if near.0 < far.0 { [far, near] } else { [near, far] });
        }
        best.sqrt()
    }

    /// Generalised winding number: 1 inside a closed surface that faces outwards, 0 outside, between for open ones.
    ///
    /// Jacobson et al. 2013; clusters farther away than `far` of their radii as dipoles (Barill et al. 2018). With 2.5 the
    /// error is below 1 % of a turn for the surface of a simple solid.
    pub(crate) fn winding(&self, point: &Point3<f64>, far: f64) -> f64 {
        let mut sum = 0.0;
        let mut open = [0; MAX_OPEN_NODES];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let index = open[count];
            let node = &self.nodes[index];
            let offset = node.place - point;
            let distance = offset.norm();
            if distance > far * node.radius {
                sum += node.area.dot(&offset) / (distance * distance * distance);
            } else if let Some(second) = node.second {
                (open[count], open[count + 1]) = (index + 1, second);
                count += 2;
            } else {
                let near = &self.triangles[node.range.0..node.range.1];
                sum += near.iter().map(|triangle| solid_angle(triangle, point)).sum::<f64>();
            }
        }
        sum / (4.0 * PI)
    }
}

/// Builds the node of some triangles, which begin at index `first` of all, and those below.
fn build(triangles: &mut [Triangle], first: usize, nodes: &mut Vec<TriangleNode>) {
    let index = nodes.len();
    nodes.push(node(triangles, first));
    if triangles.len() <= TRIANGLES_PER_LEAF {
        return;
    }
    let size = nodes[index].aabb.max - nodes[index].aabb.min;
    let axis = size.imax();
    let middle = triangles.len() / 2;
    let key = |triangle: &Triangle| triangle.iter().map(|corner| corner[axis]).sum::<f64>();
    triangles.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)));
    let (left, right) = triangles.split_at_mut(middle);
    build(left, first, nodes);
    nodes[index].second = Some(nodes.len());
    build(right, first + middle, nodes);
}

fn node(triangles: &[Triangle], first: usize) -> TriangleNode {
    let (mut area, mut place, mut total) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    let (mut min, mut max) = (triangles[0][0], triangles[0][0]);
    for [a, b, c] in triangles {
        let normal = (b - a).cross(&(c - a)) * 0.5;
        // A triangle without area still needs a place.
        let weight = normal.norm() + f64::MIN_POSITIVE;
        area += normal;
        place += (a.coords + b.coords + c.coords) / 3.0 * weight;
        total += weight;
        for corner in [a, b, c] {
            (min, max) = (min.inf(corner), max.sup(corner));
        }
    }
    let place = Point3::from((place / total).zip_zip_map(&min.coords, &max.coords, f64::clamp));
    let radius = triangles.iter().flatten().map(|corner| (corner - place).norm()).fold(0.0, f64::max);
    TriangleNode { aabb: Aabb { min, max }, range: (first, first + triangles.len()), second: None, area, place, radius }
}

fn squared_distance(aabb: &Aabb, point: &Point3<f64>) -> f64 {
    (0..3).map(|axis| (aabb.min[axis] - point[axis]).max(point[axis] - aabb.max[axis]).max(0.0).powi(2)).sum()
}

/// Signed solid angle of a triangle (Van Oosterom and Strackee 1983).
fn solid_angle(triangle: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * a.dot(&b.cross(&c)).atan2(denominator)
}
