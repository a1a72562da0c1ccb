//! Parts of the messages of errors.

/// More than one of a kind.
pub(super) fn plural(kind: &str) -> String {
    // axis, basis
    kind.strip_suffix("is").map_or_else(|| format!("{kind}s"), |stem| format!("{stem}es"))
}

pub(super) fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// File and line; the file alone when the line is unknown.
pub(super) fn place(file: &str, line: u32) -> String {
    if line == 0 { file.to_owned() } else { format!("{file}:{line}") }
}

pub(super) fn suggestions(close: &[String], available: &[String]) -> String {
    if available.is_empty() {
        return "none is compiled in, for want of the cargo feature \"builtin-robots\"".to_owned();
    }
    if close.is_empty() { format!("robots are {}", list(available)) } else { format!("did you mean {}?", list(close)) }
}

/// The time of a message; none where time stood still, as for a problem that is solved by iterations alone.
pub(super) fn seconds_and(elapsed: f64) -> String {
    if elapsed > 0.0 { format!("{elapsed:.3} s and ") } else { String::new() }
}

/// How many configurations an error is about, where it is more than one.
pub(super) fn of_configurations(tried: u64) -> String {
    if tried > 1 { format!("; so are all of {tried} configurations that meet the goal") } else { String::new() }
}

/// From how many starts an item of a sequence was tried, where it is more than one.
pub(super) fn of_starts(tried: u64) -> String {
    if tried > 1 { format!(", from each of {tried} starts") } else { String::new() }
}
