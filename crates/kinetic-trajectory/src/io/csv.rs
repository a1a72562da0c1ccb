//! The CSV form; its layout stands in the documentation of [`io`](super).

use std::fmt::Write;

use kinetic_core::curve::{Coefficients, MAX_DEGREE};
use kinetic_core::{KineticError, Result, TimedTrajectory};
use serde::de::DeserializeOwned;

use super::document::{Document, Fields, PiecesDocument, RowDocument};

/// First line of a file that carries the polynomials.
const SIGNATURE: &str = "# kinetic trajectory 1";

pub(super) fn write(trajectory: &TimedTrajectory, joint_names: &[String]) -> Result<String> {
    let fields = Fields::of_trajectory(trajectory, joint_names)?;
    let mut text = format!("{SIGNATURE}\n# dof {}\n# num_waypoints {}\n", trajectory.dof(), fields.waypoints.len());
    push(&mut text, "duration", trajectory.duration());
    push(&mut text, "law", json(&trajectory.law)?);
    push(&mut text, "path_deviation", trajectory.path_deviation);
    if let Some(names) = &fields.joint_names {
        push(&mut text, "joint_names", json(names)?);
    }
    for (key, value) in [("group", &fields.group), ("robot_name", &fields.robot_name)] {
        if let Some(value) = value {
            push(&mut text, key, json(value)?);
        }
    }
    if let Some(certificate) = trajectory.certificate() {
        push(&mut text, "certificate", json(certificate)?);
    }
    push(&mut text, "knots", numbers(trajectory.curve().knots()));
    for (index, row) in trajectory.curve().all_coefficients().iter().enumerate() {
        let (piece, joint) = (index / trajectory.dof(), index % trajectory.dof());
        push(&mut text, &format!("piece {piece} joint {joint}"), numbers(row));
    }
    text += &header(trajectory.dof());
    for row in &fields.waypoints {
        let lists = [Some(&row.positions), row.velocities.as_ref(), row.accelerations.as_ref()];
        let values: Vec<f64> = row.time.into_iter().chain(lists.into_iter().flatten().flatten().copied()).collect();
        text += &numbers(&values);
        text.push('\n');
    }
    Ok(text)
}

fn push(text: &mut String, key: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# {key} {value}");
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| KineticError::Other(error.to_string()))
}

/// Shortest text of each number that reads back to the same `f64`.
fn numbers(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

fn header(dof: usize) -> String {
    let columns = ["q", "qd", "qdd"].into_iter().flat_map(|name| (0..dof).map(move |joint| format!(",{name}{joint}")));
    format!("time{}\n", columns.collect::<String>())
}

pub(super) fn read(text: &str, file: &str) -> Result<Document> {
    let error = |line: usize, detail: String| KineticError::FileParse {
        file: file.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        detail,
    };
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(index, line.trim()).map_err(|detail| error(index + 1, detail))?;
    }
    let fields = reader.finish().map_err(|detail| error(0, detail))?;
    fields.into_document().map_err(|cause| error(0, cause.to_string()))
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    fields: Fields,
    /// True when the file began with the signature: comments are then part of it.
    signed: bool,
    columns: Option<Columns>,
    knots: Option<Vec<f64>>,
    /// Rows with the piece and joint that they name.
    rows: Vec<(usize, usize, Coefficients)>,
}

/// Which columns the table has.
struct Columns {
    dof: usize,
    /// 1: positions; 2: and velocities; 3: and accelerations.
    lists: usize,
}

type Detail<T> = std::result::Result<T, String>;

impl Reader {
    fn line(&mut self, index: usize, line: &str) -> Detail<()> {
        if index == 0 && line == SIGNATURE {
            self.signed = true;
            return Ok(());
        }
        match line.strip_prefix('#') {
            Some(comment) if self.signed => self.comment(comment.trim()),
            Some(_) => Ok(()),
            None if line.is_empty() => Ok(()),
            None => match &self.columns {
                None => self.columns(line),
                Some(columns) => {
                    let row = columns.row(&parse_numbers(line)?)?;
                    self.fields.waypoints.push(row);
                    Ok(())
                }
            },
        }
    }

    fn comment(&mut self, comment: &str) -> Detail<()> {
        let (key, value) = comment.split_once(' ').unwrap_or((comment, ""));
        let fields = &mut self.fields;
        match key {
            "dof" => fields.dof = Some(parse_json(value)?),
            "num_waypoints" => fields.num_waypoints = Some(parse_json(value)?),
            "duration" => fields.duration = Some(parse_number(value)?),
            "law" => fields.law = Some(parse_json(value)?),
            "path_deviation" => fields.path_deviation = Some(parse_number(value)?),
            "joint_names" => fields.joint_names = Some(parse_json(value)?),
            "group" => fields.group = Some(parse_json(value)?),
            "robot_name" => fields.robot_name = Some(parse_json(value)?),
            "certificate" => fields.certificate = Some(parse_json(value)?),
            "knots" => self.knots = Some(parse_numbers(value)?),
            "piece" => self.rows.push(parse_piece(value)?),
            _ => {
                return Err(format!(
                    "unknown key \"{key}\"; keys are dof, num_waypoints, duration, law, path_deviation, joint_names, \
                     group, robot_name, certificate, knots, piece"
                ));
            }
        }
        Ok(())
    }

    /// The head of the table: `time`, then q, qd, qdd of every joint, in this order.
    fn columns(&mut self, line: &str) -> Detail<()> {
        let given: Vec<&str> = line.split(',').map(str::trim).collect();
        let count = |prefix: &str| {
            let of = |name: &&&str| name.strip_prefix(prefix).is_some_and(|rest| rest.parse::<usize>().is_ok());
            given.iter().filter(of).count()
        };
        let (dof, lists) = (count("q"), 1 + usize::from(count("qd") > 0) + usize::from(count("qdd") > 0));
        let names = ["q", "qd", "qdd"].into_iter().take(lists);
        let wanted = names.flat_map(|name| (0..dof).map(move |joint| format!("{name}{joint}")));
        if dof == 0 || !matches!(given[0], "time" | "t") || !wanted.eq(given[1..].iter().copied()) {
            return Err(format!("columns are \"{line}\"; wanted time,q0,…, then optionally qd0,…, then qdd0,…"));
        }
        self.columns = Some(Columns { dof, lists });
        Ok(())
    }

    fn finish(mut self) -> Detail<Fields> {
        if self.columns.is_none() {
            return Err("no table; wanted a line time,q0,… and a row per waypoint".to_owned());
        }
        if self.signed {
            self.fields.pieces = Some(self.pieces()?);
        }
        Ok(self.fields)
    }

    /// The pieces, whose rows must stand in order and be complete.
    fn pieces(&mut self) -> Detail<PiecesDocument> {
        let dof = self.fields.dof.filter(|dof| *dof > 0).ok_or("no line \"# dof …\" with a positive number")?;
        let knots = self.knots.take().ok_or("no line \"# knots …\"")?;
        let wanted = knots.len().saturating_sub(1).max(1).saturating_mul(dof);
        let in_order =
            |(index, row): (usize, &(usize, usize, Coefficients))| row.0 == index / dof && row.1 == index % dof;
        if self.rows.len() != wanted || !self.rows.iter().enumerate().all(in_order) {
            return Err(format!(
                "{} lines \"# piece …\"; wanted {wanted}: every joint of piece 0, then of piece 1, …",
                self.rows.len()
            ));
        }
        let coefficients = self.rows.chunks(dof).map(|rows| rows.iter().map(|row| row.2).collect()).collect();
        Ok(PiecesDocument { knots, coefficients })
    }
}

impl Columns {
    fn row(&self, values: &[f64]) -> Detail<RowDocument> {
        let wanted = 1 + self.lists * self.dof;
        if values.len() != wanted {
            return Err(format!("{} values, but the table has {wanted} columns", values.len()));
        }
        let mut lists = values[1..].chunks(self.dof).map(<[f64]>::to_vec);
        Ok(RowDocument {
            time: Some(values[0]),
            positions: lists.next().unwrap_or_default(),
            velocities: lists.next(),
            accelerations: lists.next(),
        })
    }
}

/// `p joint j c0,…,c5`.
fn parse_piece(value: &str) -> Detail<(usize, usize, Coefficients)> {
    let malformed = || format!("\"piece {value}\"; wanted piece p joint j c0,…,c{MAX_DEGREE}");
    let words: Vec<&str> = value.split_whitespace().collect();
    let [piece, "joint", joint, row] = words[..] else { return Err(malformed()) };
    let index = |text: &str| text.parse::<usize>().map_err(|_| malformed());
    let row = Coefficients::try_from(parse_numbers(row)?).map_err(|_| malformed())?;
    Ok((index(piece)?, index(joint)?, row))
}

fn parse_numbers(text: &str) -> Detail<Vec<f64>> {
    text.split(',').map(parse_number).collect()
}

fn parse_number(text: &str) -> Detail<f64> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("\"{text}\" is not a finite number")),
    }
}

fn parse_json<T: DeserializeOwned>(text: &str) -> Detail<T> {
    serde_json::from_str(text).map_err(|error| format!("\"{text}\": {error}"))
}
