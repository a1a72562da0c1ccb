//! Scene files of `MoveIt` (`.scene`), as `PlanningScene::saveGeometryToStream` writes them: the objects of the world.
//!
//! A name of the scene, then per object `* name`, its pose, the number of shapes, per shape its kind, sizes, pose in the object
//! and colour, then subframes; a dot ends the file. Files from before 2020 have no poses of objects and no subframes. Poses are
//! x y z and a quaternion x y z w.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::{FromStr, SplitAsciiWhitespace};

use kinetic_core::{KineticError, Pose, Result, Shape};
use nalgebra::{Point3, Vector3};

use crate::scene::Scene;

/// Corners of the base of the prism-like hull that stands for a cone, which it contains: 0.06 % wider.
const CORNERS_OF_CONE: usize = 90;

/// Adds the objects of a file to a scene; `file` names it in messages. Objects of several shapes become "name/0" and so on;
/// colours and subframes are left out.
pub(crate) fn load(scene: &mut Scene, text: &str, file: &str) -> Result<()> {
    let mut reader = Reader::new(text, file);
    // The name of the scene.
    reader.next_line();
    reader.rest_of_line();
    let mut marker = reader.word("an object (*) or the end (.)")?;
    let mut has_poses = None;
    while marker != "." {
        if marker != "*" {
            return Err(reader.fault(format!("\"{marker}\" where an object (*) or the end (.) is expected")));
        }
        let name = reader.rest_of_line().to_owned();
        // Of the first object, as MoveIt does it: a pose has several numbers, a number of shapes is alone.
        let has_poses = *has_poses.get_or_insert_with(|| reader.has_several_words());
        reader.object(scene, &name, has_poses)?;
        marker = reader.word("an object (*) or the end (.)")?;
    }
    Ok(())
}

struct Reader<'a> {
    file: &'a str,
    lines: std::str::Lines<'a>,
    words: SplitAsciiWhitespace<'a>,
    line: &'a str,
    number: u32,
    /// Objects of the file so far.
    names: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, file: &'a str) -> Self {
        Self {
            file,
            lines: text.lines(),
            words: "".split_ascii_whitespace(),
            line: "",
            number: 0,
            names: BTreeSet::new(),
        }
    }

    fn fault(&self, detail: String) -> KineticError {
        KineticError::FileParse { file: self.file.to_owned(), line: self.number, detail }
    }

    /// Goes to the next line; false at the end.
    fn next_line(&mut self) -> bool {
        let Some(line) = self.lines.next() else { return false };
        (self.line, self.words) = (line, line.split_ascii_whitespace());
        self.number += 1;
        true
    }

    fn word(&mut self, what: &str) -> Result<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Ok(word);
            }
            if !self.next_line() {
                return Err(self.fault(format!("the file ends where {what} is expected")));
            }
        }
    }

    /// What the line holds behind its first word.
    fn rest_of_line(&mut self) -> &'a str {
        self.words = "".split_ascii_whitespace();
        self.line.trim_start().trim_start_matches('*').trim()
    }

    /// Whether the next line that is not empty holds several words.
    fn has_several_words(&self) -> bool {
        let next = self.lines.clone().find(|line| !line.trim().is_empty());
        next.is_some_and(|line| line.split_ascii_whitespace().nth(1).is_some())
    }

    fn value<T: FromStr<Err: Display>>(&mut self, what: &str) -> Result<T> {
        let word = self.word(what)?;
        word.parse().map_err(|error| self.fault(format!("{what}: \"{word}\": {error}")))
    }

    fn values<const N: usize>(&mut self, what: &str) -> Result<[f64; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.value(what)?;
        }
        Ok(values)
    }

    fn pose(&mut self, what: &str) -> Result<Pose> {
        let [x, y, z] = self.values(what)?;
        let [qx, qy, qz, qw] = self.values(what)?;
        Pose::from_xyz_quat(x, y, z, qx, qy, qz, qw).map_err(|error| self.fault(format!("{what}: {error}")))
    }

    fn object(&mut self, scene: &mut Scene, name: &str, has_poses: bool) -> Result<()> {
        let root_from_object = if has_poses { self.pose("pose of an object")? } else { Pose::identity() };
        let count: usize = self.value("number of shapes")?;
        for index in 0..count {
            let shape = self.shape()?;
            let object_from_shape = self.pose("pose of a shape")?;
            let _color: [f64; 4] = self.values("colour")?;
            let full = if count > 1 { format!("{name}/{index}") } else { name.to_owned() };
            if !self.names.insert(full.clone()) {
                return Err(self.fault(format!("object \"{full}\" stands twice")));
            }
            let added = scene.add(&full, shape, root_from_object * object_from_shape);
            added.map_err(|error| self.fault(format!("object \"{name}\": {error}")))?;
        }
        if has_poses {
            for _ in 0..self.value::<usize>("number of subframes")? {
                self.word("name of a subframe")?;
                self.pose("pose of a subframe")?;
            }
        }
        Ok(())
    }

    fn shape(&mut self) -> Result<Shape> {
        let kind = self.word("kind of a shape")?;
        let shape = match kind {
            "box" => {
                let [x, y, z] = self.values("lengths of a box")?;
                Shape::box_from_size(x, y, z)
            }
            "sphere" => {
                let [radius] = self.values("radius of a sphere")?;
                Shape::sphere(radius)
            }
            "cylinder" => {
                let [radius, length] = self.values("radius and length of a cylinder")?;
                Shape::cylinder(radius, 0.5 * length)
            }
            "cone" => {
                let [radius, length] = self.values("radius and length of a cone")?;
                cone(radius, length)
            }
            "plane" => {
                // a x + b y + c z + d = 0; what lies behind it, against its normal, is solid.
                let [a, b, c, d] = self.values("coefficients of a plane")?;
                let normal = Vector3::new(a, b, c);
                Shape::half_space(normal, -d / normal.norm())
            }
            "mesh" => self.mesh()?,
            _ => {
                return Err(self.fault(format!("shape \"{kind}\"; there are box, sphere, cylinder, cone, plane, mesh")));
            }
        };
        shape.map_err(|error| self.fault(error.to_string()))
    }

    /// A solid where the triangles are closed, else their surface.
    fn mesh(&mut self) -> Result<Result<Shape>> {
        let vertices: usize = self.value("number of vertices")?;
        let triangles: usize = self.value("number of triangles")?;
        let mut corners = Vec::new();
        for _ in 0..vertices {
            corners.push(Point3::from(self.values("vertex")?));
        }
        let mut faces = Vec::new();
        for _ in 0..triangles {
            faces.push([self.value("index")?, self.value("index")?, self.value("index")?]);
        }
        Ok(Shape::mesh(&corners, &faces, true).or_else(|_| Shape::mesh(&corners, &faces, false)))
    }
}

/// A hull around a cone along z, with its middle at the origin and its tip above.
fn cone(radius: f64, length: f64) -> Result<Shape> {
    for (name, value) in [("radius of a cone", radius), ("length of a cone", length)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(KineticError::invalid(name, value, "a positive finite number"));
        }
    }
    let step = std::f64::consts::TAU / CORNERS_OF_CONE as f64;
    let around = radius / (0.5 * step).cos();
    let corner = |index: usize| {
        let (sin, cos) = (index as f64 * step).sin_cos();
        Point3::new(around * cos, around * sin, -0.5 * length)
    };
    let tip = Point3::new(0.0, 0.0, 0.5 * length);
    Shape::convex(&(0..CORNERS_OF_CONE).map(corner).chain([tip]).collect::<Vec<_>>(), 0.0)
}
