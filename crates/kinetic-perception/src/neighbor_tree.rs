//! Nearest neighbours among points: a k-d tree with buckets (Friedman, Bentley and Finkel 1977), whose search knows how far a cell is
//! along all axes (Arya and Mount 1993).

use nalgebra::{Point3, Vector3};

/// Points per leaf.
const BUCKET_POINTS: usize = 16;

/// A tree over points, built once.
#[derive(Debug, Clone)]
pub struct NeighborTree {
    /// Leaf after leaf.
    points: Vec<Point3<f64>>,
    /// Their numbers.
    numbers: Vec<u32>,
    /// In depth-first order: the lower child of a node follows it.
    nodes: Vec<KdNode>,
}

#[derive(Debug, Clone, Copy)]
enum KdNode {
    Leaf { first: u32, end: u32 },
    Split { axis: u8, value: f64, upper: u32 },
}

/// What looks at leaves.
trait LeafSearch {
    /// Squared distance beyond which nothing matters; negative when nothing matters any more.
    fn limit(&self) -> f64;

    fn look(&mut self, points: &[Point3<f64>], numbers: &[u32]);
}

impl NeighborTree {
    /// The tree of finite points, numbered as they are given.
    pub fn new(points: &[Point3<f64>]) -> Self {
        let (mut numbered, mut nodes): (Vec<(Point3<f64>, u32)>, _) =
            (points.iter().copied().zip(0..).collect(), Vec::new());
        if !points.is_empty() {
            split(&mut numbered, 0, &mut nodes);
        }
        let (points, numbers) = numbered.into_iter().unzip();
        Self { points, numbers, nodes }
    }

    /// The points with their numbers, leaf after leaf: neighbours in this order are near each other.
    pub(crate) fn leaves(&self) -> (&[Point3<f64>], &[u32]) {
        (&self.points, &self.numbers)
    }

    /// Squared distances of a point from its `k` nearest points, m², nearest first. The point of number `except` does not count.
    pub fn nearest_squared(&self, point: &Point3<f64>, k: usize, except: Option<u32>) -> Vec<f64> {
        let mut found = Vec::new();
        self.nearest_squared_into(point, k, except, &mut found);
        found
    }

    /// As [`nearest_squared`](Self::nearest_squared), into what is there for it.
    pub(crate) fn nearest_squared_into(
        &self,
        point: &Point3<f64>,
        k: usize,
        except: Option<u32>,
        found: &mut Vec<f64>,
    ) {
        found.clear();
        let k = k.min(self.points.len());
        if k > 0 {
            self.visit(0, point, [0.0; 3], &mut Nearest { point, k, except, found });
        }
    }

    /// Number of points within a radius (m) of a point, at most `enough`. The point of number `except` does not count.
    pub fn count_within(&self, point: &Point3<f64>, radius: f64, enough: usize, except: Option<u32>) -> usize {
        let mut within = Within { point, limit: radius * radius, enough, except, count: 0 };
        if !self.nodes.is_empty() {
            self.visit(0, point, [0.0; 3], &mut within);
        }
        within.count.min(enough)
    }

    /// Visits leaves, those on the side of `point` first. `offsets` are what the cell of a node is away from the point along each axis,
    /// so that no point in it is nearer, not even as rounding has it: squares are summed in the same order.
    fn visit(&self, node: u32, point: &Point3<f64>, offsets: [f64; 3], search: &mut impl LeafSearch) {
        match self.nodes[node as usize] {
            KdNode::Leaf { first, end } => {
                let leaf = first as usize..end as usize;
                search.look(&self.points[leaf.clone()], &self.numbers[leaf]);
            }
            KdNode::Split { axis, value, upper } => {
                let offset = point[axis as usize] - value;
                let (near, far) = if offset < 0.0 { (node + 1, upper) } else { (upper, node + 1) };
                self.visit(near, point, offsets, search);
                let mut beyond = offsets;
                beyond[axis as usize] = offset;
                if sum_of_squares(beyond) <= search.limit() {
                    self.visit(far, point, beyond, search);
                }
            }
        }
    }
}

/// Splits a part of all points, which begins with number `first` of them.
fn split(part: &mut [(Point3<f64>, u32)], first: usize, nodes: &mut Vec<KdNode>) {
    if part.len() <= BUCKET_POINTS {
        nodes.push(KdNode::Leaf { first: first as u32, end: (first + part.len()) as u32 });
        return;
    }
    let (low, high) = part.iter().fold((part[0].0, part[0].0), |(low, high), (p, _)| (low.inf(p), high.sup(p)));
    let axis = Vector3::imax(&(high - low));
    let middle = part.len() / 2;
    part.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (node, value) = (nodes.len(), part[middle].0[axis]);
    nodes.push(KdNode::Split { axis: axis as u8, value, upper: 0 });
    let (lower, upper) = part.split_at_mut(middle);
    split(lower, first, nodes);
    nodes[node] = KdNode::Split { axis: axis as u8, value, upper: nodes.len() as u32 };
    split(upper, first + middle, nodes);
}

fn sum_of_squares([x, y, z]: [f64; 3]) -> f64 {
    x * x + y * y + z * z
}

fn squared_distance(a: &Point3<f64>, b: &Point3<f64>) -> f64 {
    sum_of_squares((a - b).into())
}

/// The least squared distances so far, ascending.
struct Nearest<'a> {
    point: &'a Point3<f64>,
    k: usize,
    except: Option<u32>,
    found: &'a mut Vec<f64>,
}

impl LeafSearch for Nearest<'_> {
    fn limit(&self) -> f64 {
        // What is as far as the last one changes nothing: of many equal points no more are looked at.
        if self.found.len() < self.k { f64::INFINITY } else { self.found[self.k - 1].next_down() }
    }

    fn look(&mut self, points: &[Point3<f64>], numbers: &[u32]) {
        for (candidate, number) in points.iter().zip(numbers) {
            let squared = squared_distance(candidate, self.point);
            if squared <= self.limit() && Some(*number) != self.except {
                insert(self.found, self.k, squared);
            }
        }
    }
}

/// Puts a value into its place, and drops the largest of more than `most`.
fn insert(ascending: &mut Vec<f64>, most: usize, value: f64) {
    if ascending.len() < most {
        ascending.push(value);
    }
    let mut place = ascending.len() - 1;
    while place > 0 && ascending[place - 1] > value {
        ascending[place] = ascending[place - 1];
        place -= 1;
    }
    ascending[place] = value;
}

/// How many points are within a distance, until there are enough.
struct Within<'a> {
    point: &'a Point3<f64>,
    limit: f64,
    enough: usize,
    except: Option<u32>,
    count: usize,
}

impl LeafSearch for Within<'_> {
    fn limit(&self) -> f64 {
        if self.count >= self.enough { -1.0 } else { self.limit }
    }

    fn look(&mut self, points: &[Point3<f64>], numbers: &[u32]) {
        let counts = |(candidate, number): (&Point3<f64>, &u32)| {
            squared_distance(candidate, self.point) <= self.limit && Some(*number) != self.except
        };
        self.count += points.iter().zip(numbers).filter(|pair| counts(*pair)).count();
    }
}
