//! Writing scene files: the whole content of a scene, in the format that [`Scene::load`] reads.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use kinetic_core::shape::{RecordValue, ShapeRecord};
use kinetic_core::toml_text::quoted;
use kinetic_core::{PayloadEntry, Pose, Result, Shape, files};

use crate::scene::Scene;

impl Scene {
    /// Writes the scene to a file; loading it into an empty scene of the same robot gives this one, to the last bit.
    /// Margins and allowed collisions are written of names that no body has now, too.
    ///
    /// # Errors
    /// [`KineticError::Io`](kinetic_core::KineticError::Io).
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = self.to_toml()?;
        files::write(path, text)
    }

    /// As [`save`](Self::save), as text.
    ///
    /// # Errors
    /// None: every shape can be written.
    pub fn to_toml(&self) -> Result<String> {
        let mut out = SceneText(String::new());
        let absent = self.absent_names();
        if !absent.is_empty() {
            out.line("absent", list(absent.into_iter().map(quoted)));
        }
        for (name, object) in self.objects() {
            out.table("object");
            out.line("name", quoted(name));
            out.shape(&object.shape);
            out.pose(&object.pose);
            if self.is_ghost(name) {
                out.line("ghost", true);
            }
        }
        for (name, body) in self.attached() {
            let link = |index: usize| quoted(&self.robot().links[index].name);
            out.table("object");
            out.line("name", quoted(name));
            out.line("link", link(body.link));
            out.line("touch_links", list(body.touch_links.iter().map(|index| link(*index))));
            if let Some(payload) = body.payload {
                out.line("payload", PayloadEntry::from(payload));
            }
            out.shape(&body.shape);
            out.pose(&body.link_from_shape);
        }
        self.write_rules(&mut out);
        self.write_held(&mut out);
        Ok(out.0)
    }

    fn write_rules(&self, out: &mut SceneText) {
        for (a, b) in self.allowed().pairs() {
            out.table("allow");
            out.line("pair", list([quoted(a), quoted(b)]));
        }
        let margins = self.margins();
        for (a, b, value) in margins.pairs() {
            out.table("margin");
            out.line("pair", list([quoted(a), quoted(b)]));
            out.line("value", number(value));
            if self.is_until_detached(a, b, value) {
                out.line("until_detached", true);
            }
        }
        for (name, side, value) in margins.names() {
            out.table("margin");
            out.line("of", quoted(name));
            out.line("towards", quoted(side.name()));
            out.line("value", number(value));
        }
        for (name, value) in margins.paddings() {
            out.table("padding");
            out.line("of", quoted(name));
            out.line("value", number(value));
        }
        for (link, factor) in margins.scales() {
            out.table("scale");
            out.line("link", quoted(link));
            out.line("factor", number(factor));
        }
    }

    /// Names that rules are about and that no body has now, in order.
    fn absent_names(&self) -> BTreeSet<&str> {
        let margins = self.margins();
        let of_pairs = self.allowed().pairs().chain(margins.pairs().map(|(a, b, _)| (a, b)));
        let of_bodies = margins.names().map(|(name, _, _)| name).chain(margins.paddings().map(|(name, _)| name));
        let all = of_pairs.flat_map(|(a, b)| [a, b]).chain(of_bodies);
        all.filter(|name| self.check_known(name).is_err()).collect()
    }

    /// Writes the fixed joints that are not at their neutral values.
    fn write_held(&self, out: &mut SceneText) {
        let robot = self.robot();
        let neutral = robot.neutral_configuration();
        let moved: Vec<usize> =
            (0..neutral.len()).filter(|variable| self.held()[*variable] != neutral[*variable]).collect();
        if !moved.is_empty() {
            out.0.push_str("\n[held]\n");
        }
        for variable in moved {
            let name = &robot.joints[robot.active_joints[variable]].name;
            out.line(&quoted(name), number(self.held()[variable]));
        }
    }
}

/// A scene file while it is written.
struct SceneText(String);

impl SceneText {
    fn table(&mut self, name: &str) {
        let gap = if self.0.is_empty() { "" } else { "\n" };
        // Writing into a string does not fail.
        let _ = writeln!(self.0, "{gap}[[{name}]]");
    }

    fn line(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn shape(&mut self, shape: &Shape) {
        let record = ShapeRecord::of(shape);
        self.line("shape", quoted(&record.kind));
        for (name, value) in record.fields() {
            self.line(name, toml(value));
        }
    }

    fn pose(&mut self, pose: &Pose) {
        self.line("position", numbers(pose.0.translation.vector.as_slice()));
        self.line("quaternion_xyzw", numbers(pose.0.rotation.coords.as_slice()));
    }
}

/// The value of a field of a shape.
fn toml(value: RecordValue<'_>) -> String {
    match value {
        RecordValue::Flag(flag) => flag.to_string(),
        RecordValue::Number(value) => number(value),
        RecordValue::Numbers(values) => numbers(values),
        RecordValue::Points(points) => list(points.iter().map(|point| numbers(point))),
        RecordValue::Faces(faces) => list(faces.iter().map(|corners| list(corners.iter().map(u32::to_string)))),
        RecordValue::Rows(rows) => list(rows.iter().map(|row| numbers(row))),
        RecordValue::Cells(cells) => list(cells.iter().map(|cell| list(cell.iter().map(i32::to_string)))),
    }
}

/// A TOML float that reads back as the same number.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn numbers(values: &[f64]) -> String {
    list(values.iter().map(|value| number(*value)))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}
