//! Nearest neighbours among points: a k-d tree with buckets (Friedman, Bentley and Finkel 1977).

use nalgebra::{Point3, Vector3};

/// Points per leaf.
const BUCKET_POINTS: usize = 16;

/// A tree over points, built once.
#[derive(Debug, Clone)]
pub struct NeighborTree {
    /// Points with their numbers, leaf after leaf.
    points: Vec<(Point3<f64>, u32)>,
    /// In depth-first order: the lower child of a node follows it.
    nodes: Vec<KdNode>,
}

#[derive(Debug, Clone, Copy)]
enum KdNode {
    Leaf { first: u32, end: u32 },
    Split { axis: u8, value: f64, upper: u32 },
}

impl NeighborTree {
    /// The tree of finite points, numbered as they are given.
    pub fn new(points: &[Point3<f64>]) -> Self {
        let mut tree = Self { points: points.iter().copied().zip(0..).collect(), nodes: Vec::new() };
        if !points.is_empty() {
            tree.split(0, points.len());
        }
        tree
    }

    fn split(&mut self, first: usize, end: usize) {
        if end - first <= BUCKET_POINTS {
            self.nodes.push(KdNode::Leaf { first: first as u32, end: end as u32 });
            return;
        }
        let part = &mut self.points[first..end];
        let (low, high) = part.iter().fold((part[0].0, part[0].0), |(low, high), (p, _)| (low.inf(p), high.sup(p)));
        let axis = Vector3::imax(&(high - low));
        let middle = part.len() / 2;
        part.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
        let node = self.nodes.len();
        let value = part[middle].0[axis];
        self.nodes.push(KdNode::Split { axis: axis as u8, value, upper: 0 });
        self.split(first, first + middle);
        let upper = self.nodes.len() as u32;
        self.nodes[node] = KdNode::Split { axis: axis as u8, value, upper };
        self.split(first + middle, end);
    }

    /// Squared distances of a point from its `k` nearest points, m², nearest first; of equal distances, those of lower numbers.
    /// The point of number `except` does not count.
    pub fn nearest_squared(&self, point: &Point3<f64>, k: usize, except: Option<u32>) -> Vec<f64> {
        let k = k.min(self.points.len());
        let mut found: Vec<(f64, u32)> = Vec::with_capacity(k + 1);
        if k > 0 && !self.nodes.is_empty() {
            self.visit(0, point, &mut |candidate, number| {
                if Some(number) != except {
                    let entry = ((candidate - point).norm_squared(), number);
                    let place = found.partition_point(|known| *known < entry);
                    if place < k {
                        found.insert(place, entry);
                        found.truncate(k);
                    }
                }
                if found.len() < k { f64::INFINITY } else { found[k - 1].0 }
            });
        }
        found.into_iter().map(|(squared, _)| squared).collect()
    }

    /// Number of points within a radius (m) of a point, at most `enough`. The point of number `except` does not count.
    pub fn count_within(&self, point: &Point3<f64>, radius: f64, enough: usize, except: Option<u32>) -> usize {
        let (limit, mut count) = (radius * radius, 0);
        if !self.nodes.is_empty() {
            self.visit(0, point, &mut |candidate, number| {
                count += usize::from(Some(number) != except && (candidate - point).norm_squared() <= limit);
                if count >= enough { -1.0 } else { limit }
            });
        }
        count.min(enough)
    }

    /// Visits points, those on the side of `point` first. `offer` returns the squared distance beyond which nothing matters;
    /// it is negative when nothing matters any more.
    fn visit(&self, node: u32, point: &Point3<f64>, offer: &mut dyn FnMut(&Point3<f64>, u32) -> f64) -> f64 {
        match self.nodes[node as usize] {
            KdNode::Leaf { first, end } => {
                let mut limit = f64::INFINITY;
                for (candidate, number) in &self.points[first as usize..end as usize] {
                    limit = offer(candidate, *number);
                }
                limit
            }
            KdNode::Split { axis, value, upper } => {
                let offset = point[axis as usize] - value;
                let (near, far) = if offset < 0.0 { (node + 1, upper) } else { (upper, node + 1) };
                let limit = self.visit(near, point, offer);
                if offset * offset <= limit { self.visit(far, point, offer) } else { limit }
            }
        }
    }
}
