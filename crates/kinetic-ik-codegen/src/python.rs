//! Generator of Python: templates over NumPy.

use std::collections::BTreeSet;
use std::fmt::Write;

use kinetic_ik::analytic::Manipulator;
use kinetic_ik::analytic::constant::{Constant, Value};
use kinetic_ik::analytic::poe::{Screw, inverse};
use kinetic_kinematics::Rigid;

use super::class::Class;
use super::other::Other;
use crate::header;

const COS_SIN: &str = include_str!("numpy/cos_sin.py");
const RESIDUAL: &str = include_str!("numpy/residual.py");
const OUTSIDE: &str = include_str!("numpy/outside.py");
const SOLVER: &str = include_str!("numpy/solver.py");
const ROWS: &str = include_str!("numpy/rows.py");
const SWEEP: &str = include_str!("numpy/sweep.py");

pub(super) fn write(arm: &Manipulator, class: &Class, solver: &Value, robot: &str) -> String {
    let templates = [COS_SIN, RESIDUAL].iter().chain(class.python).chain(&[OUTSIDE, SOLVER]);
    file(arm, templates.copied(), &data(arm, solver), robot)
}

/// Header, imports, what the arm is, and the code.
fn file(arm: &Manipulator, templates: impl Iterator<Item = &'static str>, data: &str, robot: &str) -> String {
    let mut imports =
        BTreeSet::from(["import math", "import numpy as np", "from types import SimpleNamespace as Record"]);
    let mut body = String::new();
    for template in templates {
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
    out.push_str(data);
    out.push_str(&body);
    out
}

/// As [`write`] for arms with another number of joints; `solver` is all of the solver.
pub(super) fn write_other(arm: &Manipulator, other: &Other, solver: &Value, robot: &str) -> String {
    let templates = [COS_SIN, RESIDUAL].iter().chain(&other.python).chain(&[OUTSIDE, ROWS, SWEEP]);
    file(arm, templates.copied(), &other_data(arm, solver), robot)
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
    // Imports of several lines end with their parenthesis.
    let mut is_open = false;
    let mut is_import = |line: &str| {
        let is_start = line.starts_with("import ") || line.starts_with("from ");
        let is_one = is_start || is_open;
        is_open = is_one && if is_start { line.ends_with('(') } else { line != ")" };
        is_one
    };
    let code: Vec<&str> = lines.collect();
    let shared = ["import ", "from dataclasses "];
    imports.extend(code.iter().filter(|line| shared.iter().any(|start| line.starts_with(start))));
    let text: Vec<&str> = code.into_iter().filter(|line| !is_import(line)).collect();
    let _ = writeln!(body, "\n{}", text.join("\n").trim());
}

/// The arm and its solver.
fn data(arm: &Manipulator, solver: &Value) -> String {
    let home = inverse(arm.normal_form().home());
    let mut out = arm_data(arm);
    for (name, value) in [
        ("POLICY", &arm.policy().value()),
        ("READ_FROM_TIP", &Value::Flag(header::is_read_from_tip(arm))),
        ("SCREWS", &screws(arm.normal_form().screws())),
        ("SOLVER", solver),
    ] {
        let _ = writeln!(out, "{name} = {}", literal(value, 0));
    }
    let _ = writeln!(out, "TCP_FROM_HOME = {}", pose(&home));
    out
}

/// The arm and its solver, for arms with another number of joints than six: the joints that are solved for, the class that
/// solves them, and the others.
fn other_data(arm: &Manipulator, solver: &Value) -> String {
    let (mut out, locked) = (arm_data(arm), arm.locked());
    let mut solved = arm.normal_form().screws().to_vec();
    solved.retain(|screw| locked.iter().all(|joint| arm.normal_form().screws()[*joint] != *screw));
    solved.extend(arm.turn_of_tool());
    let (class, is_reversed) = class_of(solver);
    let own_policy = arm.policy().value();
    let ranges = Value::List(arm.ranges().iter().map(Constant::value).collect());
    for (name, value) in [
        ("POLICY", solver.field("policy").unwrap_or(&own_policy)),
        ("READ_FROM_TIP", &Value::Flag(is_reversed)),
        ("SCREWS", &screws(&solved)),
        ("ARM", &screws(arm.normal_form().screws())),
        ("RANGES", &ranges),
        ("HAS_SWIVEL", &Value::Flag(!arm.ranges().is_empty() && locked.is_empty())),
        ("IS_SLOW", &Value::Flag(arm.dispatch_plan().tier > 0)),
        ("SOLVER", class),
    ] {
        let _ = writeln!(out, "{name} = {}", literal(value, 0));
    }
    for (name, field) in [("LOCKS", "locks"), ("TOOL_AXIS", "axis")] {
        if let Some(value) = solver.field(field) {
            let _ = writeln!(out, "{name} = {}", literal(value, 0));
        }
    }
    out
}

/// The class of the six joints that a solver uses, and whether it reads them from tip to base; the solver itself where it
/// uses none.
fn class_of(solver: &Value) -> (&Value, bool) {
    let six = solver.field("six").or_else(|| solver.field("others").map(Value::content));
    match six.and_then(|six| six.field("class")).map(Value::content) {
        Some(Value::Variant(_, contents)) => (contents[0].content(), true),
        Some(class) => (class, false),
        None => (solver, false),
    }
}

fn screws(screws: &[Screw]) -> Value {
    Value::List(screws.iter().map(Constant::value).collect())
}

/// What every file says about its arm.
fn arm_data(arm: &Manipulator) -> String {
    let chain = arm.chain();
    let limits = Value::List(chain.bounds().iter().map(|(low, high)| Value::Pair(*low, *high)).collect());
    let names: Vec<String> = chain.joint_names().iter().map(|name| quoted(name)).collect();
    let mut out = format!("DOF = {}\n\"\"\"Number of joints.\"\"\"\n", arm.dof());
    let _ = writeln!(out, "JOINT_NAMES = [{}]", names.join(", "));
    out.push_str("\"\"\"Names of the joints, in the order of joint values.\"\"\"\n");
    let _ = writeln!(out, "LIMITS = {}", literal(&limits, 0));
    out.push_str(
        "\"\"\"Lowest and highest value of each joint, rad or m; infinite for joints that turn without end.\"\"\"\n",
    );
    let weights = Value::List(chain.weights().iter().map(|weight| Value::Number(*weight)).collect());
    let _ = writeln!(out, "WEIGHTS = {}", literal(&weights, 0));
    out.push_str("\"\"\"What a radian or metre of each joint counts in the distance from the seed.\"\"\"\n");
    let _ = writeln!(out, "HOME = {}", pose(arm.normal_form().home()));
    out
}

fn pose(pose: &Rigid) -> String {
    format!("({}, {})", literal(&pose.rotation.value(), 0), literal(&pose.translation.value(), 0))
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
        Value::CosSin(turn) => format!("complex({}, {})", digits(turn.cos), digits(turn.sin)),
        Value::Vector(v) => format!("np.array({})", row(v.iter())),
        Value::Matrix(m) => {
            let rows: Vec<String> = (0..3).map(|at| row(m.row(at).iter())).collect();
            format!("np.array([{}])", rows.join(", "))
        }
        Value::Column(entries) => format!("np.array({})", row(entries.iter())),
        Value::Boxed(value) => literal(value, depth),
        Value::List(items) | Value::Growable(items) => {
            let lines: Vec<String> =
                items.iter().map(|item| format!("{inner}{},\n", literal(item, depth + 1))).collect();
            format!("[\n{}{outer}]", lines.concat())
        }
        // A list of which some places are filled.
        Value::Record("ArrayVec", fields) => match fields.as_slice() {
            [(_, Value::List(items)), (_, Value::Count(len))] => literal(&Value::List(items[..*len].to_vec()), depth),
            _ => "[]".to_owned(),
        },
        Value::Record(_, fields) => {
            // Forward kinematics works with screws here.
            let needed = fields.iter().filter(|(_, value)| !matches!(value, Value::Record("DhChain" | "Check", _)));
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
