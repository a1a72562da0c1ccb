//! The functions that `benches/dynamics_peers_cpp.py` compares with Pinocchio's, in the loop of `benches/dynamics_peers.cpp`.
//!
//! `peers ROBOT QUANTITY ROUNDS` prints the least of the rounds of the time per call, ns.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::hint::black_box;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_dynamics::{Derivatives, DynamicsModel};
use kinetic_robot::Robot;

const STATES: usize = 256;
const LAPS: usize = 20;

fn least_of(rounds: usize, mut call: impl FnMut(usize)) -> f64 {
    let round = |_| {
        let begin = Instant::now();
        (0..LAPS * STATES).for_each(|count| call(black_box(count % STATES)));
        begin.elapsed().as_secs_f64() * 1e9 / (LAPS * STATES) as f64
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [name, quantity, rounds] = &words[..] else {
        println!("usage: peers ROBOT QUANTITY ROUNDS");
        return;
    };
    let robot = Robot::from_name(name).unwrap();
    let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    let (n, mut data) = (model.dof(), model.data());
    let mut rng = SeededRng::new(1);
    let [q, v, a] = [(); 3]
        .map(|()| (0..STATES).map(|_| (0..n).map(|_| rng.uniform(-2.0, 2.0)).collect()).collect::<Vec<Vec<f64>>>());
    let (mut out, mut matrices) = (vec![0.0; n], [(); 3].map(|()| vec![0.0; n * n]));
    let rounds = rounds.parse().unwrap();
    let time = match quantity.as_str() {
        "inverse_dynamics" => least_of(rounds, |k| {
            model.inverse_dynamics_into(&mut data, [&q[k], &v[k], &a[k]], &[], &mut out).unwrap();
        }),
        "mass_matrix" => least_of(rounds, |k| model.mass_matrix_into(&mut data, &q[k], &mut matrices[0]).unwrap()),
        "forward_dynamics" => least_of(rounds, |k| {
            model.forward_dynamics_into(&mut data, [&q[k], &v[k], &a[k]], &[], &mut out).unwrap();
        }),
        _ => least_of(rounds, |k| {
            let [by_q, by_v, by_input] = &mut matrices;
            let mut out = Derivatives { by_q, by_v, by_input };
            model.inverse_dynamics_derivatives_into(&mut data, [&q[k], &v[k], &a[k]], &mut out).unwrap();
        }),
    };
    println!("{time:.1}");
}
