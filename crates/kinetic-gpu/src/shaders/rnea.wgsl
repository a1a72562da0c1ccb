// Efforts of motions by the recursive Newton-Euler algorithm (Luh, Walker and Paul 1980; Featherstone 2008, section 5.3): one thread
// per state, each frame in its own axes. twin/rnea.rs has the same order of arithmetic.
// sizes: states, frames, variables, first elements of the inertias, of the resistances and of the root's motion.

@group(0) @binding(2) var<storage, read> states: array<f32>;
@group(0) @binding(3) var<storage, read_write> efforts: array<f32>;
@group(0) @binding(4) var<storage, read_write> frames: array<vec4<f32>>;

// A row of a state is its values, then its velocities, then its accelerations.
fn variable_at(thread: u32, variable: u32) -> f32 {
    return states[3u * thread * size(2u) + variable];
}

fn velocity_at(thread: u32, variable: u32) -> f32 {
    return states[(3u * thread + 1u) * size(2u) + variable];
}

fn acceleration_at(thread: u32, variable: u32) -> f32 {
    return states[(3u * thread + 2u) * size(2u) + variable];
}

// What a frame does, in its own axes: angular velocity, its derivative, and the acceleration of the origin less gravity.
struct Motion {
    angular: vec3<f32>,
    angular_acceleration: vec3<f32>,
    acceleration: vec3<f32>,
}

// What a joint does to its frame: a turn about z, or a distance along z.
struct Shift {
    sine: f32,
    cosine: f32,
    distance: f32,
}

// Rows of [α]× + ω ωᵀ − |ω|² 1: times an arm, what a point accelerates beyond the origin.
struct Spin {
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
}

// The place of a row of a frame, beside those of neighbouring threads.
fn place(frame: u32, row: u32, thread: u32) -> u32 {
    return (frame * MOTION_STRIDE + row) * size(0u) + thread;
}

fn motion_at(frame: u32, thread: u32) -> Motion {
    return Motion(
        frames[place(frame, 0u, thread)].xyz,
        frames[place(frame, 1u, thread)].xyz,
        frames[place(frame, 2u, thread)].xyz,
    );
}

fn set_motion(frame: u32, thread: u32, m: Motion, s: Shift) {
    frames[place(frame, 0u, thread)] = vec4<f32>(m.angular, s.sine);
    frames[place(frame, 1u, thread)] = vec4<f32>(m.angular_acceleration, s.cosine);
    frames[place(frame, 2u, thread)] = vec4<f32>(m.acceleration, s.distance);
}

fn shift_at(frame: u32, thread: u32) -> Shift {
    return Shift(
        frames[place(frame, 0u, thread)].w,
        frames[place(frame, 1u, thread)].w,
        frames[place(frame, 2u, thread)].w,
    );
}

// Components in a frame of a vector of its parent.
fn down(at: u32, s: Shift, v: vec3<f32>) -> vec3<f32> {
    let w = robot_at(at).xyz * v.x + robot_at(at + 1u).xyz * v.y + robot_at(at + 2u).xyz * v.z;
    return vec3<f32>(w.x * s.cosine + w.y * s.sine, w.y * s.cosine - w.x * s.sine, w.z);
}

// Components in the parent of a vector of a frame.
fn up(at: u32, s: Shift, v: vec3<f32>) -> vec3<f32> {
    let w = vec3<f32>(v.x * s.cosine - v.y * s.sine, v.x * s.sine + v.y * s.cosine, v.z);
    return vec3<f32>(scalar(robot_at(at).xyz, w), scalar(robot_at(at + 1u).xyz, w), scalar(robot_at(at + 2u).xyz, w));
}

// A frame's origin in its parent.
fn arm_of(at: u32, s: Shift) -> vec3<f32> {
    let a = robot_at(at);
    let b = robot_at(at + 1u);
    let c = robot_at(at + 2u);
    return vec3<f32>(a.w, b.w, c.w) + vec3<f32>(a.z, b.z, c.z) * s.distance;
}

fn spin_of(m: Motion) -> Spin {
    let w = m.angular;
    let a = m.angular_acceleration;
    let square = w * w;
    let xy = w.x * w.y;
    let xz = w.x * w.z;
    let yz = w.y * w.z;
    return Spin(
        vec3<f32>(-(square.y + square.z), xy - a.z, xz + a.y),
        vec3<f32>(xy + a.z, -(square.x + square.z), yz - a.x),
        vec3<f32>(xz - a.y, yz + a.x, -(square.x + square.y)),
    );
}

fn spun(s: Spin, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(scalar(s.x, v), scalar(s.y, v), scalar(s.z, v));
}

// Rotors, damping and friction, to which the frames add what they need.
fn resist(thread: u32) {
    for (var variable = 0u; variable < size(2u); variable++) {
        let joint = robot_at(size(4u) + variable);
        let rate = velocity_at(thread, variable);
        let drag = joint.y * rate + joint.z * sign(rate);
        efforts[thread * size(2u) + variable] = joint.x * acceleration_at(thread, variable) + drag;
    }
}

fn move_root(thread: u32) {
    let at = size(5u);
    let root = Motion(robot_at(at).xyz, robot_at(at + 1u).xyz, robot_at(at + 2u).xyz);
    set_motion(0u, thread, root, Shift(0.0, 1.0, 0.0));
}

fn shift_of(at: u32, slides: bool, thread: u32) -> Shift {
    let joint = robot_at(at + 3u);
    let value = joint.w * variable_at(thread, u32(joint.z)) + robot_at(at + 4u).x;
    if slides {
        return Shift(0.0, 1.0, value);
    }
    let sc = sine_cosine(value);
    return Shift(sc.x, sc.y, 0.0);
}

// What the joint adds about or along z to the motion that its frame has from the parent.
fn moved_at_joint(m: Motion, slides: bool, rate: f32, acceleration: f32) -> Motion {
    let w = m.angular;
    if slides {
        // Coriolis acceleration.
        let twice = rate + rate;
        let added = vec3<f32>(w.y * twice, -(w.x * twice), acceleration);
        return Motion(w, m.angular_acceleration, m.acceleration + added);
    }
    let added = vec3<f32>(w.y * rate, -(w.x * rate), acceleration);
    return Motion(vec3<f32>(w.x, w.y, w.z + rate), m.angular_acceleration + added, m.acceleration);
}

// The force, and the torque about its origin, that a frame's motion needs. From second moments ∫ x xᵀ dm in place of a tensor:
// ∫ x × (S x) dm is I α + ω × I ω in fewer operations.
fn newton_euler(frame: u32, thread: u32, m: Motion) {
    let at = size(3u) + (frame - 1u) * INERTIA_STRIDE;
    let first = robot_at(at);
    let a = robot_at(at + 1u).xyz;
    let b = robot_at(at + 2u).xyz;
    let jx = a;
    let jy = vec3<f32>(a.y, b.x, b.y);
    let jz = vec3<f32>(a.z, b.y, b.z);
    let s = spin_of(m);
    let euler = vec3<f32>(
        scalar(jy, s.z) - scalar(jz, s.y),
        scalar(jz, s.x) - scalar(jx, s.z),
        scalar(jx, s.y) - scalar(jy, s.x),
    );
    let force = m.acceleration * first.w + spun(s, first.xyz);
    let torque = cross(first.xyz, m.acceleration) + euler;
    frames[place(frame, 3u, thread)] = vec4<f32>(force, 0.0);
    frames[place(frame, 4u, thread)] = vec4<f32>(torque, 0.0);
}

fn move_outward(frame: u32, thread: u32) {
    let at = (frame - 1u) * FRAME_STRIDE;
    let joint = robot_at(at + 3u);
    let slides = joint.y > 0.5;
    let s = shift_of(at, slides, thread);
    let parent = motion_at(u32(joint.x), thread);
    let acceleration = parent.acceleration + spun(spin_of(parent), arm_of(at, s));
    let carried = Motion(
        down(at, s, parent.angular),
        down(at, s, parent.angular_acceleration),
        down(at, s, acceleration),
    );
    let variable = u32(joint.z);
    let rate = joint.w * velocity_at(thread, variable);
    let m = moved_at_joint(carried, slides, rate, joint.w * acceleration_at(thread, variable));
    set_motion(frame, thread, m, s);
    newton_euler(frame, thread, m);
}

// Adds to the effort of a frame's joint, and hands force and torque on to the parent.
fn hand_inward(frame: u32, thread: u32) {
    let at = (frame - 1u) * FRAME_STRIDE;
    let joint = robot_at(at + 3u);
    let own_force = frames[place(frame, 3u, thread)].xyz;
    let own_torque = frames[place(frame, 4u, thread)].xyz;
    let along = select(own_torque.z, own_force.z, joint.y > 0.5);
    let variable = thread * size(2u) + u32(joint.z);
    efforts[variable] = efforts[variable] + joint.w * along;
    let parent = u32(joint.x);
    if parent == 0u {
        return;
    }
    let s = shift_at(frame, thread);
    let force = up(at, s, own_force);
    let torque = up(at, s, own_torque) + cross(arm_of(at, s), force);
    let forces = place(parent, 3u, thread);
    let torques = place(parent, 4u, thread);
    frames[forces] = frames[forces] + vec4<f32>(force, 0.0);
    frames[torques] = frames[torques] + vec4<f32>(torque, 0.0);
}

@compute @workgroup_size(lanes)
fn rnea(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = id.x;
    if thread >= size(0u) {
        return;
    }
    resist(thread);
    move_root(thread);
    for (var frame = 1u; frame < size(1u); frame++) {
        move_outward(frame, thread);
    }
    for (var frame = size(1u) - 1u; frame > 0u; frame--) {
        hand_inward(frame, thread);
    }
}
