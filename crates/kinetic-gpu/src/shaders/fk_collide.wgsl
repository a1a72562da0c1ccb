// The least slack of a configuration, and its gradient: one thread per configuration; twin/fk_collide.rs has the same order.
// sizes: configurations, frames, variables, first element of the bodies, bodies, first elements of spheres and pairs, pairs,
// obstacles, first element of the required clearances, numbers of an answer.

@group(0) @binding(2) var<storage, read> configurations: array<f32>;
@group(0) @binding(5) var<storage, read_write> answers: array<f32>;
@group(0) @binding(6) var<storage, read_write> frames: array<vec4<f32>>;

fn variable_at(thread: u32, variable: u32) -> f32 {
    return configurations[thread * size(2u) + variable];
}

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

// A body is skipped where its bounding sphere is no nearer than the tightest pair so far.
fn check_world(row: u32) {
    for (var index = 0u; index < size(4u); index++) {
        let body = body_at(index);
        let f = frame_at(body.frame, row);
        let center = moved(f, body.ball.xyz);
        for (var second = 0u; second < size(8u); second++) {
            let margin = margin_between(index, second);
            let obstacle = obstacle_at(second);
            if margin >= UNCHECKED || distance_to(obstacle, center) - body.ball.w - margin >= best.slack {
                continue;
            }
            for (var i = body.first; i < body.end; i++) {
                let sphere = sphere_at(i);
                let slack = distance_to(obstacle, moved(f, sphere.xyz)) - sphere.w - margin;
                if slack < best.slack {
                    best = Tightest(slack, PAIR_WORLD, index, second, i, 0u);
                }
            }
        }
    }
}

fn check_pairs(row: u32) {
    for (var pair = 0u; pair < size(7u); pair++) {
        let data = robot_at(size(6u) + pair);
        let a = body_at(u32(data.x));
        let b = body_at(u32(data.y));
        let margin = data.z;
        let fa = frame_at(a.frame, row);
        let fb = frame_at(b.frame, row);
        if length(moved(fa, a.ball.xyz) - moved(fb, b.ball.xyz)) - a.ball.w - b.ball.w - margin >= best.slack {
            continue;
        }
        for (var i = a.first; i < a.end; i++) {
            let sphere = sphere_at(i);
            let p = local(fb, moved(fa, sphere.xyz));
            if length(p - b.ball.xyz) - sphere.w - b.ball.w - margin >= best.slack {
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
    let out = row * size(10u) + NEAREST_FLOATS;
    var k = carrier;
    while k != 0u {
        let at = (k - 1u) * FRAME_STRIDE;
        let joint = robot_at(at + 3u);
        let f = frame_at(k, row);
        var velocity = vec3<f32>(f.a.z, f.b.z, f.c.z);
        if joint.y < 0.5 {
            velocity = cross(velocity, point - origin_of(f));
        }
        answers[out + u32(joint.z)] += joint.w * scalar(force, velocity);
        k = u32(joint.x);
    }
}

fn write_gradient(row: u32) {
    for (var i = NEAREST_FLOATS; i < size(10u); i++) {
        answers[row * size(10u) + i] = 0.0;
    }
    if best.kind == PAIR_WORLD {
        let carrier = body_at(best.first).frame;
        let p = moved(frame_at(carrier, row), sphere_at(best.sphere).xyz);
        add_gradient(row, carrier, p, gradient_to(obstacle_at(best.second), p));
    } else if best.kind == PAIR_OWN {
        let data = robot_at(size(6u) + best.first);
        let a = body_at(u32(data.x)).frame;
        let b = body_at(u32(data.y)).frame;
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
    if row >= size(0u) {
        return;
    }
    place_frames(row);
    best = Tightest(FAR, PAIR_NONE, 0u, 0u, 0u, 0u);
    check_world(row);
    check_pairs(row);
    let out = row * size(10u);
    answers[out] = best.slack;
    answers[out + 1u] = f32(best.kind);
    answers[out + 2u] = f32(best.first);
    answers[out + 3u] = f32(best.second);
    if size(10u) > NEAREST_FLOATS {
        write_gradient(row);
    }
}
