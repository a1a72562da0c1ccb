//! A convex polytope that grows point by point, for quickhull and the expanding polytope algorithm.

use nalgebra::Vector3;

/// One triangle, counter-clockwise seen from outside.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    pub(crate) vertices: [usize; 3],
    /// `neighbours[i]` shares the edge from `vertices[i]` to the next.
    neighbours: [usize; 3],
    /// Unit outward normal.
    pub(crate) normal: Vector3<f64>,
    /// `normal · x` on the plane.
    pub(crate) offset: f64,
    /// False once a later point has made this face interior.
    pub(crate) is_alive: bool,
}

impl Face {
    /// Signed distance of a point from the plane, positive outside.
    pub(crate) fn height(&self, point: &Vector3<f64>) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// Result of [`Polytope::insert`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// New faces begin at `first`; the faces that they replace stay in the list, dead.
    Grown {
        /// Index of the first new face.
        first: usize,
        /// The faces that died, ascending.
        hidden: Vec<usize>,
    },
    /// Rounding left no clean silhouette; the surface is unchanged.
    Refused,
}

/// A convex polytope as triangles with neighbours.
#[derive(Debug, Clone)]
pub(crate) struct Polytope {
    pub(crate) points: Vec<Vector3<f64>>,
    pub(crate) faces: Vec<Face>,
    /// A point strictly inside; orients every normal.
    center: Vector3<f64>,
    /// Heights up to this count as on the plane.
    tolerance: f64,
}

impl Polytope {
    /// The tetrahedron of the first four of `points`; `None` when it is flat.
    pub(crate) fn tetrahedron(points: Vec<Vector3<f64>>, corners: [usize; 4], tolerance: f64) -> Option<Self> {
        let center = corners.iter().map(|corner| points[*corner]).sum::<Vector3<f64>>() / 4.0;
        let mut polytope = Self { points, faces: Vec::new(), center, tolerance };
        let [a, mut b, mut c, d] = corners;
        let edge = |to: usize| polytope.points[to] - polytope.points[a];
        if edge(b).cross(&edge(c)).dot(&edge(d)) > 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        // The base abc looks away from d; neighbours follow the edge order of each triangle.
        let triangles =
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])];
        for (vertices, neighbours) in triangles {
            let face = polytope.face(vertices, neighbours)?;
            polytope.faces.push(face);
        }
        Some(polytope)
    }

    /// Adds `points[point]`, which lies above face `seen`.
    pub(crate) fn insert(&mut self, point: usize, seen: usize) -> Insertion {
        let (mut hidden, horizon) = self.silhouette(&self.points[point], seen);
        let Some(ring) = closed_ring(&horizon, &self.faces) else { return Insertion::Refused };
        let first = self.faces.len();
        let count = ring.len();
        let mut fresh = Vec::with_capacity(count);
        for (index, (outer, edge)) in ring.iter().enumerate() {
            let face = &self.faces[*outer];
            // The horizon edge runs the other way in the face that replaces the hidden side.
            let (to, from) = (face.vertices[*edge], face.vertices[(*edge + 1) % 3]);
            let (next, previous) = (first + (index + 1) % count, first + (index + count - 1) % count);
            let Some(face) = self.face([from, to, point], [*outer, next, previous]) else { return Insertion::Refused };
            fresh.push(face);
        }
        for (index, (outer, edge)) in ring.iter().enumerate() {
            self.faces[*outer].neighbours[*edge] = first + index;
        }
        hidden.sort_unstable();
        for face in &hidden {
            self.faces[*face].is_alive = false;
        }
        self.faces.extend(fresh);
        Insertion::Grown { first, hidden }
    }

    /// Faces that the point sees, connected to `seen`, and the edges around them as (face that stays, edge in it).
    fn silhouette(&self, point: &Vector3<f64>, seen: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
        let mut hidden = vec![seen];
        let mut horizon = Vec::new();
        let mut next = 0;
        while next < hidden.len() {
            let index = hidden[next];
            next += 1;
            for neighbour in self.faces[index].neighbours {
                if hidden.contains(&neighbour) {
                    continue;
                }
                let face = &self.faces[neighbour];
                if face.height(point) > self.tolerance {
                    hidden.push(neighbour);
                } else if let Some(edge) = face.neighbours.iter().position(|other| *other == index) {
                    horizon.push((neighbour, edge));
                }
            }
        }
        // A face that became hidden after one of its edges was listed is not on the horizon.
        horizon.retain(|(face, _)| !hidden.contains(face));
        (hidden, horizon)
    }

    /// A triangle with its plane; `None` when it is too thin for a normal or does not face away from the centre.
    fn face(&self, vertices: [usize; 3], neighbours: [usize; 3]) -> Option<Face> {
        let [a, b, c] = vertices.map(|vertex| self.points[vertex]);
        let normal = plane_normal(&a, &b, &c)?;
        // The mean of the corners spreads their rounding evenly.
        let offset = normal.dot(&(a + b + c)) / 3.0;
        let face = Face { vertices, neighbours, normal, offset, is_alive: true };
        (face.height(&self.center) < 0.0).then_some(face)
    }

    /// Faces of the surface.
    pub(crate) fn alive(&self) -> impl Iterator<Item = (usize, &Face)> {
        self.faces.iter().enumerate().filter(|(_, face)| face.is_alive)
    }
}

/// Unit normal of a triangle, from its two shortest edges; `None` when it has no area.
fn plane_normal(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Option<Vector3<f64>> {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let (lab, lbc, lca) = (ab.norm_squared(), bc.norm_squared(), ca.norm_squared());
    // Cancellation is least where the two shortest edges meet.
    let cross = if lab >= lbc && lab >= lca {
        bc.cross(&ca)
    } else if lbc >= lca {
        ca.cross(&ab)
    } else {
        ab.cross(&bc)
    };
    let longest = lab.max(lbc).max(lca);
    // Height over the longest edge below 1e-12 of that edge: the direction of the normal is noise.
    (cross.norm_squared() > 1e-24 * longest * longest).then(|| cross.normalize())
}

/// Orders horizon edges so that each ends where the next begins; `None` unless they form one simple ring.
fn closed_ring(horizon: &[(usize, usize)], faces: &[Face]) -> Option<Vec<(usize, usize)>> {
    let ends = |(face, edge): (usize, usize)| {
        let vertices = faces[face].vertices;
        // Reversed, as the new faces use it.
        (vertices[(edge + 1) % 3], vertices[edge])
    };
    let first = *horizon.first()?;
    let mut ring = vec![first];
    let (start, mut reached) = ends(first);
    while reached != start {
        let mut following = horizon.iter().filter(|item| ends(**item).0 == reached);
        let next = *following.next()?;
        // Two edges that leave one vertex: the silhouette touches itself.
        if following.next().is_some() || ring.len() == horizon.len() {
            return None;
        }
        ring.push(next);
        reached = ends(next).1;
    }
    (ring.len() == horizon.len() && ring.len() >= 3).then_some(ring)
}
