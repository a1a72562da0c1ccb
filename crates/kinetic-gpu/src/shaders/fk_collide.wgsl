// The least slack of a configuration, and its gradient: one thread per configuration; twin/fk_collide.rs has the same order.
// sizes: configurations, frames, variables, first float of the bodies, bodies, first floats of spheres and pairs, pairs,
// obstacles, first float of the required clearances, floats of an answer.

@group(0) @binding(5) var<storage, read_write> answers: array<f32>;
@group(0) @binding(6) var<storage, read_write> frames: array<f32>;

// The tightest pair so far: two indices of its kind, and the spheres that are nearest.
struct Tightest {
    slack: f32,
    kind: u32,
    first: u32,
    second: u32,
    sphere: u32,
    other: u32,
}

var<private> best: Tightest;

struct Body {
    frame: u32,
    center: vec3<f32>,
    radius: f32,
    first: u32,
    end: u32,
}

fn body_at(index: u32) -> Body {
    let at = sizes[3] + index * BODY_STRIDE;
    let first = u32(robot[at + 5u]);
    return Body(u32(robot[at]), robot_vector(at + 1u), robot[at + 4u], first, first + u32(robot[at + 6u]));
}

fn sphere_at(index: u32) -> vec4<f32> {
    let at = sizes[5] + index * SPHERE_STRIDE;
    return vec4<f32>(robot_vector(at), robot[at + 3u]);
}

// A body is skipped where its bounding sphere is no nearer than the tightest pair so far.
fn check_world(row: u32) {
    for (var index = 0u; index < sizes[4]; index++) {
        let body = body_at(index);
        let f = frame_at(body.frame, row);
        let center = moved(f, body.center);
        for (var obstacle = 0u; obstacle < sizes[8]; obstacle++) {
            let margin = world[sizes[9] + index * sizes[8] + obstacle];
            let at = obstacle * OBSTACLE_STRIDE;
            if margin >= UNCHECKED || distance_to(at, center) - body.radius - margin >= best.slack {
                continue;
            }
            for (var i = body.first; i < body.end; i++) {
                let sphere = sphere_at(i);
                let slack = distance_to(at, moved(f, sphere.xyz)) - sphere.w - margin;
                if slack < best.slack {
                    best = Tightest(slack, PAIR_WORLD, index, obstacle, i, 0u);
                }
            }
        }
    }
}

fn check_pairs(row: u32) {
    for (var pair = 0u; pair < sizes[7]; pair++) {
        let at = sizes[6] + pair * PAIR_STRIDE;
        let a = body_at(u32(robot[at]));
        let b = body_at(u32(robot[at + 1u]));
        let margin = robot[at + 2u];
        let fa = frame_at(a.frame, row);
        let fb = frame_at(b.frame, row);
        if length(moved(fa, a.center) - moved(fb, b.center)) - a.radius - b.radius - margin >= best.slack {
            continue;
        }
        for (var i = a.first; i < a.end; i++) {
            let sphere = sphere_at(i);
            let p = local(fb, moved(fa, sphere.xyz));
            if length(p - b.center) - sphere.w - b.radius - margin >= best.slack {
                continue;
            }
            for (var j = b.first; j < b.end; j++) {
                let other = sphere_at(j);
                let slack = length(p - other.xyz) - sphere.w - other.w - margin;
                if slack < best.slack {
                    best = Tightest(slack, PAIR_OWN, pair, 0u, i, j);
                }
            }
        }
    }
}

// Adds force · dp/dq for a point that a frame carries: the product with the transposed Jacobian.
fn add_gradient(row: u32, carrier: u32, point: vec3<f32>, force: vec3<f32>) {
    let out = row * sizes[10] + NEAREST_FLOATS;
    var k = carrier;
    while k != 0u {
        let at = (k - 1u) * FRAME_STRIDE;
        let f = frame_at(k, row);
        var velocity = f.z;
        if robot[at + FRAME_IS_PRISMATIC] < 0.5 {
            velocity = cross(f.z, point - f.origin);
        }
        answers[out + u32(robot[at + FRAME_VARIABLE])] += robot[at + FRAME_MULTIPLIER] * dot(force, velocity);
        k = u32(robot[at + FRAME_PARENT]);
    }
}

fn write_gradient(row: u32) {
    for (var i = NEAREST_FLOATS; i < sizes[10]; i++) {
        answers[row * sizes[10] + i] = 0.0;
    }
    if best.kind == PAIR_WORLD {
        let carrier = body_at(best.first).frame;
        let p = moved(frame_at(carrier, row), sphere_at(best.sphere).xyz);
        add_gradient(row, carrier, p, gradient_to(best.second * OBSTACLE_STRIDE, p));
    } else if best.kind == PAIR_OWN {
        let at = sizes[6] + best.first * PAIR_STRIDE;
        let a = body_at(u32(robot[at])).frame;
        let b = body_at(u32(robot[at + 1u])).frame;
        let pa = moved(frame_at(a, row), sphere_at(best.sphere).xyz);
        let pb = moved(frame_at(b, row), sphere_at(best.other).xyz);
        let apart = direction_or(pa - pb, vec3<f32>(0.0, 0.0, 1.0));
        add_gradient(row, a, pa, apart);
        add_gradient(row, b, pb, -apart);
    }
}

@compute @workgroup_size(lanes)
fn fk_collide(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= sizes[0] {
        return;
    }
    place_frames(row, sizes[1], sizes[2]);
    best = Tightest(FAR, PAIR_NONE, 0u, 0u, 0u, 0u);
    check_world(row);
    check_pairs(row);
    let out = row * sizes[10];
    answers[out] = best.slack;
    answers[out + 1u] = f32(best.kind);
    answers[out + 2u] = f32(best.first);
    answers[out + 3u] = f32(best.second);
    if sizes[10] > NEAREST_FLOATS {
        write_gradient(row);
    }
}
