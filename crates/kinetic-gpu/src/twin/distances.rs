//! Twin of `shaders/distances.wgsl`.

use nalgebra::Vector3;

use super::kinematics::{PlacedFrame, index, scalar, vector};
use crate::layout::{
    FIELD_LOW, FIELD_NODES, Four, KIND_CAPSULE, KIND_CUBOID, KIND_CYLINDER, KIND_HALF_SPACE, KIND_SPHERE,
    OBSTACLE_KIND, OBSTACLE_SIZES, SHAPE_HIGH, SHAPE_LOW,
};

/// An obstacle: its elements, and the nodes of all fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObstacleRow<'a> {
    pub(crate) row: &'a [Four],
    pub(crate) fields: &'a [f32],
}

impl ObstacleRow<'_> {
    fn at(&self, place: usize) -> Vector3<f32> {
        vector(self.row[place])
    }

    /// `shape_from_root`.
    fn pose(&self) -> PlacedFrame {
        PlacedFrame::of_rows(self.row)
    }

    fn kind(&self) -> usize {
        index(self.row[OBSTACLE_KIND][0])
    }

    fn resolution(&self) -> f32 {
        self.row[OBSTACLE_KIND][2]
    }

    /// Signed distance of a point of the root, m.
    pub(crate) fn distance(&self, point: &Vector3<f32>) -> f32 {
        let (p, size) = (self.pose().moved(point), self.at(OBSTACLE_SIZES));
        match self.kind() {
            KIND_SPHERE => length(&p) - size.x,
            KIND_CUBOID => {
                let excess = p.abs() - size;
                length(&excess.sup(&Vector3::zeros())) + largest(&excess).min(0.0)
            }
            KIND_CAPSULE => length(&off_segment(&p, size.y)) - size.x,
            KIND_CYLINDER => {
                let (radial, axial) = cylinder_excess(&p, size.x, size.y);
                let (beyond_side, beyond_end) = (radial.max(0.0), axial.max(0.0));
                (beyond_side * beyond_side + beyond_end * beyond_end).sqrt() + radial.max(axial).min(0.0)
            }
            KIND_HALF_SPACE => scalar(&size, &p) - self.row[OBSTACLE_SIZES][3],
            _ => self.field_distance(&p),
        }
    }

    /// Gradient of the distance in the axes of the root.
    pub(crate) fn gradient(&self, point: &Vector3<f32>) -> Vector3<f32> {
        let (pose, size) = (self.pose(), self.at(OBSTACLE_SIZES));
        let p = pose.moved(point);
        pose.turned_back(&match self.kind() {
            KIND_SPHERE => direction_or(&p, Vector3::z()),
            KIND_CUBOID => cuboid_gradient(&p, &size),
            KIND_CAPSULE => direction_or(&off_segment(&p, size.y), Vector3::x()),
            KIND_CYLINDER => cylinder_gradient(&p, size.x, size.y),
            KIND_HALF_SPACE => size,
            _ => self.field_gradient(&p),
        })
    }

    /// A point relative to the box around the shape of a field; zero inside.
    fn off_shape(&self, p: &Vector3<f32>) -> Vector3<f32> {
        p - p.sup(&self.at(SHAPE_LOW)).inf(&self.at(SHAPE_HIGH))
    }

    /// First node and share of the cell around a point; `None` outside of the grid.
    fn cell(&self, p: &Vector3<f32>) -> Option<(Vector3<f32>, Vector3<f32>)> {
        let along = (p - self.at(FIELD_LOW)) / self.resolution();
        let last = self.at(FIELD_NODES) - Vector3::repeat(1.0);
        if (0..3).any(|axis| along[axis] < 0.0 || along[axis] > last[axis]) {
            return None;
        }
        let node = along.map(f32::floor).inf(&(last - Vector3::repeat(1.0)));
        Some((node, along - node))
    }

    /// Values at the eight nodes of a cell; z is the lowest bit, x the highest.
    fn corners(&self, node: &Vector3<f32>) -> [f32; 8] {
        let [_, ny, nz] = [0, 1, 2].map(|axis| index(self.row[FIELD_NODES][axis]));
        let [x, y, z] = [0, 1, 2].map(|axis| index(node[axis]));
        let first = index(self.row[OBSTACLE_KIND][1]);
        std::array::from_fn(|i| self.fields[first + ((x + (i >> 2)) * ny + y + (i >> 1 & 1)) * nz + z + (i & 1)])
    }

    fn field_distance(&self, p: &Vector3<f32>) -> f32 {
        let Some((node, t)) = self.cell(p) else { return length(&self.off_shape(p)) };
        let v = self.corners(&node);
        let low = between(between(v[0], v[1], t.z), between(v[2], v[3], t.z), t.y);
        let high = between(between(v[4], v[5], t.z), between(v[6], v[7], t.z), t.y);
        between(low, high, t.x)
    }

    fn field_gradient(&self, p: &Vector3<f32>) -> Vector3<f32> {
        let Some((node, t)) = self.cell(p) else { return direction_or(&self.off_shape(p), Vector3::z()) };
        let v = self.corners(&node);
        let low = between(between(v[0], v[1], t.z), between(v[2], v[3], t.z), t.y);
        let high = between(between(v[4], v[5], t.z), between(v[6], v[7], t.z), t.y);
        let along_y = between(
            between(v[2], v[3], t.z) - between(v[0], v[1], t.z),
            between(v[6], v[7], t.z) - between(v[4], v[5], t.z),
            t.x,
        );
        let along_z = between(between(v[1] - v[0], v[3] - v[2], t.y), between(v[5] - v[4], v[7] - v[6], t.y), t.x);
        Vector3::new(high - low, along_y, along_z) / self.resolution()
    }
}

/// The length of a vector.
pub(crate) fn length(v: &Vector3<f32>) -> f32 {
    v.dot(v).sqrt()
}

/// The direction of a vector, or another where it has none.
pub(crate) fn direction_or(v: &Vector3<f32>, otherwise: Vector3<f32>) -> Vector3<f32> {
    let size = length(v);
    if size > 0.0 { v / size } else { otherwise }
}

fn largest(v: &Vector3<f32>) -> f32 {
    v.x.max(v.y).max(v.z)
}

fn sign_of(value: f32) -> f32 {
    if value >= 0.0 { 1.0 } else { -1.0 }
}

fn between(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// A point relative to the nearest point of the segment along z.
fn off_segment(p: &Vector3<f32>, half_height: f32) -> Vector3<f32> {
    Vector3::new(p.x, p.y, p.z - p.z.clamp(-half_height, half_height))
}

fn cylinder_excess(p: &Vector3<f32>, radius: f32, half_height: f32) -> (f32, f32) {
    ((p.x * p.x + p.y * p.y).sqrt() - radius, p.z.abs() - half_height)
}

fn cuboid_gradient(p: &Vector3<f32>, half: &Vector3<f32>) -> Vector3<f32> {
    let (excess, signs) = (p.abs() - half, p.map(sign_of));
    let most = largest(&excess);
    let face = match excess {
        excess if excess.x == most => Vector3::new(signs.x, 0.0, 0.0),
        excess if excess.y == most => Vector3::new(0.0, signs.y, 0.0),
        _ => Vector3::new(0.0, 0.0, signs.z),
    };
    direction_or(&excess.sup(&Vector3::zeros()).component_mul(&signs), face)
}

fn cylinder_gradient(p: &Vector3<f32>, radius: f32, half_height: f32) -> Vector3<f32> {
    let outward = direction_or(&Vector3::new(p.x, p.y, 0.0), Vector3::x());
    let upward = Vector3::new(0.0, 0.0, sign_of(p.z));
    let (radial, axial) = cylinder_excess(p, radius, half_height);
    let nearest = if radial >= axial { outward } else { upward };
    direction_or(&(outward * radial.max(0.0) + upward * axial.max(0.0)), nearest)
}
