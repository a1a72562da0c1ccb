// Forward kinematics of one configuration; twin/kinematics.rs has the same order of arithmetic.
// Rust puts the places of layout.rs in front. The text that follows declares the buffer of frames, and variable_at: the value of
// a variable in the configuration of a thread.

override lanes: u32 = 64u;

// A pose in the root: the rows of a 3 × 4 matrix.
struct Frame {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> sizes: array<u32>;
@group(0) @binding(1) var<storage, read> robot: array<vec4<f32>>;

// First elements, in the arrays, of the scene that a thread computes in: 0 where all threads have the same one.
struct Places {
    sizes: u32,
    robot: u32,
    world: u32,
    fields: u32,
    plan: u32,
}

var<private> places: Places;

fn size(index: u32) -> u32 {
    return sizes[places.sizes + index];
}

fn robot_at(index: u32) -> vec4<f32> {
    return robot[places.robot + index];
}

// Poses of frames lie in a buffer, row after row of their matrices, so that neighbouring threads use neighbouring numbers.
// Private arrays would be compiled for each size, in minutes for large ones.
fn frame_at(index: u32, thread: u32) -> Frame {
    let at = index * 3u * size(0u) + thread;
    return Frame(frames[at], frames[at + size(0u)], frames[at + 2u * size(0u)]);
}

fn set_frame(index: u32, thread: u32, f: Frame) {
    let at = index * 3u * size(0u) + thread;
    frames[at] = f.a;
    frames[at + size(0u)] = f.b;
    frames[at + 2u * size(0u)] = f.c;
}

// Sine and cosine by reduction to an eighth of a turn (Cody and Waite 1980) and Taylor polynomials: the built-in functions
// of WGSL may be wrong by 2^-11.
fn sine_cosine(angle: f32) -> vec2<f32> {
    let quarter = round(angle * 0.63661975);
    let r = ((angle - quarter * 1.5703125) - quarter * 0.0004837513) - quarter * 0.000000075497896;
    let s = r * r;
    let sine = r + r * s * (-0.16666667 + s * (0.008333334 + s * (-0.0001984127 + s * 0.0000027557319)));
    let cosine = 1.0 + s * (-0.5 + s * (0.041666668 + s * (-0.0013888889 + s * (0.000024801588 - s * 0.0000002755732))));
    switch i32(quarter) & 3 {
        case 0: { return vec2<f32>(sine, cosine); }
        case 1: { return vec2<f32>(cosine, -sine); }
        case 2: { return vec2<f32>(-sine, -cosine); }
        default: { return vec2<f32>(-cosine, sine); }
    }
}

fn scalar(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn turned(f: Frame, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(scalar(f.a.xyz, v), scalar(f.b.xyz, v), scalar(f.c.xyz, v));
}

// Components in the frame of a vector of the root.
fn turned_back(f: Frame, v: vec3<f32>) -> vec3<f32> {
    return f.a.xyz * v.x + f.b.xyz * v.y + f.c.xyz * v.z;
}

fn origin_of(f: Frame) -> vec3<f32> {
    return vec3<f32>(f.a.w, f.b.w, f.c.w);
}

fn moved(f: Frame, p: vec3<f32>) -> vec3<f32> {
    return turned(f, p) + origin_of(f);
}

// Coordinates of a point of the root in a frame.
fn local(f: Frame, p: vec3<f32>) -> vec3<f32> {
    return turned_back(f, p - origin_of(f));
}

fn row_after(row: vec4<f32>, at: u32) -> vec4<f32> {
    return robot_at(at) * row.x + robot_at(at + 1u) * row.y + robot_at(at + 2u) * row.z + vec4<f32>(0.0, 0.0, 0.0, row.w);
}

// A constant transform of the robot, in a frame.
fn fixed_in(f: Frame, at: u32) -> Frame {
    return Frame(row_after(f.a, at), row_after(f.b, at), row_after(f.c, at));
}

fn rotated_row(row: vec4<f32>, sc: vec2<f32>) -> vec4<f32> {
    return vec4<f32>(row.x * sc.y + row.y * sc.x, row.y * sc.y - row.x * sc.x, row.z, row.w);
}

fn place_frames(thread: u32) {
    let x = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    set_frame(0u, thread, Frame(x, x.yxzw, x.yzxw));
    for (var k = 1u; k < size(1u); k++) {
        let at = (k - 1u) * FRAME_STRIDE;
        let joint = robot_at(at + 3u);
        let f = fixed_in(frame_at(u32(joint.x), thread), at);
        let value = joint.w * variable_at(thread, u32(joint.z)) + robot_at(at + 4u).x;
        if joint.y > 0.5 {
            let w = vec4<f32>(0.0, 0.0, 0.0, value);
            set_frame(k, thread, Frame(f.a + w * f.a.z, f.b + w * f.b.z, f.c + w * f.c.z));
        } else {
            let sc = sine_cosine(value);
            set_frame(k, thread, Frame(rotated_row(f.a, sc), rotated_row(f.b, sc), rotated_row(f.c, sc)));
        }
    }
}
