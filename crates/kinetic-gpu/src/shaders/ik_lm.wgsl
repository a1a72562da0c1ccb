// Bounded Levenberg-Marquardt from one start: one thread per pose and start; twin/ik_lm.rs has the same order of arithmetic.
// Steps are J' (J W J' + damping)^-1 e, with weight 0 for joints that a step would push beyond a limit at which they stand.
// The text in front, ik_pose.wgsl or ik_clearance.wgsl, says what e is: the error of the pose, or also the clearance that is missing.
// sizes: threads, frames, variables, then those of bodies.wgsl and tightest_pair.wgsl, and from 11 starts of a pose, iterations, random
// seed, first element of the tip, first pose, iterations that look at the clearance, and the iterations of this dispatch: the first, and
// that after the last.

@group(0) @binding(2) var<storage, read> targets: array<vec4<f32>>;

struct PoseError {
    linear: vec3<f32>,
    angular: vec3<f32>,
    // Clearance that is missing, m.
    missing: f32,
    cost: f32,
}

var<private> keeps_clear: bool;

// Place of a variable among the intermediate results, which follow the frames. Behind what the first variable has there is the damping
// between dispatches.
fn slot(thread: u32, variable: u32, part: u32) -> u32 {
    return (3u * size(1u) + VARIABLE_STRIDE * variable + part) * size(0u) + thread;
}

fn variable_at(thread: u32, variable: u32) -> f32 {
    return frames[slot(thread, variable, 0u)].x;
}

// Lower and upper limit.
fn limits_of(variable: u32) -> vec4<f32> {
    return robot_at(size(14u) + 4u + variable);
}

// Place of the best configuration so far, behind its cost.
fn best_at(thread: u32, variable: u32) -> u32 {
    return thread * (size(2u) + 1u) + 1u + variable;
}

// PCG (O'Neill 2014) as a hash (Jarzynski and Olano 2020).
fn hash(value: u32) -> u32 {
    let state = value * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

// First element of a target: its rows, then the first start of its pose.
fn target_of(thread: u32) -> u32 {
    return (thread / size(11u)) * (3u + ((size(2u) + 3u) >> 2u));
}

fn start_value(thread: u32, variable: u32) -> f32 {
    let limits = limits_of(variable);
    let start = thread % size(11u);
    if start == 0u {
        return targets[target_of(thread) + 3u + (variable >> 2u)][variable & 3u];
    }
    let pose = size(15u) + thread / size(11u);
    let bits = hash(variable ^ hash(start ^ hash(pose ^ hash(size(13u)))));
    let unit = f32(bits >> 8u) * 0.000000059604645;
    let low = max(limits.x, -HALF_TURN);
    let high = min(limits.y, HALF_TURN);
    if limits.y - limits.x < UNBOUNDED {
        return limits.x + (limits.y - limits.x) * unit;
    }
    return low + (high - low) * unit;
}

fn tip_frame(thread: u32) -> Frame {
    return fixed_in(frame_at(u32(robot_at(size(14u) + 3u).x), thread), size(14u));
}

// Offset, and axis times twice the sine of half the angle, from the tip to the target.
fn pose_error(thread: u32) -> PoseError {
    let tip = tip_frame(thread);
    let at = target_of(thread);
    let wanted = Frame(targets[at], targets[at + 1u], targets[at + 2u]);
    let x = cross(vec3<f32>(tip.a.x, tip.b.x, tip.c.x), vec3<f32>(wanted.a.x, wanted.b.x, wanted.c.x));
    let y = cross(vec3<f32>(tip.a.y, tip.b.y, tip.c.y), vec3<f32>(wanted.a.y, wanted.b.y, wanted.c.y));
    let z = cross(vec3<f32>(tip.a.z, tip.b.z, tip.c.z), vec3<f32>(wanted.a.z, wanted.b.z, wanted.c.z));
    let trace = scalar(tip.a.xyz, wanted.a.xyz) + scalar(tip.b.xyz, wanted.b.xyz) + scalar(tip.c.xyz, wanted.c.xyz);
    let linear = origin_of(wanted) - origin_of(tip);
    let angular = (x + y + z) * (0.5 * sqrt(2.0 / max(0.5 * (trace + 1.0), 0.000001)));
    let missing = missing_clearance(thread);
    return PoseError(linear, angular, missing, scalar(linear, linear) + scalar(angular, angular) + missing * missing);
}

fn fill_jacobian(thread: u32, e: PoseError) {
    for (var v = 0u; v < size(2u); v++) {
        frames[slot(thread, v, 0u)].z = 0.0;
        frames[slot(thread, v, 1u)] = vec4<f32>(0.0);
        frames[slot(thread, v, 2u)] = vec4<f32>(0.0);
    }
    let tip = origin_of(tip_frame(thread));
    for (var k = 1u; k < size(1u); k++) {
        let joint = robot_at((k - 1u) * FRAME_STRIDE + 3u);
        let f = frame_at(k, thread);
        let z = vec3<f32>(f.a.z, f.b.z, f.c.z) * joint.w;
        let v = u32(joint.z);
        if joint.y > 0.5 {
            frames[slot(thread, v, 1u)] += vec4<f32>(z, 0.0);
        } else {
            frames[slot(thread, v, 1u)] += vec4<f32>(cross(z, tip - origin_of(f)), 0.0);
            frames[slot(thread, v, 2u)] += vec4<f32>(z, 0.0);
        }
    }
    if e.missing > 0.0 {
        add_clearance_slopes(thread);
    }
}

fn weigh(thread: u32, e: PoseError) {
    for (var v = 0u; v < size(2u); v++) {
        let slope = scalar(frames[slot(thread, v, 1u)].xyz, e.linear) + scalar(frames[slot(thread, v, 2u)].xyz, e.angular)
            + frames[slot(thread, v, 0u)].z * e.missing;
        let q = answers[best_at(thread, v)];
        let limits = limits_of(v);
        let is_held = (q <= limits.x && slope < 0.0) || (q >= limits.y && slope > 0.0);
        frames[slot(thread, v, 0u)].y = select(1.0, 0.0, is_held);
    }
}

// The solution of (J W J' + damping) y = e by Cholesky's method.
fn solve(thread: u32, e: PoseError, damping: f32) -> array<f32, ROWS> {
    var m: array<array<f32, ROWS>, ROWS>;
    for (var i = 0u; i < ROWS; i++) {
        m[i][i] = damping;
    }
    for (var v = 0u; v < size(2u); v++) {
        let weight = frames[slot(thread, v, 0u)].y;
        let column = column_of(thread, v);
        for (var i = 0u; i < ROWS; i++) {
            for (var j = 0u; j <= i; j++) {
                m[i][j] += weight * column[i] * column[j];
            }
        }
    }
    var y = residual_of(e);
    for (var i = 0u; i < ROWS; i++) {
        for (var j = 0u; j <= i; j++) {
            var sum = m[i][j];
            for (var k = 0u; k < j; k++) {
                sum -= m[i][k] * m[j][k];
            }
            if i == j {
                m[i][i] = sqrt(max(sum, 0.000000000001));
            } else {
                m[i][j] = sum / m[j][j];
            }
        }
        var sum = y[i];
        for (var k = 0u; k < i; k++) {
            sum -= m[i][k] * y[k];
        }
        y[i] = sum / m[i][i];
    }
    for (var n = ROWS; n > 0u; n--) {
        let i = n - 1u;
        var sum = y[i];
        for (var k = n; k < ROWS; k++) {
            sum -= m[k][i] * y[k];
        }
        y[i] = sum / m[i][i];
    }
    return y;
}

fn step(thread: u32, y: array<f32, ROWS>) {
    for (var v = 0u; v < size(2u); v++) {
        let weight = frames[slot(thread, v, 0u)].y;
        let along = along_column(thread, v, y);
        let limits = limits_of(v);
        frames[slot(thread, v, 0u)].x = clamp(answers[best_at(thread, v)] + weight * along, limits.x, limits.y);
    }
}

// The error at the best configuration so far.
fn error_of_best(thread: u32) -> PoseError {
    for (var v = 0u; v < size(2u); v++) {
        frames[slot(thread, v, 0u)].x = answers[best_at(thread, v)];
    }
    place_frames(thread);
    return pose_error(thread);
}

fn keep(thread: u32) {
    for (var v = 0u; v < size(2u); v++) {
        answers[best_at(thread, v)] = variable_at(thread, v);
    }
}

fn begin(thread: u32) {
    for (var v = 0u; v < size(2u); v++) {
        frames[slot(thread, v, 0u)] = vec4<f32>(start_value(thread, v), 1.0, 0.0, FIRST_DAMPING);
    }
    keep(thread);
}

@compute @workgroup_size(lanes)
fn ik_lm(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = id.x;
    if thread >= size(0u) {
        return;
    }
    if size(17u) == 0u {
        begin(thread);
    }
    keeps_clear = size(16u) > 0u && size(17u) <= size(16u);
    var e = error_of_best(thread);
    var damping = frames[slot(thread, 0u, 0u)].w;
    var is_new = true;
    for (var i = size(17u); i < size(18u); i++) {
        if e.cost < SOLVED_COST {
            break;
        }
        if keeps_clear && i == size(16u) {
            keeps_clear = false;
            e = error_of_best(thread);
            damping = FIRST_DAMPING;
            is_new = true;
        }
        if is_new {
            fill_jacobian(thread, e);
            weigh(thread, e);
        }
        step(thread, solve(thread, e, damping));
        place_frames(thread);
        let tried = pose_error(thread);
        is_new = tried.cost < e.cost;
        if is_new {
            keep(thread);
            e = tried;
            damping = max(damping * 0.2, LEAST_DAMPING);
        } else {
            damping = min(damping * 5.0, MOST_DAMPING);
        }
    }
    answers[thread * (size(2u) + 1u)] = e.cost;
    frames[slot(thread, 0u, 0u)].w = damping;
}
