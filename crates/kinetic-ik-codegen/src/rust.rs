//! Generator of Rust: the library's own text over a small linear algebra.

use std::collections::BTreeSet;
use std::fmt::Write;

use kinetic_ik::analytic::Manipulator;
use kinetic_ik::analytic::constant::{Constant, Value};
use kinetic_ik::analytic::poe::inverse;

use super::class::{Class, common};
use super::other::Other;
use super::source::{Layout, Source};
use crate::header;

/// What is called from outside; the rest of the file serves it.
const SOURCES_OF_SIX: [&str; 2] = [include_str!("standalone/outside.rs"), include_str!("standalone/solver.rs")];
/// And of arms that are swept, where the second part is among the sources.
const SOURCES_OF_SWEPT: [&str; 2] = [SOURCES_OF_SIX[0], include_str!("standalone/sweep.rs")];

/// `constants` are the closed form and the Denavit–Hartenberg chain of the arm.
pub(super) fn write(arm: &Manipulator, class: &Class, constants: [&Value; 2], robot: &str) -> String {
    let mut body = String::new();
    let mut imports = BTreeSet::new();
    for source in (class.rust)().into_iter().chain(common()) {
        let cut = source.cut(Layout::Flat);
        imports.extend(cut.imports);
        let _ = write!(body, "\n// {HEADING_RULE}\n// {}\n\n{}", cut.heading, cut.body);
    }
    let data = data(arm, class, constants);
    [start(arm, robot, "dead_code", &imports), data, seen_from_outside(SOURCES_OF_SIX), body].concat()
}

/// As [`write`] for arms with another number of joints; `solver` is all of the solver.
pub(super) fn write_other(arm: &Manipulator, other: &Other, solver: &Value, robot: &str) -> String {
    let mut body = String::new();
    let mut imports = BTreeSet::from(["use std::sync::LazyLock;".to_owned()]);
    for source in &other.around {
        // What is called from outside stands above, as it is.
        if source.text == SOURCES_OF_SWEPT[1] {
            continue;
        }
        let cut = source.cut(Layout::Flat);
        imports.extend(cut.imports);
        let _ = write!(body, "\n// {HEADING_RULE}\n// {}\n\n{}", cut.heading, cut.body);
    }
    // A file of the library may be cut twice: its parts are one module.
    for (index, source) in other.modules.iter().enumerate() {
        if other.modules[..index].iter().all(|earlier| earlier.path != source.path) {
            body.push_str(&module(source.path, &other.modules));
        }
    }
    let data = other_data(arm, other, solver);
    [start(arm, robot, "dead_code, unused_imports", &imports), data, seen_from_outside(SOURCES_OF_SWEPT), body].concat()
}

const HEADING_RULE: &str =
    "--------------------------------------------------------------------------------------------------";

/// The parts of a file of the library as a module, which sees what is around it.
fn module(path: &str, sources: &[Source]) -> String {
    let (mut heading, mut imports, mut text) = (String::new(), BTreeSet::new(), String::new());
    for source in sources.iter().filter(|source| source.path == path) {
        let cut = source.cut(Layout::Modules);
        heading = cut.heading;
        imports.extend(cut.imports);
        text.push_str(&cut.body);
        text.push('\n');
    }
    let name = path.trim_end_matches(".rs").replace('/', "_");
    let mut out = format!("\n// {HEADING_RULE}\n// {heading}\n\nuse {name}::*;\n\nmod {name} {{\n    use super::*;\n");
    for line in imports.iter().map(String::as_str).chain([""]).chain(text.trim_end().lines()) {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
    }
    out + "}\n"
}

/// Header, permissions and imports of a file.
fn start(arm: &Manipulator, robot: &str, allowed: &str, imports: &BTreeSet<String>) -> String {
    let mut out = String::new();
    for line in header::lines(arm, robot, "the standard library only") {
        let _ = writeln!(out, "{}", format!("//! {line}").trim_end());
    }
    let _ = writeln!(out, "\n#![allow({allowed}, clippy::all, clippy::pedantic)]\n");
    for line in imports {
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    out
}

/// The parts that are seen from outside, which keep their visibility.
fn seen_from_outside(texts: [&str; 2]) -> String {
    texts.map(|text| text.split_once("\n\n").map_or(text, |(_, text)| text).trim_end().to_owned() + "\n\n").concat()
}

/// The arm and its solver.
fn data(arm: &Manipulator, class: &Class, [solver, dh_chain]: [&Value; 2]) -> String {
    let home = arm.normal_form().home();
    let mut out = arm_data(arm);
    for (name, kind, value) in [
        ("POLICY", "TolerancePolicy", &arm.policy().value()),
        ("READ_FROM_TIP", "bool", &Value::Flag(header::is_read_from_tip(arm))),
        ("TCP_FROM_HOME", "Rigid", &inverse(home).value()),
        ("DH_CHAIN", "DhChain<DOF>", dh_chain),
        ("SOLVER", class.solver, solver),
    ] {
        let _ = writeln!(out, "static {name}: {kind} = {};\n", literal(value, 0));
    }
    out
}

/// The arm and its solver, for arms with another number of joints.
fn other_data(arm: &Manipulator, other: &Other, solver: &Value) -> String {
    let (mut out, kind) = (arm_data(arm), other.solver);
    let _ = writeln!(out, "/// Number of values that the self-motion is measured by.");
    let _ = writeln!(out, "pub const SELF_MOTION: usize = {};\n", arm.ranges().len());
    let _ = writeln!(out, "const IS_SLOW: bool = {};\n", arm.dispatch_plan().tier > 0);
    let _ = writeln!(out, "static SOLVER: LazyLock<{kind}> = LazyLock::new(|| {});\n", literal(solver, 0));
    out
}

/// What every file says about its arm.
fn arm_data(arm: &Manipulator) -> String {
    let chain = arm.chain();
    let limits: Vec<Value> = chain.bounds().iter().map(|(low, high)| Value::Pair(*low, *high)).collect();
    let weights: Vec<Value> = chain.weights().iter().map(|weight| Value::Number(*weight)).collect();
    let screws: Vec<Value> = arm.normal_form().screws().iter().map(Constant::value).collect();
    let names: Vec<String> = chain.joint_names().iter().map(|name| format!("{name:?}")).collect();
    let mut out = format!("/// Number of joints.\npub const DOF: usize = {};\n\n", arm.dof());
    let _ = writeln!(out, "/// Names of the joints, in the order of joint values.");
    let _ = writeln!(out, "pub const JOINT_NAMES: [&str; DOF] = [{}];\n", names.join(", "));
    let _ = writeln!(
        out,
        "/// Lowest and highest value of each joint, rad or m; infinite for joints that turn without end."
    );
    for (visibility, name, kind, value) in [
        ("pub ", "LIMITS", "[(f64, f64); DOF]", &Value::List(limits)),
        ("", "WEIGHTS", "[f64; DOF]", &Value::List(weights)),
        ("", "SCREWS", "[Screw; DOF]", &Value::List(screws)),
        ("", "HOME", "Rigid", &arm.normal_form().home().value()),
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
        Value::CosSin(turn) => format!("CosSin {{ cos: {}, sin: {} }}", digits(turn.cos), digits(turn.sin)),
        Value::Vector(v) => format!("Vector3::new({}, {}, {})", digits(v.x), digits(v.y), digits(v.z)),
        Value::Matrix(matrix) => format!("Matrix3::new({})", joined(matrix.transpose().iter())),
        Value::Column(entries) => format!("SMatrix {{ columns: [[{}]] }}", joined(entries.iter())),
        Value::List(items) => {
            let lines: Vec<String> =
                items.iter().map(|item| format!("{inner}{},\n", literal(item, depth + 1))).collect();
            format!("[\n{}{outer}]", lines.concat())
        }
        Value::Boxed(value) => format!("Box::new({})", literal(value, depth)),
        Value::Growable(items) => format!("vec!{}", literal(&Value::List(items.clone()), depth)),
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
