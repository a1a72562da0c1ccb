// Descent by L-BFGS (Liu and Nocedal 1989) on the control points of a spline: one workgroup per seed; twin/spline_descent.rs has the
// same order of arithmetic. No lane leaves a loop that has a barrier before the others: what ends it is read by all of them.

var<workgroup> partials: array<vec2<f32>, MAX_LANES>;
var<workgroup> is_done: u32;

fn synchronise() {
    storageBarrier();
    workgroupBarrier();
}

// Sum and largest number of all lanes, by a fixed tree.
fn reduced(lane: u32, part: vec2<f32>) -> vec2<f32> {
    partials[lane] = part;
    workgroupBarrier();
    for (var stride = lanes / 2u; stride > 0u; stride /= 2u) {
        if lane < stride {
            let other = partials[lane + stride];
            partials[lane] = vec2<f32>(partials[lane].x + other.x, max(partials[lane].y, other.y));
        }
        workgroupBarrier();
    }
    let all = partials[0];
    workgroupBarrier();
    return all;
}

// Sum of the products of two rows of the state.
fn dot_rows(lane: u32, a: u32, b: u32) -> f32 {
    var sum = 0.0;
    for (var i = lane; i < size(20u); i += lanes) {
        sum += states[a + i] * states[b + i];
    }
    return reduced(lane, vec2<f32>(sum, 0.0)).x;
}

fn add_row(lane: u32, to: u32, factor: f32, row: u32) {
    for (var i = lane; i < size(20u); i += lanes) {
        states[to + i] += factor * states[row + i];
    }
}

fn copy_row(lane: u32, to: u32, row: u32) {
    for (var i = lane; i < size(20u); i += lanes) {
        states[to + i] = states[row + i];
    }
}

// Inverse curvatures lie behind the samples, then the place of the next change.
fn inverse_of(seed: u32, slot: u32) -> u32 {
    return push_at(seed, size(21u)) + slot;
}

fn next_slot(seed: u32) -> u32 {
    return u32(states[inverse_of(seed, MEMORY)]);
}

fn begin(seed: u32, lane: u32) {
    for (var i = lane; i < size(19u); i += lanes) {
        states[seed * size(19u) + i] = 0.0;
    }
    synchronise();
    let first = seed_at(seed) + (size(11u) + 2u) * size(2u);
    for (var i = lane; i < size(20u); i += lanes) {
        states[state_row(seed, STATE_VALUES) + i] = plan[first + i];
    }
    for (var i = lane; i < SPLINE_HEAD; i += lanes) {
        answers[seed * size(10u) + i] = 0.0;
    }
    synchronise();
}

// Cost and worst lack of slack; gradient and difference are written.
fn evaluate(seed: u32, lane: u32, thread: u32) -> vec2<f32> {
    for (var sample = lane; sample < size(21u); sample += lanes) {
        add_sample(seed, sample, thread);
    }
    synchronise();
    let gradient = state_row(seed, STATE_GRADIENT);
    var part = vec2<f32>(0.0, -plan_at(0u));
    for (var i = lane; i < size(20u); i += lanes) {
        let smooth_part = acceleration(seed, i);
        let value = smooth_part + push_of(seed, i);
        states[state_row(seed, STATE_DIFFERENCE) + i] = value - states[gradient + i];
        states[gradient + i] = value;
        part.x += 0.5 * smooth_part * states[state_row(seed, STATE_VALUES) + i];
    }
    for (var sample = lane; sample < size(21u); sample += lanes) {
        let at = push_at(seed, sample) + size(2u);
        part = vec2<f32>(part.x + plan_at(3u) * states[at], max(part.y, -states[at + 1u]));
    }
    return reduced(lane, part);
}

// Keeps the best trajectory, and says whether the seed is done.
fn keep(seed: u32, lane: u32, found: vec2<f32>) {
    let out = seed * size(10u);
    let is_free = -found.y > plan_at(1u);
    let is_first = answers[out + 2u] == 0.0;
    let is_better = is_first || is_free || found.x < answers[out];
    synchronise();
    if is_better {
        for (var i = lane; i < size(20u); i += lanes) {
            answers[out + SPLINE_HEAD + i] = states[state_row(seed, STATE_VALUES) + i];
        }
    }
    if lane == 0u {
        answers[out + 2u] += 1.0;
        if is_better {
            answers[out] = found.x;
            answers[out + 1u] = -found.y;
        }
        if is_free {
            answers[out + 3u] = 1.0;
        }
        is_done = u32(is_free);
    }
    synchronise();
}

// Remembers the last change, where the curvature along it is positive; the change before the first step is zero.
fn remember(seed: u32, lane: u32) {
    let change = state_row(seed, STATE_CHANGE);
    let difference = state_row(seed, STATE_DIFFERENCE);
    let next = next_slot(seed);
    let curvature = dot_rows(lane, change, difference);
    let size = sqrt(dot_rows(lane, change, change)) * sqrt(dot_rows(lane, difference, difference));
    if curvature > LEAST_CURVATURE * size {
        copy_row(lane, state_row(seed, STATE_STEPS + next), change);
        copy_row(lane, state_row(seed, STATE_DIFFERENCES + next), difference);
        if lane == 0u {
            states[inverse_of(seed, next)] = 1.0 / curvature;
            states[inverse_of(seed, MEMORY)] = f32((next + 1u) % MEMORY);
        }
    }
    synchronise();
}

// A row of the initial inverse Hessian, up to its scale, times a row of the state.
fn preconditioned(variable: u32, row: u32) -> f32 {
    let joint = variable % size(2u);
    let first = size(16u) + variable / size(2u) * size(11u);
    var sum = 0.0;
    for (var column = 0u; column < size(11u); column++) {
        sum += plan_at(first + column) * states[row + column * size(2u) + joint];
    }
    return sum * plan_at(size(15u) + JOINT_FLOATS * joint + 2u);
}

// The scale of the initial inverse Hessian that fits the last change; 1 where none is known.
fn initial_scale(seed: u32, lane: u32) -> f32 {
    let slot = (next_slot(seed) + MEMORY - 1u) % MEMORY;
    let difference = state_row(seed, STATE_DIFFERENCES + slot);
    var sum = 0.0;
    for (var i = lane; i < size(20u); i += lanes) {
        sum += states[difference + i] * preconditioned(i, difference);
    }
    let size = states[inverse_of(seed, slot)] * reduced(lane, vec2<f32>(sum, 0.0)).x;
    if size > 0.0 {
        return 1.0 / size;
    }
    return 1.0;
}

// The two-loop recursion (Nocedal and Wright 2006, algorithm 7.4). What is not yet known has an inverse curvature of 0.
fn find_direction(seed: u32, lane: u32) {
    let direction = state_row(seed, STATE_DIRECTION);
    let product = state_row(seed, STATE_PRODUCT);
    let next = next_slot(seed);
    var shares: array<f32, MEMORY>;
    for (var i = lane; i < size(20u); i += lanes) {
        states[direction + i] = -states[state_row(seed, STATE_GRADIENT) + i];
    }
    for (var age = 1u; age <= MEMORY; age++) {
        let slot = (next + MEMORY - age) % MEMORY;
        let share = dot_rows(lane, state_row(seed, STATE_STEPS + slot), direction);
        shares[slot] = states[inverse_of(seed, slot)] * share;
        add_row(lane, direction, -shares[slot], state_row(seed, STATE_DIFFERENCES + slot));
    }
    synchronise();
    let scale = initial_scale(seed, lane);
    for (var i = lane; i < size(20u); i += lanes) {
        states[product + i] = scale * preconditioned(i, direction);
    }
    for (var age = MEMORY; age >= 1u; age--) {
        let slot = (next + MEMORY - age) % MEMORY;
        let back = states[inverse_of(seed, slot)] * dot_rows(lane, state_row(seed, STATE_DIFFERENCES + slot), product);
        add_row(lane, product, shares[slot] - back, state_row(seed, STATE_STEPS + slot));
    }
    synchronise();
}

// One step, no control point farther than the options say, inside the bounds of the joints.
fn take_step(seed: u32, lane: u32) {
    let product = state_row(seed, STATE_PRODUCT);
    var most = 0.0;
    for (var row = lane; row < size(11u); row += lanes) {
        var squares = 0.0;
        for (var joint = 0u; joint < size(2u); joint++) {
            let weighted = states[product + row * size(2u) + joint] * plan_at(size(15u) + JOINT_FLOATS * joint);
            squares += weighted * weighted;
        }
        most = max(most, squares);
    }
    let largest_change = sqrt(reduced(lane, vec2<f32>(0.0, most)).y);
    var shorter = 1.0;
    if largest_change > plan_at(2u) {
        shorter = plan_at(2u) / largest_change;
    }
    let bounds = seed_at(seed) + (2u * size(11u) + 2u) * size(2u);
    for (var i = lane; i < size(20u); i += lanes) {
        let at = state_row(seed, STATE_VALUES) + i;
        let joint = i % size(2u);
        let line = plan[seed_at(seed) + size(2u) + i];
        let before = states[at];
        let after =
            min(max(before + shorter * states[product + i], plan[bounds + joint] - line), plan[bounds + size(2u) + joint] - line);
        states[at] = after;
        states[state_row(seed, STATE_CHANGE) + i] = after - before;
    }
    synchronise();
}

@compute @workgroup_size(lanes)
fn trajopt(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let seed = group.x;
    if sizes[seed] == NO_SCENE {
        return;
    }
    find_scene(seed);
    if size(14u) == 1u {
        begin(seed, lane);
    }
    if lane == 0u {
        is_done = u32(answers[seed * size(10u) + 3u]);
    }
    for (var iteration = 0u; iteration < size(13u); iteration++) {
        if workgroupUniformLoad(&is_done) == 1u {
            break;
        }
        let found = evaluate(seed, lane, seed * lanes + lane);
        keep(seed, lane, found);
        if workgroupUniformLoad(&is_done) == 1u {
            break;
        }
        remember(seed, lane);
        find_direction(seed, lane);
        take_step(seed, lane);
    }
}
