//! Python: templates over NumPy.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::class::Class;
use super::{Constant, Value, header};
use crate::analytic::Manipulator;
use crate::analytic::poe::inverse;

const TURNS: &str = include_str!("numpy/turns.py");
const CLOSURE: &str = include_str!("numpy/closure.py");
const SOLVER: &str = include_str!("numpy/solver.py");

pub(super) fn write(arm: &Manipulator, class: &Class, solver: &Value, robot: &str) -> String {
    let mut imports =
        BTreeSet::from(["import math", "import numpy as np", "from types import SimpleNamespace as Record"]);
    let mut body = String::new();
    for template in [TURNS, CLOSURE].iter().chain(class.python).chain([&SOLVER]) {
        add(template, &mut body, &mut imports);
    }
    let mut out = String::from("\"\"\"");
    out.push_str(header::lines(arm, robot, "NumPy only").join("\n").trim_end());
    out.push_str("\n\"\"\"\n\n");
    // Plain imports first, NumPy last, as linters have it.
    for numpy in [false, true] {
        for start in ["import ", "from "] {
            for line in imports.iter().filter(|line| line.starts_with(start) && line.contains("numpy") == numpy) {
                let _ = writeln!(out, "{line}");
            }
        }
        out.push('\n');
    }
    out.push_str(&data(arm, solver));
    out.push_str(&body);
    out
}

/// A template without its imports of other templates, and with a heading instead of its docstring.
fn add<'a>(template: &'a str, body: &mut String, imports: &mut BTreeSet<&'a str>) {
    let mut lines = template.lines();
    let heading = lines.next().unwrap_or_default().trim_matches('"');
    let _ = write!(body, "\n\n# {}\n# {heading}\n", "-".repeat(100));
    // The rest of a docstring of several lines belongs to the templates.
    if !template.lines().next().unwrap_or_default().ends_with("\"\"\"") {
        lines.by_ref().find(|line| *line == "\"\"\"");
    }
    let is_import = |line: &str| line.starts_with("import ") || line.starts_with("from ");
    let code: Vec<&str> = lines.collect();
    let shared = ["import ", "from dataclasses "];
    imports.extend(code.iter().filter(|line| shared.iter().any(|start| line.starts_with(start))));
    let text: Vec<&str> = code.into_iter().filter(|line| !is_import(line)).collect();
    let _ = writeln!(body, "\n{}", text.join("\n").trim());
}

/// The arm and its solver.
fn data(arm: &Manipulator, solver: &Value) -> String {
    let (chain, form) = (arm.chain(), arm.normal_form());
    let limits = Value::List(chain.bounds().iter().map(|(low, high)| Value::Pair(*low, *high)).collect());
    let names: Vec<String> = chain.joint_names().iter().map(|name| quoted(name)).collect();
    let mut out = format!("DOF = {}\n\"\"\"Number of joints.\"\"\"\n", arm.dof());
    let _ = writeln!(out, "JOINT_NAMES = [{}]", names.join(", "));
    out.push_str("\"\"\"Names of the joints, in the order of joint values.\"\"\"\n");
    let _ = writeln!(out, "LIMITS = {}", literal(&limits, 0));
    out.push_str(
        "\"\"\"Lowest and highest value of each joint, rad; infinite for joints that turn without end.\"\"\"\n",
    );
    for (name, value) in [
        ("POLICY", &arm.policy().value()),
        ("READ_FROM_TIP", &Value::Flag(header::is_read_from_tip(arm))),
        ("SCREWS", &Value::List(form.screws().iter().map(Constant::value).collect())),
        ("SOLVER", solver),
    ] {
        let _ = writeln!(out, "{name} = {}", literal(value, 0));
    }
    for (name, pose) in [("HOME", form.home()), ("TCP_FROM_HOME", &inverse(form.home()))] {
        let (rotation, translation) = (pose.rotation.value(), pose.translation.value());
        let _ = writeln!(out, "{name} = ({}, {})", literal(&rotation, 0), literal(&translation, 0));
    }
    out
}

fn literal(value: &Value, depth: usize) -> String {
    let inner = "    ".repeat(depth + 1);
    let outer = "    ".repeat(depth);
    match value {
        Value::Number(number) => digits(*number),
        Value::Pair(low, high) => format!("({}, {})", digits(*low), digits(*high)),
        Value::Count(count) => count.to_string(),
        Value::Flag(flag) => if *flag { "True" } else { "False" }.to_owned(),
        Value::Named(name) => quoted(name),
        Value::Turn(turn) => format!("complex({}, {})", digits(turn.cos), digits(turn.sin)),
        Value::Vector(v) => format!("np.array({})", row(v.iter())),
        Value::Matrix(m) => {
            let rows: Vec<String> = (0..3).map(|at| row(m.row(at).iter())).collect();
            format!("np.array([{}])", rows.join(", "))
        }
        Value::Column(entries) => format!("np.array({})", row(entries.iter())),
        Value::List(items) => {
            let lines: Vec<String> =
                items.iter().map(|item| format!("{inner}{},\n", literal(item, depth + 1))).collect();
            format!("[\n{}{outer}]", lines.concat())
        }
        // A list of which some places are filled.
        Value::Record("Few", fields) => match fields.as_slice() {
            [(_, Value::List(items)), (_, Value::Count(len))] => literal(&Value::List(items[..*len].to_vec()), depth),
            _ => "[]".to_owned(),
        },
        Value::Record(_, fields) => {
            // Forward kinematics works with screws here.
            let needed = fields.iter().filter(|(_, value)| !matches!(value, Value::Record("Closure", _)));
            let lines: Vec<String> =
                needed.map(|(field, value)| format!("{inner}{field}={},\n", literal(value, depth + 1))).collect();
            format!("Record(\n{}{outer})", lines.concat())
        }
        Value::Variant(name, contents) => {
            let contents: Vec<String> = contents.iter().map(|value| literal(value, depth)).collect();
            format!("({}, {})", quoted(name), contents.join(", "))
        }
    }
}

fn row<'a>(numbers: impl Iterator<Item = &'a f64>) -> String {
    format!("[{}]", numbers.map(|number| digits(*number)).collect::<Vec<_>>().join(", "))
}

/// The shortest digits that mean this number and no other one.
fn digits(number: f64) -> String {
    if number.is_finite() {
        return format!("{number:?}");
    }
    if number > 0.0 { "math.inf".to_owned() } else { "-math.inf".to_owned() }
}

/// A string literal in ASCII.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if c.is_ascii_graphic() && c != '"' && c != '\\' || c == ' ' {
            out.push(c);
        } else {
            let _ = write!(out, "\\U{:08x}", u32::from(c));
        }
    }
    out + "\""
}
