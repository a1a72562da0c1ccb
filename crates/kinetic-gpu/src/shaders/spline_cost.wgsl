// The cost of a B-spline and its gradient: obstacles at the samples, and accelerations; twin/spline_cost.rs has the same order of
// arithmetic. One workgroup has one seed, its lanes share samples and variables.
// sizes: 0 lanes of all workgroups, 1 frames, 2 joints, 3 to 9 as in bodies.wgsl, 6 first element of the pairs, 7 pairs, 10 numbers
// of an answer, 11 control points, 12 samples per interval, 13 iterations, 14 whether they are the first, 15 to 17 first numbers of
// joints, inverse and seeds in the plan, 18 numbers of a seed, 19 numbers of a state, 20 variables, 21 samples, 22 to 25 first elements
// of the scene in robot, world, fields and plan. In front of the sizes of all scenes is, for each seed, the place of those of its scene.

@group(0) @binding(2) var<storage, read> plan: array<f32>;
@group(0) @binding(5) var<storage, read_write> answers: array<f32>;
@group(0) @binding(6) var<storage, read_write> states: array<f32>;
@group(0) @binding(7) var<storage, read_write> frames: array<vec4<f32>>;

fn find_scene(seed: u32) {
    let at = sizes[seed];
    places = Places(at, sizes[at + 22u], sizes[at + 23u], sizes[at + 24u], sizes[at + 25u]);
}

fn plan_at(index: u32) -> f32 {
    return plan[places.plan + index];
}

struct Motion {
    velocity: vec3<f32>,
    acceleration: vec3<f32>,
}

struct Near {
    cost: f32,
    slack: f32,
}

var<private> near: Near;

// Whether a loop ended before its end, as of tightest_pair.wgsl. A sample that is not looked at is not free.
var<private> is_cut: bool;

// Place in the buffer of frames, behind the frames, of position, velocity, acceleration and push of a joint at the sample of a lane.
fn joint_slot(thread: u32, joint: u32) -> u32 {
    return (3u * size(1u) + joint) * size(0u) + thread;
}

fn variable_at(thread: u32, variable: u32) -> f32 {
    return frames[joint_slot(thread, variable)].x;
}

// First number of a row of the state of a seed.
fn state_row(seed: u32, row: u32) -> u32 {
    return seed * size(19u) + row * size(20u);
}

// Numbers of a sample in the state: first those of the push, then cost, then slack.
fn push_at(seed: u32, sample: u32) -> u32 {
    return state_row(seed, STATE_ROWS) + sample * (size(2u) + 2u);
}

fn seed_at(seed: u32) -> u32 {
    return size(17u) + seed * size(18u);
}

fn place_weight(place: u32, derivative: u32, offset: u32) -> f32 {
    return plan_at(PLAN_HEAD + PLACE_FLOATS * place + 4u * derivative + offset);
}

// Deviation from the straight line of a joint at a control point, ends included.
fn deviation(seed: u32, row: u32, joint: u32) -> f32 {
    if row < 1u || row > size(11u) {
        return 0.0;
    }
    return states[state_row(seed, STATE_VALUES) + (row - 1u) * size(2u) + joint];
}

fn fill_sample(seed: u32, sample: u32, thread: u32) {
    let interval = (sample + 1u) / size(12u);
    let place = (sample + 1u) % size(12u);
    for (var joint = 0u; joint < size(2u); joint++) {
        var sums = vec3<f32>(0.0);
        for (var offset = 0u; offset < 4u; offset++) {
            let row = min(max(interval + offset, 2u) - 2u, size(11u) + 1u);
            let value = plan[seed_at(seed) + row * size(2u) + joint] + deviation(seed, row, joint);
            sums.x += place_weight(place, 0u, offset) * value;
            sums.y += place_weight(place, 1u, offset) * value;
            sums.z += place_weight(place, 2u, offset) * value;
        }
        frames[joint_slot(thread, joint)] = vec4<f32>(sums, 0.0);
    }
}

// Velocity and acceleration of a point that a frame carries, from the frame to the root. The velocity so far is what the joints
// beyond a joint give: what the joint turns of it is half of their part in the acceleration.
fn point_motion(thread: u32, carrier: u32, point: vec3<f32>) -> Motion {
    var motion = Motion(vec3<f32>(0.0), vec3<f32>(0.0));
    var k = carrier;
    while k != 0u {
        let joint = robot_at((k - 1u) * FRAME_STRIDE + 3u);
        let f = frame_at(k, thread);
        let rates = frames[joint_slot(thread, u32(joint.z))];
        var column = vec3<f32>(f.a.z, f.b.z, f.c.z);
        if joint.y < 0.5 {
            let turned = column * (joint.w * rates.y);
            column = cross(column, point - origin_of(f));
            motion.acceleration += cross(turned, column * (joint.w * rates.y) + motion.velocity * 2.0);
        }
        motion.acceleration += column * (joint.w * rates.z);
        motion.velocity += column * (joint.w * rates.y);
        k = u32(joint.x);
    }
    return motion;
}

// Adds force · dp/dq for a point that a frame carries: the product with the transposed Jacobian.
fn add_push(thread: u32, carrier: u32, point: vec3<f32>, force: vec3<f32>) {
    var k = carrier;
    while k != 0u {
        let joint = robot_at((k - 1u) * FRAME_STRIDE + 3u);
        let f = frame_at(k, thread);
        var column = vec3<f32>(f.a.z, f.b.z, f.c.z);
        if joint.y < 0.5 {
            column = cross(column, point - origin_of(f));
        }
        frames[joint_slot(thread, u32(joint.z))].w += joint.w * scalar(force, column);
        k = u32(joint.x);
    }
}

// What a slack costs, and the derivative (Zucker et al. 2013, equation 21).
fn hinge(slack: f32) -> vec2<f32> {
    if slack < 0.0 {
        return vec2<f32>(0.5 * plan_at(0u) - slack, -1.0);
    }
    let left = max(plan_at(0u) - slack, 0.0);
    return vec2<f32>(0.5 * left * left / plan_at(0u), -left / plan_at(0u));
}

fn across(unit: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    return v - unit * scalar(unit, v);
}

// Adds cost and functional gradient of a pair (Zucker et al. 2013, equations 19 and 20); carriers are the frames of the points.
fn add_near(thread: u32, slack: f32, direction: vec3<f32>, carriers: vec2<u32>, pa: vec3<f32>, pb: vec3<f32>) {
    near.slack = min(near.slack, slack);
    let cost = hinge(slack);
    let a = point_motion(thread, carriers.x, pa);
    let b = point_motion(thread, carriers.y, pb);
    let velocity = a.velocity - b.velocity;
    let speed = length(velocity);
    near.cost += cost.x * speed;
    if speed < SLOWEST {
        return;
    }
    let unit = velocity / speed;
    let force =
        across(unit, direction * cost.y) * speed - across(unit, a.acceleration - b.acceleration) * (cost.x / speed);
    add_push(thread, carriers.x, pa, force);
    add_push(thread, carriers.y, pb, -force);
}

// A pair that is near: its number, slack, the frames of its bodies and the witness points. Slack is the clearance where there is none.
struct Found {
    pair: u32,
    slack: f32,
    carriers: vec2<u32>,
    a: vec3<f32>,
    b: vec3<f32>,
}

fn next_of_world(thread: u32, first: u32) -> Found {
    var found = Found(first, plan_at(0u), vec2<u32>(0u), vec3<f32>(0.0), vec3<f32>(0.0));
    for (; found.pair < size(4u) * size(8u); found.pair++) {
        let body = body_at(found.pair / size(8u));
        let f = frame_at(body.frame, thread);
        let obstacle = obstacle_at(found.pair % size(8u));
        let margin = margin_between(found.pair / size(8u), found.pair % size(8u));
        if margin >= UNCHECKED || distance_to(obstacle, moved(f, body.ball.xyz)) - body.ball.w - margin >= plan_at(0u) {
            continue;
        }
        var i = body.first;
        for (; i < body.end; i++) {
            let sphere = sphere_at(i);
            let p = moved(f, sphere.xyz);
            let slack = distance_to(obstacle, p) - sphere.w - margin;
            if slack < found.slack {
                found.slack = slack;
                found.a = p;
            }
        }
        is_cut = is_cut || i < body.end;
        if found.slack < plan_at(0u) {
            found.carriers.x = body.frame;
            return found;
        }
    }
    return found;
}

fn next_of_pairs(thread: u32, first: u32) -> Found {
    var found = Found(first, plan_at(0u), vec2<u32>(0u), vec3<f32>(0.0), vec3<f32>(0.0));
    for (; found.pair < size(7u); found.pair++) {
        let data = robot_at(size(6u) + found.pair);
        let a = body_at(u32(data.x));
        let b = body_at(u32(data.y));
        let fa = frame_at(a.frame, thread);
        let fb = frame_at(b.frame, thread);
        let center_b = moved(fb, b.ball.xyz);
        if length(moved(fa, a.ball.xyz) - center_b) - a.ball.w - b.ball.w - data.z >= plan_at(0u) {
            continue;
        }
        var i = a.first;
        for (; i < a.end; i++) {
            let sphere = sphere_at(i);
            let p = moved(fa, sphere.xyz);
            if length(p - center_b) - sphere.w - b.ball.w - data.z >= found.slack {
                continue;
            }
            var j = b.first;
            for (; j < b.end; j++) {
                let other_sphere = sphere_at(j);
                let other = moved(fb, other_sphere.xyz);
                let slack = length(p - other) - sphere.w - other_sphere.w - data.z;
                if slack < found.slack {
                    found.slack = slack;
                    found.a = p;
                    found.b = other;
                }
            }
            is_cut = is_cut || j < b.end;
        }
        is_cut = is_cut || i < a.end;
        if found.slack < plan_at(0u) {
            found.carriers = vec2<u32>(a.frame, b.frame);
            return found;
        }
    }
    return found;
}

// Lanes look for their next pairs and then add them together: what is done for a pair is long, and few pairs are near.
fn add_world(thread: u32) {
    var found = next_of_world(thread, 0u);
    while found.slack < plan_at(0u) {
        let direction = gradient_to(obstacle_at(found.pair % size(8u)), found.a);
        add_near(thread, found.slack, direction, found.carriers, found.a, found.a);
        found = next_of_world(thread, found.pair + 1u);
    }
    is_cut = is_cut || found.pair < size(4u) * size(8u);
}

fn add_pairs(thread: u32) {
    var found = next_of_pairs(thread, 0u);
    while found.slack < plan_at(0u) {
        let direction = direction_or(found.a - found.b, vec3<f32>(0.0, 0.0, 1.0));
        add_near(thread, found.slack, direction, found.carriers, found.a, found.b);
        found = next_of_pairs(thread, found.pair + 1u);
    }
    is_cut = is_cut || found.pair < size(7u);
}

fn add_sample(seed: u32, sample: u32, thread: u32) {
    fill_sample(seed, sample, thread);
    place_frames(thread);
    near = Near(0.0, plan_at(0u));
    is_cut = false;
    add_world(thread);
    add_pairs(thread);
    if is_cut {
        near.slack = -FAR;
    }
    let out = push_at(seed, sample);
    for (var joint = 0u; joint < size(2u); joint++) {
        states[out + joint] = frames[joint_slot(thread, joint)].w;
    }
    states[out + size(2u)] = near.cost;
    states[out + size(2u) + 1u] = near.slack;
}

// Negative second difference of the deviation at a row, ends included; 0 at the ends.
fn second_difference(seed: u32, row: u32, joint: u32) -> f32 {
    if row < 1u || row > size(11u) {
        return 0.0;
    }
    return 2.0 * deviation(seed, row, joint) - deviation(seed, row - 1u, joint) - deviation(seed, row + 1u, joint);
}

// Derivative of the cost of the accelerations: the metric times the deviation from the straight line.
fn acceleration(seed: u32, variable: u32) -> f32 {
    let row = variable / size(2u);
    let joint = variable % size(2u);
    let scale = plan_at(size(15u) + JOINT_FLOATS * joint + 1u);
    let here = second_difference(seed, row + 1u, joint);
    return scale * (2.0 * here - second_difference(seed, row, joint) - second_difference(seed, row + 2u, joint));
}

// What the samples that a control point bends push it.
fn push_of(seed: u32, variable: u32) -> f32 {
    let row = variable / size(2u) + 1u;
    let end = min((row + 3u) * size(12u), size(21u) + 1u);
    var sum = 0.0;
    for (var time = max((row - 1u) * size(12u), 1u); time < end; time++) {
        let weight = place_weight(time % size(12u), 0u, row + 2u - time / size(12u));
        sum += plan_at(3u) * weight * states[push_at(seed, time - 1u) + variable % size(2u)];
    }
    return sum;
}
