//! Bodies: from nested elements to links and joints.
//!
//! A body becomes a link of its name. Its joints follow each other in the frame of the body, each about its own anchor;
//! between them stand massless links called `<body>/<joint>`. A body without joints, or whose last joint turns about a
//! point other than its origin, hangs on a fixed joint `<body>/fixed`.

use kinetic_core::{Pose, Result};
use nalgebra::{Translation3, Vector3};

use super::compiler::Compiler;
use super::document::Documents;
use super::element::Element;
use super::frame;
use super::geom::{Geom, GeomKind};
use super::inertial;
use super::joint::{MjcfJoint, MjcfJointKind};
use super::names::Names;
use crate::description::{JointDescription, LinkDescription};
use crate::model::{Inertial, JointDynamics, JointType};
use crate::multi_dof::{MultiDof, MultiDofJoint};
use crate::notes::Notes;

/// Groups from this one on are hidden in MuJoCo's viewers at first.
const FIRST_HIDDEN_GROUP: f64 = 3.0;

/// Elements that say nothing about shape, motion or mass.
const IGNORED_IN_BODIES: [&str; 4] = ["site", "camera", "light", "plugin"];

/// A body as the passes after the tree need it.
#[derive(Debug)]
pub(super) struct MjcfBody {
    /// Name of the link.
    pub(super) link: String,
    /// Index of the parent; the world is its own.
    pub(super) parent: usize,
    /// The body whose joint carries this one, which is itself when it has joints.
    pub(super) weld: usize,
    /// Degrees of freedom between it and its parent.
    pub(super) dof: usize,
}

/// A joint as `qpos` has it.
#[derive(Debug)]
pub(super) struct Coordinate {
    pub(super) name: String,
    pub(super) kind: MjcfJointKind,
    pub(super) reference: f64,
    /// Pose of a free joint's body as written.
    pub(super) world_from_body: Pose,
}

/// The tree being built.
pub(super) struct BodyTree<'a> {
    documents: &'a Documents,
    names: Names,
    pub(super) links: Vec<LinkDescription>,
    pub(super) joints: Vec<JointDescription>,
    pub(super) bodies: Vec<MjcfBody>,
    pub(super) coordinates: Vec<Coordinate>,
    /// Geoms that a `<contact><pair>` names, and their bodies.
    pub(super) geom_bodies: Vec<(String, usize)>,
    paired_geoms: Vec<String>,
    pub(super) notes: Notes,
}

/// What surrounds an element.
#[derive(Clone, Copy)]
struct ElementScope<'a> {
    document: usize,
    class: Option<&'a str>,
    /// Accumulated `<frame>`s.
    body_from_frame: Pose,
}

/// The elements of a body, those in frames included.
#[derive(Default)]
struct Content<'a> {
    joints: Vec<MjcfJoint<'a>>,
    geoms: Vec<Geom<'a>>,
    inertial: Option<Inertial>,
    bodies: Vec<(&'a Element, ElementScope<'a>)>,
}

impl<'a> BodyTree<'a> {
    /// Reads all bodies of the main document.
    pub(super) fn read(documents: &'a Documents) -> Result<Self> {
        let main = &documents.all[0];
        let pairs = main.references.iter().filter(|reference| reference.tag == "pair");
        let mut tree = Self {
            documents,
            names: Names::new(&main.world)?,
            links: Vec::new(),
            joints: Vec::new(),
            bodies: Vec::new(),
            coordinates: Vec::new(),
            geom_bodies: Vec::new(),
            paired_geoms: pairs
                .flat_map(|pair| [pair.get("geom1"), pair.get("geom2")])
                .flatten()
                .map(str::to_owned)
                .collect(),
            notes: Notes::default(),
        };
        tree.world()?;
        Ok(tree)
    }

    fn world(&mut self) -> Result<()> {
        let scope = ElementScope { document: 0, class: None, body_from_frame: Pose::identity() };
        let mut content = Content::default();
        self.gather(&self.documents.all[0].world, scope, &mut content)?;
        if let Some(joint) = content.joints.first() {
            return Err(joint.given.error("the world cannot have joints"));
        }
        let name = self.names.link("world");
        self.bodies.push(MjcfBody { link: name.clone(), parent: 0, weld: 0, dof: 0 });
        self.link(1, name, &content.geoms, None, 0)?;
        self.below(content.bodies, 0)
    }

    fn below(&mut self, bodies: Vec<(&'a Element, ElementScope<'a>)>, parent: usize) -> Result<()> {
        bodies.into_iter().try_for_each(|(element, scope)| self.body(element, scope, parent))
    }

    fn body(&mut self, element: &'a Element, scope: ElementScope<'a>, parent: usize) -> Result<()> {
        let compiler = &self.documents.all[scope.document].compiler;
        let pose = Pose(scope.body_from_frame.0 * frame::pose(&element.plain(), compiler)?.0);
        let inner = ElementScope {
            class: element.get("childclass").or(scope.class),
            body_from_frame: Pose::identity(),
            ..scope
        };
        let mut content = Content::default();
        self.gather(&element.children, inner, &mut content)?;
        let index = self.bodies.len();
        let link = self.names.body(element);
        self.bodies.push(MjcfBody { link: link.clone(), parent, weld: 0, dof: 0 });
        let dof = self.connect(element, index, &content.joints, &pose)?;
        self.bodies[index].dof = dof;
        self.bodies[index].weld = if dof > 0 { index } else { self.bodies[parent].weld };
        if element.get("mocap") == Some("true") {
            let sentence = "a mocap body stands still: nothing but a simulator's user moves it";
            self.notes.add(sentence.to_owned(), || element.place());
        }
        let mut inertial = content.inertial.clone();
        if inertial::is_summed(compiler, inertial.is_some()) {
            match inertial::summed(&content.geoms, compiler)? {
                Ok(summed) => inertial = summed.or(inertial),
                Err(why) => {
                    self.notes.add(format!("the mass of body \"{link}\" is unknown: {why}"), || element.place());
                }
            }
        }
        self.note_alignment(&content, compiler)?;
        self.link(element.line, link, &content.geoms, inertial::repaired(inertial, compiler), index)?;
        self.below(content.bodies, index)
    }

    /// MuJoCo can turn the frame of a free body into its principal axes of inertia. Ours stays where it is written.
    fn note_alignment(&mut self, content: &Content<'_>, compiler: &Compiler) -> Result<()> {
        let free = content.joints.iter().find(|joint| joint.kind == MjcfJointKind::Free && content.bodies.is_empty());
        if let Some(free) = free
            && free.given.element.plain().flag("align")?.unwrap_or(compiler.align_free)
        {
            let sentence = "a free joint is not aligned with the inertia of its body, which keeps its frame";
            self.notes.add(sentence.to_owned(), || free.given.element.place());
        }
        Ok(())
    }

    /// Sorts the elements of a body, walking into frames.
    fn gather(&mut self, children: &'a [Element], scope: ElementScope<'a>, content: &mut Content<'a>) -> Result<()> {
        for child in children {
            // An attached element has the settings and classes of its own document.
            let scope = if child.document == scope.document {
                scope
            } else {
                ElementScope { document: child.document, class: None, ..scope }
            };
            let document = &self.documents.all[scope.document];
            let given = || document.classes.of(child, scope.class);
            match child.tag.as_str() {
                "joint" => content.joints.push(MjcfJoint::read(given()?, &document.compiler, &scope.body_from_frame)?),
                "freejoint" => {
                    content.joints.push(MjcfJoint::read(child.plain(), &document.compiler, &scope.body_from_frame)?);
                }
                "geom" => content.geoms.push(Geom::read(given()?, document, &scope.body_from_frame)?),
                "inertial" => {
                    content.inertial = Some(inertial::stated(child, &document.compiler, &scope.body_from_frame)?);
                }
                "body" => content.bodies.push((child, scope)),
                "frame" => self.frame(child, scope, content)?,
                "composite" | "flexcomp" => {
                    let what = format!("<{}> is not supported: it makes bodies and joints of a deformable", child.tag);
                    return Err(child.error(what));
                }
                silent if IGNORED_IN_BODIES.contains(&silent) => {}
                other => self.notes.add(format!("<{other}> in a body is not used"), || child.place()),
            }
        }
        Ok(())
    }

    fn frame(&mut self, element: &'a Element, scope: ElementScope<'a>, content: &mut Content<'a>) -> Result<()> {
        for name in ["scale", "massscale"] {
            if element.plain().list(name)?.is_some_and(|factors| factors.iter().any(|factor| *factor != 1.0)) {
                return Err(element.error(format!("attribute \"{name}\" of a frame is not supported")));
            }
        }
        let compiler = &self.documents.all[scope.document].compiler;
        let parent_from_frame = frame::pose(&element.plain(), compiler)?;
        let inner = ElementScope {
            class: element.get("childclass").or(scope.class),
            body_from_frame: Pose(scope.body_from_frame.0 * parent_from_frame.0),
            ..scope
        };
        self.gather(&element.children, inner, content)
    }

    /// The joints between a body and its parent; gives the degrees of freedom.
    fn connect(&mut self, element: &Element, body: usize, joints: &[MjcfJoint<'a>], pose: &Pose) -> Result<usize> {
        check_joints(element, joints, self.bodies[body].parent == 0)?;
        let link = self.bodies[body].link.clone();
        let mut parent = self.bodies[self.bodies[body].parent].link.clone();
        let mut parent_from_body = *pose;
        let mut dof = 0;
        for (position, joint) in joints.iter().enumerate() {
            let name = self.names.joint(joint.given.element);
            let is_last = position + 1 == joints.len() && joint.anchor == Vector3::zeros();
            let child = if is_last { link.clone() } else { self.massless(element.line, &format!("{link}/{name}")) };
            let anchor = Pose(Translation3::from(joint.anchor).into());
            let parent_from_joint = Pose(parent_from_body.0 * anchor.0);
            check_finite(element, &parent_from_joint)?;
            dof += self.motion(joint, &name, (&parent, &child), parent_from_joint);
            let (kind, reference) = (joint.kind, joint.reference);
            self.coordinates.push(Coordinate { name, kind, reference, world_from_body: *pose });
            parent_from_body = Pose(anchor.0.inverse());
            parent = child;
        }
        if parent != link {
            check_finite(element, &parent_from_body)?;
            let name = self.names.unused_joint(&format!("{link}/fixed"));
            self.joints.push(JointDescription {
                line: element.line,
                name,
                joint_type: JointType::Fixed,
                parent,
                child: link,
                parent_from_joint: parent_from_body,
                axis: Vector3::x_axis(),
                limits: None,
                mimic: None,
                dynamics: JointDynamics::default(),
            });
        }
        Ok(dof)
    }

    /// One joint of MuJoCo, as one or several of ours; gives the degrees of freedom.
    fn motion(&mut self, joint: &MjcfJoint<'_>, name: &str, (parent, child): (&str, &str), at: Pose) -> usize {
        let line = joint.given.element.line;
        if joint.has_nonlinear_damping {
            let sentence = "of a damping that is a polynomial of the speed the linear part alone is used";
            self.notes.add(sentence.to_owned(), || joint.given.element.place());
        }
        let motion = match joint.kind {
            MjcfJointKind::Hinge | MjcfJointKind::Slide => {
                self.joints.push(JointDescription {
                    line,
                    name: name.to_owned(),
                    joint_type: joint.joint_type(),
                    parent: parent.to_owned(),
                    child: child.to_owned(),
                    parent_from_joint: Pose(at.0 * joint.zero().0),
                    axis: joint.axis,
                    limits: Some(joint.limits),
                    mimic: None,
                    dynamics: joint.dynamics,
                });
                return 1;
            }
            MjcfJointKind::Ball => MultiDof::Ball,
            MjcfJointKind::Free => MultiDof::Floating,
        };
        if joint.is_limited {
            let sentence = "the limit of a ball joint is not used: it bounds no single coordinate";
            self.notes.add(sentence.to_owned(), || joint.given.element.place());
        }
        let series =
            MultiDofJoint { line, name, parent, child, parent_from_joint: at, motion, dynamics: joint.dynamics };
        let (links, joints) = series.expand();
        let dof = joints.len();
        self.links.extend(links);
        self.joints.extend(joints);
        dof
    }

    fn massless(&mut self, line: u32, name: &str) -> String {
        let name = self.names.link(name);
        self.links.push(LinkDescription {
            line,
            name: name.clone(),
            inertial: None,
            visuals: Vec::new(),
            collisions: Vec::new(),
        });
        name
    }

    /// The link of a body with its shapes.
    fn link(
        &mut self,
        line: u32,
        name: String,
        geoms: &[Geom<'_>],
        inertial: Option<Inertial>,
        body: usize,
    ) -> Result<()> {
        let (mut visuals, mut collisions, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for geom in geoms {
            let Some(geometry) = geom.geometry()? else {
                let what = if geom.kind == GeomKind::Plane { "plane" } else { "height field" };
                self.notes.add(format!("a {what} is not part of the robot; add it to the scene"), || geom.place());
                continue;
            };
            let is_paired = geom.name().is_some_and(|name| self.paired_geoms.iter().any(|paired| paired == name));
            if let (true, Some(name)) = (is_paired, geom.name()) {
                self.geom_bodies.push((name.to_owned(), body));
            }
            if geom.collides || is_paired {
                if geom.group < FIRST_HIDDEN_GROUP {
                    shown.push(geometry.clone());
                }
                collisions.push(geometry);
            } else {
                visuals.push(geometry);
            }
        }
        // Where nothing is there only to be seen, what collides is seen.
        if visuals.is_empty() {
            visuals = shown;
        }
        self.links.push(LinkDescription { line, name, inertial, visuals, collisions });
        Ok(())
    }
}

fn check_joints(element: &Element, joints: &[MjcfJoint<'_>], is_top: bool) -> Result<()> {
    let Some(free) = joints.iter().find(|joint| joint.kind == MjcfJointKind::Free) else { return Ok(()) };
    if !is_top {
        return Err(free.given.error("a free joint is allowed in children of the world only"));
    }
    if joints.len() > 1 {
        return Err(element.error("a body with a free joint can have no other joint"));
    }
    Ok(())
}

fn check_finite(element: &Element, pose: &Pose) -> Result<()> {
    pose.check_finite("pose").map_err(|_| element.error("the pose is beyond the range of numbers"))
}
