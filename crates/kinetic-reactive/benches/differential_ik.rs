//! What one cycle of differential inverse kinematics costs, and what its parts do.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench may panic")]

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Twist;
use kinetic_reactive::differential_ik::{
    DifferentialIk, DifferentialIkOptions, TwistCommand, TwistFrame, VELOCITY_SOLVERS, VelocityContext,
};
use kinetic_robot::Robot;
use nalgebra::Vector3;

const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
/// The arm stretched upwards.
const SINGULAR: [f64; 7] = [0.0, 0.0, 0.0, -0.07, 0.0, 0.07, 0.0];

fn twists(bench: &mut Criterion) {
    let rows: Vec<f64> = (0..7 * 24).map(|index| (0.37 * f64::from(index)).sin()).collect();
    let row_bounds = [-0.05; 24];
    let pushing = VelocityContext { rows: &rows, row_bounds: &row_bounds, ..VelocityContext::default() };
    for spec in VELOCITY_SOLVERS {
        let options = DifferentialIkOptions { method: spec.name.to_owned(), ..DifferentialIkOptions::default() };
        let mut ik = DifferentialIk::new(Robot::from_name("franka_panda").unwrap(), None, options).unwrap();
        let cases = [
            ("free", HOME, 0.05, VelocityContext::default()),
            ("at_bounds", HOME, 5.0, VelocityContext::default()),
            ("24_rows", HOME, 0.5, pushing),
            ("singular", SINGULAR, 0.05, VelocityContext::default()),
        ];
        for (case, q, speed, context) in cases {
            let mut cycle = 0_u32;
            let mut velocity = [0.0; 7];
            bench.bench_function(&format!("differential_ik/{}/{case}", spec.name), |b| {
                b.iter(|| {
                    cycle = cycle.wrapping_add(1);
                    let angle = 0.01 * f64::from(cycle);
                    let linear = Vector3::new(speed * angle.cos(), speed * angle.sin(), 0.3 * speed);
                    let twist = Twist::new(linear, Vector3::zeros());
                    let command = TwistCommand { context, ..TwistCommand::new(twist, TwistFrame::Base) };
                    ik.twist(&q, &command, &mut velocity).unwrap()
                });
            });
        }
        let command = TwistCommand::new(Twist::default(), TwistFrame::Base);
        bench.bench_function(&format!("differential_ik/{}/singularity", spec.name), |b| {
            b.iter(|| ik.singularity(&HOME, &command).unwrap().sigma);
        });
    }
}

criterion_group!(benches, twists);
criterion_main!(benches);
