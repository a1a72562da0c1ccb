// What ik_lm.wgsl brings to 0 in a scene: the error of the pose, and the clearance that is missing for the tightest pair.

@group(0) @binding(5) var<storage, read_write> answers: array<f32>;
@group(0) @binding(6) var<storage, read_write> frames: array<vec4<f32>>;

const ROWS: u32 = 7u;

fn missing_clearance(thread: u32) -> f32 {
    if !keeps_clear {
        return 0.0;
    }
    find_nearest(thread);
    if best.kind == PAIR_UNFINISHED {
        return 0.0;
    }
    return max(CLEAR_SLACK - best.slack, 0.0);
}

// The derivatives of the slack lie beside the values of the variables.
fn add_slope(thread: u32, variable: u32, slope: f32) {
    frames[slot(thread, variable, 0u)].z += slope;
}

fn add_clearance_slopes(thread: u32) {
    add_gradients(thread);
}

fn residual_of(e: PoseError) -> array<f32, ROWS> {
    return array<f32, ROWS>(e.linear.x, e.linear.y, e.linear.z, e.angular.x, e.angular.y, e.angular.z, e.missing);
}

// The column of a variable in the Jacobian.
fn column_of(thread: u32, variable: u32) -> array<f32, ROWS> {
    let l = frames[slot(thread, variable, 1u)].xyz;
    let a = frames[slot(thread, variable, 2u)].xyz;
    return array<f32, ROWS>(l.x, l.y, l.z, a.x, a.y, a.z, frames[slot(thread, variable, 0u)].z);
}

// The product of the column of a variable with a vector.
fn along_column(thread: u32, variable: u32, y: array<f32, ROWS>) -> f32 {
    let linear = scalar(frames[slot(thread, variable, 1u)].xyz, vec3<f32>(y[0], y[1], y[2]));
    let angular = scalar(frames[slot(thread, variable, 2u)].xyz, vec3<f32>(y[3], y[4], y[5]));
    return linear + angular + frames[slot(thread, variable, 0u)].z * y[6];
}
