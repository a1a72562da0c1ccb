//! MJCF, the format of MuJoCo.
//!
//! Read as <https://mujoco.readthedocs.io/en/stable/XMLreference.html> describes it, and compared with MuJoCo itself by
//! the tests. The passes:
//!
//! 1. [`read`]: XML to elements, `<include>` carried out;
//! 2. [`document`]: settings, classes of defaults and meshes of a document; [`meta`]: `<replicate>` and `<attach>`;
//! 3. [`tree`]: bodies, joints and geoms to links, joints and shapes;
//! 4. [`actuator`], [`equality`], [`contact`], [`keyframe`]: what refers to the tree.

mod actuator;
mod assets;
mod attach;
mod compiler;
mod contact;
mod defaults;
mod document;
mod element;
mod equality;
mod frame;
mod geom;
mod inertial;
mod joint;
mod keyframe;
mod load;
mod mass;
mod mesh_mass;
mod meta;
mod names;
mod read;
mod tree;

use kinetic_core::{KineticError, Result};

use self::contact::Unchecked;
use self::document::Documents;
use self::element::Element;
use self::keyframe::Key;
use self::tree::BodyTree;
use crate::description::{Description, LinkDescription};
use crate::mesh::MeshResolver;
use crate::notes::Notes;

/// Sections that are not about shape, motion or mass, and that no note needs to mention.
const IGNORED_IN_DOCUMENTS: [&str; 12] = [
    "actuator",
    "compiler",
    "default",
    "asset",
    "option",
    "size",
    "visual",
    "statistic",
    "custom",
    "keyframe",
    "include",
    "lengthrange",
];

/// What a document says about a robot.
struct MjcfModel {
    description: Description,
    unchecked: Vec<Unchecked>,
    keys: Vec<Key>,
}

fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::MjcfParse { file, line, detail }
}

/// Reads a document; `file` names it in errors.
fn parse(text: &str, file: &str, resolver: &MeshResolver) -> Result<MjcfModel> {
    let mut documents = Documents::default();
    documents.read(text, file, resolver)?;
    let main = &documents.all[0];
    let mut tree = BodyTree::read(&documents)?;
    actuator::apply(&mut tree, &main.root, &main.classes, &main.compiler)?;
    equality::apply(&mut tree, &main.references)?;
    let unchecked = contact::unchecked(&mut tree, main);
    note_sections(&main.root, &mut tree.notes);
    let keys = keyframe::read(&main.root, &tree.coordinates, &mut tree.notes)?;
    let mut links = tree.links;
    scale_to(&mut links, main.compiler.total_mass);
    let name = main.root.get("model").filter(|name| !name.is_empty()).unwrap_or("MuJoCo Model").to_owned();
    let (file, notes) = (file.to_owned(), tree.notes.sentences());
    let description = Description { name, file, links, joints: tree.joints, notes, fault };
    Ok(MjcfModel { description, unchecked, keys })
}

/// One note per section that is not used.
fn note_sections(root: &Element, notes: &mut Notes) {
    for section in root.children.iter().filter(|section| !IGNORED_IN_DOCUMENTS.contains(&section.tag.as_str())) {
        let count = section.children.len();
        if count > 0 {
            let sentence = format!("section <{}> with {count} element(s) is not used", section.tag);
            notes.add(sentence, || section.place());
        }
    }
}

/// Scales all masses so that the robot's is `total`, kg; nothing for 0 or less.
fn scale_to(links: &mut [LinkDescription], total: f64) {
    let mass: f64 = links.iter().filter_map(|link| link.inertial.as_ref()).map(|inertial| inertial.mass).sum();
    if total <= 0.0 || mass <= 0.0 {
        return;
    }
    for inertial in links.iter_mut().filter_map(|link| link.inertial.as_mut()) {
        inertial.mass *= total / mass;
        inertial.inertia *= total / mass;
    }
}
