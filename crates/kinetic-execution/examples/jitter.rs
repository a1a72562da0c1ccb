//! How late commands of `RealTimeExecutor` are begun, and what a cycle costs, as JSON for `benches/execution_jitter.py`.
//!
//!     cargo run --release -p kinetic-execution --example jitter -- 500 10 80     # Hz, s, priority (0: none)
#![allow(clippy::print_stdout, reason = "what it measures")]

use std::error::Error;

use kinetic_core::Trajectory;
use kinetic_execution::{
    DriverError, ExecutionConfig, ExecutionResult, JitterHistogram, RealTimeExecutor, SchedulingPolicy,
};
use kinetic_trajectory::trapezoidal;

/// rad/s and rad/s² of every joint.
const SPEED: f64 = 0.1;
const ACCELERATION: f64 = 1.0;
const JOINTS: usize = 6;

/// Commands between two readings of the processor time, whose cost is small beside theirs.
const STRIDE: u64 = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<f64> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [rate_hz, seconds, priority] = arguments[..] else { return Err("wanted: rate, seconds, priority".into()) };
    #[expect(clippy::cast_sign_loss, reason = "the executor refuses other numbers")]
    let real_time_priority = (priority > 0.0).then_some(priority as u32);
    let config = ExecutionConfig { rate_hz, real_time_priority, allow_unverified: true, ..ExecutionConfig::default() };
    let distance = SPEED * (seconds - SPEED / ACCELERATION);
    let path = Trajectory::from_waypoints(&[[0.0; JOINTS], [distance; JOINTS]])?;
    let (mut commands, mut readings) = (0, Vec::new());
    let mut sink = |_: &[f64], _: &[f64]| -> Result<(), DriverError> {
        if commands % STRIDE == 0 {
            readings.push(processor_time());
        }
        commands += 1;
        Ok(())
    };
    let result = RealTimeExecutor::new(config)?.execute(&trapezoidal(&path, SPEED, ACCELERATION)?, &mut sink)?;
    let cycles = STRIDE as f64 * (readings.len() - 1).max(1) as f64;
    println!("{}", report(&result, (readings[readings.len() - 1] - readings[0]) / cycles));
    Ok(())
}

/// Seconds for which the calling thread has run.
#[cfg(target_os = "linux")]
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> f64 {
    f64::NAN
}

fn report(result: &ExecutionResult, per_cycle: f64) -> String {
    let (jitter, is_fifo) = (&result.jitter, result.realtime.scheduling == SchedulingPolicy::Fifo);
    let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|fraction| jitter.quantile(fraction));
    let (max, missed, counts) = (jitter.max(), result.missed_cycles, jitter.counts());
    let edges: Vec<f64> = std::iter::once(0.0)
        .chain((0..counts.len()).map(JitterHistogram::upper_edge))
        .map(|edge| edge.min(f64::MAX))
        .collect();
    format!(
        "{{\"p50\": {p50}, \"p99\": {p99}, \"p999\": {p999}, \"max\": {max}, \"missed\": {missed}, \
         \"per_cycle\": {per_cycle}, \"fifo\": {is_fifo}, \"edges\": {edges:?}, \"counts\": {counts:?}}}"
    )
}
