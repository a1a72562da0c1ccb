// Forward kinematics of one configuration; twin/kinematics.rs has the same order of arithmetic.
// Rust puts the places of layout.rs in front. The text that follows declares configurations and frames.

override lanes: u32 = 64u;

struct Frame {
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
    origin: vec3<f32>,
}

@group(0) @binding(0) var<storage, read> sizes: array<u32>;
@group(0) @binding(1) var<storage, read> robot: array<f32>;
@group(0) @binding(2) var<storage, read> configurations: array<f32>;

// Poses of frames lie in a buffer, component after component, so that neighbouring threads use neighbouring numbers.
// Private arrays would be compiled for each size, in minutes for large ones.
fn frame_at(index: u32, row: u32) -> Frame {
    let rows = sizes[0];
    var at = index * 12u * rows + row;
    var v: array<vec3<f32>, 4>;
    for (var i = 0u; i < 4u; i++) {
        v[i] = vec3<f32>(frames[at], frames[at + rows], frames[at + 2u * rows]);
        at += 3u * rows;
    }
    return Frame(v[0], v[1], v[2], v[3]);
}

fn set_frame(index: u32, row: u32, f: Frame) {
    let rows = sizes[0];
    var at = index * 12u * rows + row;
    var v = array<vec3<f32>, 4>(f.x, f.y, f.z, f.origin);
    for (var i = 0u; i < 4u; i++) {
        frames[at] = v[i].x;
        frames[at + rows] = v[i].y;
        frames[at + 2u * rows] = v[i].z;
        at += 3u * rows;
    }
}

fn robot_vector(at: u32) -> vec3<f32> {
    return vec3<f32>(robot[at], robot[at + 1u], robot[at + 2u]);
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

fn turned(f: Frame, v: vec3<f32>) -> vec3<f32> {
    return f.x * v.x + f.y * v.y + f.z * v.z;
}

fn moved(f: Frame, p: vec3<f32>) -> vec3<f32> {
    return turned(f, p) + f.origin;
}

// Coordinates of a point of the root in a frame.
fn local(f: Frame, p: vec3<f32>) -> vec3<f32> {
    let d = p - f.origin;
    return vec3<f32>(dot(f.x, d), dot(f.y, d), dot(f.z, d));
}

// A constant transform of the robot, in a frame.
fn fixed_in(f: Frame, at: u32) -> Frame {
    return Frame(
        turned(f, robot_vector(at)),
        turned(f, robot_vector(at + 3u)),
        turned(f, robot_vector(at + 6u)),
        moved(f, robot_vector(at + 9u)),
    );
}

fn place_frames(row: u32, num_frames: u32, num_variables: u32) {
    set_frame(0u, row, Frame(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(0.0)));
    for (var k = 1u; k < num_frames; k++) {
        let at = (k - 1u) * FRAME_STRIDE;
        var f = fixed_in(frame_at(u32(robot[at + FRAME_PARENT]), row), at);
        let q = configurations[row * num_variables + u32(robot[at + FRAME_VARIABLE])];
        let value = robot[at + FRAME_MULTIPLIER] * q + robot[at + FRAME_OFFSET];
        if robot[at + FRAME_IS_PRISMATIC] > 0.5 {
            f.origin = f.origin + f.z * value;
        } else {
            let sc = sine_cosine(value);
            let x = f.x * sc.y + f.y * sc.x;
            f.y = f.y * sc.y - f.x * sc.x;
            f.x = x;
        }
        set_frame(k, row, f);
    }
}
