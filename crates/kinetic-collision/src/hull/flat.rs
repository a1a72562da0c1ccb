//! The dimension of a point set, and hulls of sets that do not span space.

use nalgebra::{Point3, Vector3};

use super::{Hull, containing_planes};
use crate::vector::any_perpendicular;

/// Four points that span a set as well as they can, and how far they do.
#[derive(Debug, Clone)]
pub(crate) struct PointFrame {
    corners: [usize; 4],
    /// Distance of corner 1 from corner 0, of 2 from that line, of 3 from that plane.
    spans: [f64; 3],
    axis: Vector3<f64>,
    normal: Vector3<f64>,
}

impl PointFrame {
    /// The frame of a set: its two most distant corners along an axis, the point farthest from their line, and the one
    /// farthest from that plane. `None` without points.
    pub(crate) fn new(points: &[Point3<f64>]) -> Option<Self> {
        points.first()?;
        let (a, b) = widest_pair(points);
        let length = (points[b] - points[a]).norm();
        let axis = (points[b] - points[a]).try_normalize(0.0).unwrap_or_else(Vector3::x);
        let across = |point: &Point3<f64>| {
            let offset = point - points[a];
            (offset - axis * axis.dot(&offset)).norm()
        };
        let c = argmax(points, across);
        let side = points[c] - points[a];
        let side = side - axis * axis.dot(&side);
        let normal = axis.cross(&side).try_normalize(0.0).unwrap_or_else(|| any_perpendicular(&axis));
        let height = |point: &Point3<f64>| normal.dot(&(point - points[a])).abs();
        let d = argmax(points, height);
        Some(Self { corners: [a, b, c, d], spans: [length, across(&points[c]), height(&points[d])], axis, normal })
    }

    /// The four points.
    pub(crate) fn corners(&self) -> [usize; 4] {
        self.corners
    }

    /// Length of the set, m.
    pub(crate) fn extent(&self) -> f64 {
        self.spans[0]
    }

    /// 0 to 3, for a thickness of `flatness` × extent.
    pub(crate) fn dimension(&self, flatness: f64) -> usize {
        // Equal points: below this even subtracting two coordinates of a robot is rounding.
        if self.spans[0] <= 1e-12 {
            return 0;
        }
        1 + self.spans[1..].iter().take_while(|span| **span > flatness * self.spans[0]).count()
    }

    /// Hull of a point, a segment or a flat polygon. A set that is solid at this flatness gets its bounding box in
    /// the frame, which contains it.
    pub(super) fn flat_hull(&self, points: &[Point3<f64>], flatness: f64) -> Hull {
        let [a, b, ..] = self.corners;
        match self.dimension(flatness) {
            0 => self.boxed(vec![points[a]], Vec::new(), points, 0),
            1 => self.boxed(vec![points[a], points[b]], Vec::new(), points, 1),
            2 => self.polygon(points),
            _ => self.bounding_box(points),
        }
    }

    /// The three directions of the frame.
    pub(crate) fn directions(&self) -> [Vector3<f64>; 3] {
        [self.axis, self.normal.cross(&self.axis), self.normal]
    }

    /// A hull whose planes are the faces of the bounding box in the frame.
    fn boxed(&self, vertices: Vec<Point3<f64>>, faces: Vec<[usize; 3]>, points: &[Point3<f64>], dim: usize) -> Hull {
        let planes = containing_planes(self.directions().into_iter().flat_map(|n| [n, -n]), points);
        Hull::new(vertices, faces, planes, (dim, self.extent()))
    }

    fn polygon(&self, points: &[Point3<f64>]) -> Hull {
        let [u, v, n] = self.directions();
        let origin = points[self.corners[0]];
        let flat: Vec<[f64; 2]> = points.iter().map(|p| [u.dot(&(p - origin)), v.dot(&(p - origin))]).collect();
        let ring = monotone_chain(&flat);
        let vertices: Vec<Point3<f64>> = ring.iter().map(|index| points[*index]).collect();
        let fan = (1..ring.len().saturating_sub(1)).flat_map(|i| [[0, i, i + 1], [0, i + 1, i]]).collect();
        let sides = (0..vertices.len()).filter_map(|i| {
            let edge = vertices[(i + 1) % vertices.len()] - vertices[i];
            edge.cross(&n).try_normalize(0.0)
        });
        let planes = containing_planes([n, -n].into_iter().chain(sides), points);
        Hull::new(vertices, fan, planes, (2, self.extent()))
    }

    fn bounding_box(&self, points: &[Point3<f64>]) -> Hull {
        let directions = self.directions();
        let reach = |n: Vector3<f64>| points.iter().map(|p| n.dot(&p.coords)).fold(f64::NEG_INFINITY, f64::max);
        let corner = |bits: usize| {
            let along = |axis: usize| {
                let n = directions[axis];
                n * if bits >> axis & 1 == 1 { reach(n) } else { -reach(-n) }
            };
            Point3::from(along(0) + along(1) + along(2))
        };
        let faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]];
        let more = [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
        self.boxed((0..8).map(corner).collect(), faces.into_iter().chain(more).collect(), points, 3)
    }
}

/// The two points that are farthest apart along one of the coordinate axes.
fn widest_pair(points: &[Point3<f64>]) -> (usize, usize) {
    let pairs = (0..3).map(|axis| (argmax(points, |p| -p[axis]), argmax(points, |p| p[axis])));
    pairs
        .max_by(|(a, b), (c, d)| (points[*b] - points[*a]).norm().total_cmp(&(points[*d] - points[*c]).norm()))
        .unwrap_or((0, 0))
}

fn argmax(points: &[Point3<f64>], value: impl Fn(&Point3<f64>) -> f64) -> usize {
    let best = points.iter().enumerate().max_by(|(i, a), (j, b)| value(a).total_cmp(&value(b)).then(j.cmp(i)));
    best.map_or(0, |(index, _)| index)
}

/// Corners of the convex hull of plane points, counter-clockwise, without collinear ones (Andrew 1979).
fn monotone_chain(points: &[[f64; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|i, j| points[*i][0].total_cmp(&points[*j][0]).then(points[*i][1].total_cmp(&points[*j][1])));
    order.dedup_by_key(|index| points[*index].map(f64::to_bits));
    let turns_left = |o: usize, a: usize, b: usize| {
        let [[ox, oy], [ax, ay], [bx, by]] = [points[o], points[a], points[b]];
        (ax - ox) * (by - oy) - (ay - oy) * (bx - ox) > 0.0
    };
    let half = |sequence: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for point in sequence {
            while chain.len() >= 2 && !turns_left(chain[chain.len() - 2], chain[chain.len() - 1], point) {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut ring = half(&mut order.iter().copied());
    ring.extend(half(&mut order.iter().rev().copied()));
    ring
}
