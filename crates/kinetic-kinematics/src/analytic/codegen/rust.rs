//! Rust: the library's own text over a little linear algebra.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::class::{Class, common};
use super::source::{Items, Source};
use super::{Constant, Value, header};
use crate::analytic::Manipulator;
use crate::analytic::poe::inverse;

/// What is called from outside; the rest of the file serves it.
const SOLVER: Source = Source { text: include_str!("standalone/solver.rs"), items: Items::Without(&[]) };

/// `constants` are the closed form and the closure of the tool.
pub(super) fn write(arm: &Manipulator, class: &Class, constants: [&Value; 2], robot: &str) -> String {
    let mut body = String::new();
    let mut imports = BTreeSet::new();
    for source in (class.rust)().into_iter().chain(common()) {
        let cut = source.cut();
        imports.extend(cut.imports);
        let rule = "-".repeat(100);
        let _ = write!(body, "\n// {rule}\n// {}\n\n{}", cut.heading, cut.body);
    }
    let mut out = String::new();
    for line in header::lines(arm, robot, "the standard library only") {
        let _ = writeln!(out, "{}", format!("//! {line}").trim_end());
    }
    out.push_str("\n#![allow(dead_code, clippy::all, clippy::pedantic)]\n\n");
    for line in &imports {
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    out.push_str(&data(arm, class, constants));
    // The part that is seen from outside keeps its visibility.
    let text = SOLVER.text.split_once("\n\n").map_or(SOLVER.text, |(_, text)| text);
    out.push_str(text);
    out.push_str(&body);
    out
}

/// The arm and its solver.
fn data(arm: &Manipulator, class: &Class, [solver, closure]: [&Value; 2]) -> String {
    let (chain, policy) = (arm.chain(), arm.policy());
    let limits: Vec<Value> = chain.bounds().iter().map(|(low, high)| Value::Pair(*low, *high)).collect();
    let screws: Vec<Value> = arm.normal_form().screws().iter().map(Constant::value).collect();
    let home = arm.normal_form().home();
    let (home, tcp_from_home) = (home.value(), inverse(home).value());
    let names: Vec<String> = chain.joint_names().iter().map(|name| format!("{name:?}")).collect();
    let mut out = format!("/// Number of joints.\npub const DOF: usize = {};\n\n", arm.dof());
    let _ = writeln!(out, "/// Names of the joints, in the order of joint values.");
    let _ = writeln!(out, "pub const JOINT_NAMES: [&str; DOF] = [{}];\n", names.join(", "));
    let _ =
        writeln!(out, "/// Lowest and highest value of each joint, rad; infinite for joints that turn without end.");
    for (visibility, name, kind, value) in [
        ("pub ", "LIMITS", "[(f64, f64); DOF]", &Value::List(limits)),
        ("", "POLICY", "TolerancePolicy", &policy.value()),
        ("", "READ_FROM_TIP", "bool", &Value::Flag(header::is_read_from_tip(arm))),
        ("", "SCREWS", "[Screw; DOF]", &Value::List(screws)),
        ("", "HOME", "Rigid", &home),
        ("", "TCP_FROM_HOME", "Rigid", &tcp_from_home),
        ("", "CLOSURE", "Closure<DOF>", closure),
        ("", "SOLVER", class.solver, solver),
    ] {
        let _ = writeln!(out, "{visibility}static {name}: {kind} = {};\n", literal(value, 0));
    }
    out
}

/// A value as an expression that a static can have.
fn literal(value: &Value, depth: usize) -> String {
    let inner = "    ".repeat(depth + 1);
    let outer = "    ".repeat(depth);
    match value {
        Value::Number(number) => digits(*number),
        Value::Pair(low, high) => format!("({}, {})", digits(*low), digits(*high)),
        Value::Count(count) => count.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Named(name) => (*name).to_owned(),
        Value::Turn(turn) => format!("Turn {{ cos: {}, sin: {} }}", digits(turn.cos), digits(turn.sin)),
        Value::Vector(v) => format!("Vector3::new({}, {}, {})", digits(v.x), digits(v.y), digits(v.z)),
        Value::Matrix(matrix) => format!("Matrix3::new({})", joined(matrix.transpose().iter())),
        Value::Column(entries) => format!("SMatrix {{ columns: [[{}]] }}", joined(entries.iter())),
        Value::List(items) => {
            let lines: Vec<String> =
                items.iter().map(|item| format!("{inner}{},\n", literal(item, depth + 1))).collect();
            format!("[\n{}{outer}]", lines.concat())
        }
        Value::Record(name, fields) => {
            let line = |(field, value): &(&str, Value)| format!("{inner}{field}: {},\n", literal(value, depth + 1));
            format!("{name} {{\n{}{outer}}}", fields.iter().map(line).collect::<Vec<_>>().concat())
        }
        Value::Variant(name, contents) => {
            let contents: Vec<String> = contents.iter().map(|value| literal(value, depth)).collect();
            format!("{name}({})", contents.join(", "))
        }
    }
}

fn joined<'a>(numbers: impl Iterator<Item = &'a f64>) -> String {
    numbers.map(|number| digits(*number)).collect::<Vec<_>>().join(", ")
}

/// The shortest digits that mean this number and no other one.
fn digits(number: f64) -> String {
    if number.is_finite() {
        return format!("{number:?}");
    }
    if number > 0.0 { "f64::INFINITY".to_owned() } else { "f64::NEG_INFINITY".to_owned() }
}
