// The tightest pair of a configuration whose frames are placed, and the gradient of its slack; twin/fk_collide.rs
// has the same order.
// The text that follows declares add_slope: adds to the derivative of the slack by a variable.
// sizes: as of bodies.wgsl, and 6 first element of the pairs, 7 pairs.

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

// Whether a loop ended before its end: llvmpipe ends them after 65,535 runs of all loops of a thread.
var<private> is_cut: bool;

// A body is skipped where its bounding sphere is no nearer than the tightest pair so far.
fn check_world(row: u32) {
    var index = 0u;
    for (; index < size(4u); index++) {
        let body = body_at(index);
        let f = frame_at(body.frame, row);
        let center = moved(f, body.ball.xyz);
        var second = 0u;
        for (; second < size(8u); second++) {
            let margin = margin_between(index, second);
            let obstacle = obstacle_at(second);
            if margin >= UNCHECKED || distance_to(obstacle, center) - body.ball.w - margin >= best.slack {
                continue;
            }
            var i = body.first;
            for (; i < body.end; i++) {
                let sphere = sphere_at(i);
                let slack = distance_to(obstacle, moved(f, sphere.xyz)) - sphere.w - margin;
                if slack < best.slack {
                    best = Tightest(slack, PAIR_WORLD, index, second, i, 0u);
                }
            }
            is_cut = is_cut || i < body.end;
        }
        is_cut = is_cut || second < size(8u);
    }
    is_cut = is_cut || index < size(4u);
}

fn check_pairs(row: u32) {
    var pair = 0u;
    for (; pair < size(7u); pair++) {
        let data = robot_at(size(6u) + pair);
        let a = body_at(u32(data.x));
        let b = body_at(u32(data.y));
        let margin = data.z;
        let fa = frame_at(a.frame, row);
        let fb = frame_at(b.frame, row);
        if length(moved(fa, a.ball.xyz) - moved(fb, b.ball.xyz)) - a.ball.w - b.ball.w - margin >= best.slack {
            continue;
        }
        var i = a.first;
        for (; i < a.end; i++) {
            let sphere = sphere_at(i);
            let p = local(fb, moved(fa, sphere.xyz));
            if length(p - b.ball.xyz) - sphere.w - b.ball.w - margin >= best.slack {
                continue;
            }
            var j = b.first;
            for (; j < b.end; j++) {
                let other = sphere_at(j);
                let slack = length(p - other.xyz) - sphere.w - other.w - margin;
                if slack < best.slack {
                    best = Tightest(slack, PAIR_OWN, pair, 0u, i, j);
                }
            }
            is_cut = is_cut || j < b.end;
        }
        is_cut = is_cut || i < a.end;
    }
    is_cut = is_cut || pair < size(7u);
}

// Adds force · dp/dq for a point that a frame carries: the product with the transposed Jacobian.
fn add_gradient(row: u32, carrier: u32, point: vec3<f32>, force: vec3<f32>) {
    var k = carrier;
    while k != 0u {
        let at = (k - 1u) * FRAME_STRIDE;
        let joint = robot_at(at + 3u);
        let f = frame_at(k, row);
        var velocity = vec3<f32>(f.a.z, f.b.z, f.c.z);
        if joint.y < 0.5 {
            velocity = cross(velocity, point - origin_of(f));
        }
        add_slope(row, u32(joint.z), joint.w * scalar(force, velocity));
        k = u32(joint.x);
    }
}

fn add_gradients(row: u32) {
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

// Finds the tightest pair, or that the search was cut.
fn find_nearest(row: u32) {
    best = Tightest(FAR, PAIR_NONE, 0u, 0u, 0u, 0u);
    is_cut = false;
    check_world(row);
    check_pairs(row);
    if is_cut {
        best = Tightest(-FAR, PAIR_UNFINISHED, 0u, 0u, 0u, 0u);
    }
}
