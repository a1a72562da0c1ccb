// Signed distances of points from obstacles, and their gradients; twin/distances.rs has the same order of arithmetic.

@group(0) @binding(3) var<storage, read> world: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> fields: array<f32>;

struct Obstacle {
    // shape_from_root
    pose: Frame,
    kind: u32,
    size: vec4<f32>,
    // First of its elements, for the other data of fields.
    at: u32,
}

struct Cell {
    is_inside: bool,
    node: vec3<u32>,
    share: vec3<f32>,
}

fn world_at(index: u32) -> vec4<f32> {
    return world[places.world + index];
}

fn obstacle_at(index: u32) -> Obstacle {
    let at = index * OBSTACLE_STRIDE;
    let pose = Frame(world_at(at), world_at(at + 1u), world_at(at + 2u));
    return Obstacle(pose, u32(world_at(at + OBSTACLE_KIND).x), world_at(at + OBSTACLE_SIZES), at);
}

fn largest(v: vec3<f32>) -> f32 {
    return max(max(v.x, v.y), v.z);
}

fn sign_of(value: f32) -> f32 {
    return select(-1.0, 1.0, value >= 0.0);
}

fn direction_or(v: vec3<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    let size = length(v);
    if size > 0.0 {
        return v / size;
    }
    return otherwise;
}

// A point relative to the nearest point of the segment along z.
fn off_segment(p: vec3<f32>, half_height: f32) -> vec3<f32> {
    return vec3<f32>(p.x, p.y, p.z - clamp(p.z, -half_height, half_height));
}

// A point relative to the box around the shape of a field; zero inside.
fn off_shape(at: u32, p: vec3<f32>) -> vec3<f32> {
    return p - clamp(p, world_at(at + SHAPE_LOW).xyz, world_at(at + SHAPE_HIGH).xyz);
}

fn field_cell(at: u32, p: vec3<f32>) -> Cell {
    let along = (p - world_at(at + FIELD_LOW).xyz) / world_at(at + OBSTACLE_KIND).z;
    let last = world_at(at + FIELD_NODES).xyz - vec3<f32>(1.0);
    if any(along < vec3<f32>(0.0)) || any(along > last) {
        return Cell(false, vec3<u32>(0u), vec3<f32>(0.0));
    }
    let node = min(floor(along), last - vec3<f32>(1.0));
    return Cell(true, vec3<u32>(node), along - node);
}

// Values at the eight nodes of a cell; z is the lowest bit, x the highest.
fn corners(at: u32, node: vec3<u32>) -> array<f32, 8> {
    let nodes = vec3<u32>(world_at(at + FIELD_NODES).xyz);
    let first = places.fields + u32(world_at(at + OBSTACLE_KIND).y);
    var values: array<f32, 8>;
    for (var i = 0u; i < 8u; i++) {
        let x = node.x + (i >> 2u);
        let y = node.y + ((i >> 1u) & 1u);
        let z = node.z + (i & 1u);
        values[i] = fields[first + (x * nodes.y + y) * nodes.z + z];
    }
    return values;
}

fn between(a: f32, b: f32, t: f32) -> f32 {
    return a + (b - a) * t;
}

fn field_distance(at: u32, p: vec3<f32>) -> f32 {
    let cell = field_cell(at, p);
    if !cell.is_inside {
        return length(off_shape(at, p));
    }
    let v = corners(at, cell.node);
    let t = cell.share;
    let low = between(between(v[0], v[1], t.z), between(v[2], v[3], t.z), t.y);
    let high = between(between(v[4], v[5], t.z), between(v[6], v[7], t.z), t.y);
    return between(low, high, t.x);
}

fn field_gradient(at: u32, p: vec3<f32>) -> vec3<f32> {
    let cell = field_cell(at, p);
    if !cell.is_inside {
        return direction_or(off_shape(at, p), vec3<f32>(0.0, 0.0, 1.0));
    }
    let v = corners(at, cell.node);
    let t = cell.share;
    let low = between(between(v[0], v[1], t.z), between(v[2], v[3], t.z), t.y);
    let high = between(between(v[4], v[5], t.z), between(v[6], v[7], t.z), t.y);
    let along_y = between(
        between(v[2], v[3], t.z) - between(v[0], v[1], t.z),
        between(v[6], v[7], t.z) - between(v[4], v[5], t.z),
        t.x,
    );
    let along_z = between(between(v[1] - v[0], v[3] - v[2], t.y), between(v[5] - v[4], v[7] - v[6], t.y), t.x);
    return vec3<f32>(high - low, along_y, along_z) / world_at(at + OBSTACLE_KIND).z;
}

fn distance_to(obstacle: Obstacle, point: vec3<f32>) -> f32 {
    let p = moved(obstacle.pose, point);
    let size = obstacle.size.xyz;
    switch obstacle.kind {
        case KIND_SPHERE: {
            return length(p) - size.x;
        }
        case KIND_CUBOID: {
            let excess = abs(p) - size;
            return length(max(excess, vec3<f32>(0.0))) + min(largest(excess), 0.0);
        }
        case KIND_CAPSULE: {
            return length(off_segment(p, size.y)) - size.x;
        }
        case KIND_CYLINDER: {
            let excess = vec2<f32>(length(p.xy) - size.x, abs(p.z) - size.y);
            return length(max(excess, vec2<f32>(0.0))) + min(max(excess.x, excess.y), 0.0);
        }
        case KIND_HALF_SPACE: {
            return scalar(size, p) - obstacle.size.w;
        }
        default: {
            return field_distance(obstacle.at, p);
        }
    }
}

fn cuboid_gradient(p: vec3<f32>, half: vec3<f32>) -> vec3<f32> {
    let excess = abs(p) - half;
    let signs = vec3<f32>(sign_of(p.x), sign_of(p.y), sign_of(p.z));
    let most = largest(excess);
    var face = vec3<f32>(0.0, 0.0, signs.z);
    if excess.x == most {
        face = vec3<f32>(signs.x, 0.0, 0.0);
    } else if excess.y == most {
        face = vec3<f32>(0.0, signs.y, 0.0);
    }
    return direction_or(max(excess, vec3<f32>(0.0)) * signs, face);
}

fn cylinder_gradient(p: vec3<f32>, radius: f32, half_height: f32) -> vec3<f32> {
    let outward = direction_or(vec3<f32>(p.x, p.y, 0.0), vec3<f32>(1.0, 0.0, 0.0));
    let upward = vec3<f32>(0.0, 0.0, sign_of(p.z));
    let radial = length(p.xy) - radius;
    let axial = abs(p.z) - half_height;
    return direction_or(outward * max(radial, 0.0) + upward * max(axial, 0.0), select(upward, outward, radial >= axial));
}

fn local_gradient(obstacle: Obstacle, p: vec3<f32>) -> vec3<f32> {
    let size = obstacle.size.xyz;
    switch obstacle.kind {
        case KIND_SPHERE: {
            return direction_or(p, vec3<f32>(0.0, 0.0, 1.0));
        }
        case KIND_CUBOID: {
            return cuboid_gradient(p, size);
        }
        case KIND_CAPSULE: {
            return direction_or(off_segment(p, size.y), vec3<f32>(1.0, 0.0, 0.0));
        }
        case KIND_CYLINDER: {
            return cylinder_gradient(p, size.x, size.y);
        }
        case KIND_HALF_SPACE: {
            return size;
        }
        default: {
            return field_gradient(obstacle.at, p);
        }
    }
}

fn gradient_to(obstacle: Obstacle, point: vec3<f32>) -> vec3<f32> {
    return turned_back(obstacle.pose, local_gradient(obstacle, moved(obstacle.pose, point)));
}
