//! The frame graph: the pose of every named frame, and the link that it moves with.
//!
//! Two trees over the same frames: `base` says what a pose is relative to, `carrier` what a frame moves with. The
//! frame of a model stands in the scope that the model is nested in; the outermost base is the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result};

/// Where something was read.
#[derive(Debug, Clone)]
pub(super) struct FramePlace {
    pub(super) file: Arc<str>,
    pub(super) line: u32,
}

impl FramePlace {
    pub(super) fn error(&self, detail: String) -> KineticError {
        super::fault(self.file.to_string(), self.line, detail)
    }
}

/// The world's frame.
pub(super) const WORLD_FRAME: usize = 0;

/// The name of a model's own frame inside the model.
pub(super) const OWN: &str = "__model__";

/// Most names that an error lists.
const MOST_LISTED_NAMES: usize = 12;

/// A name to be looked up when all names are known.
#[derive(Debug, Clone)]
pub(super) enum Reference {
    SdfFrame(usize),
    Name { scope: usize, name: String },
}

/// A frame: of a link, a joint, a model, or by itself.
#[derive(Debug)]
pub(super) struct SdfFrame {
    pub(super) place: FramePlace,
    /// What it is, for errors: `link "arm::hand"`.
    pub(super) label: String,
    pub(super) base: Reference,
    pub(super) pose_in_base: Pose,
    pub(super) carrier: Carrier,
    /// For a model: the frame inside that the pose places, instead of the model's own.
    pub(super) placement: Option<Reference>,
}

/// What a frame moves with.
#[derive(Debug, Clone)]
pub(super) enum Carrier {
    World,
    /// The link with this index.
    Link(usize),
    /// The same as another frame.
    Same(Reference),
    /// Nothing: a model without links.
    Nothing,
}

/// The names of one model.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) frames: BTreeMap<String, usize>,
    pub(super) models: BTreeMap<String, usize>,
    /// Frame called `__model__`.
    pub(super) own: usize,
}

#[derive(Debug)]
pub(super) struct Frames {
    pub(super) frames: Vec<SdfFrame>,
    pub(super) scopes: Vec<Scope>,
}

impl Default for Frames {
    /// A world and nothing in it.
    fn default() -> Self {
        let world = SdfFrame {
            place: FramePlace { file: "".into(), line: 0 },
            label: "world".to_owned(),
            base: Reference::SdfFrame(WORLD_FRAME),
            pose_in_base: Pose::identity(),
            carrier: Carrier::World,
            placement: None,
        };
        Self { frames: vec![world], scopes: vec![Scope::default()] }
    }
}

impl Frames {
    pub(super) fn add(&mut self, frame: SdfFrame) -> usize {
        self.frames.push(frame);
        self.frames.len() - 1
    }

    /// The frame that a reference means; `asker` is the frame whose place errors name.
    pub(super) fn find(&self, reference: &Reference, place: &FramePlace, asker: &str) -> Result<usize> {
        let (mut scope, name) = match reference {
            Reference::SdfFrame(frame) => return Ok(*frame),
            Reference::Name { scope, name } => (*scope, name.as_str()),
        };
        let mut rest = name;
        loop {
            let here = &self.scopes[scope];
            if rest == OWN {
                return Ok(here.own);
            }
            if let Some(frame) = here.frames.get(rest) {
                return Ok(*frame);
            }
            if rest == "world" {
                return Ok(WORLD_FRAME);
            }
            // A nested model's name may itself contain "::", as flattened files have it: the longest wins.
            let nested = here.models.iter().rev().find_map(|(model, inner)| {
                rest.strip_prefix(model.as_str())?.strip_prefix("::").map(|rest| (*inner, rest))
            });
            match nested {
                Some(found) => (scope, rest) = found,
                None => return Err(self.unknown(scope, name, place, asker)),
            }
        }
    }

    fn unknown(&self, scope: usize, name: &str, place: &FramePlace, asker: &str) -> KineticError {
        let known: Vec<&str> = self.scopes[scope].frames.keys().map(String::as_str).collect();
        let more = if known.len() > MOST_LISTED_NAMES { ", …" } else { "" };
        let known = known[..known.len().min(MOST_LISTED_NAMES)].join(", ");
        place.error(format!("{asker}: no frame \"{name}\"; known here are {known}{more}"))
    }

    /// Pose of every frame in the world.
    pub(super) fn poses(&mut self) -> Result<Vec<Pose>> {
        let bases = self.bases()?;
        self.apply_placements(&bases)?;
        let mut known: Vec<Option<Pose>> = vec![None; self.frames.len()];
        known[WORLD_FRAME] = Some(Pose::identity());
        for start in 0..self.frames.len() {
            let way = self.way(&bases, start, "relative to", |frame| known[frame].is_some())?;
            let mut last = way.last().map_or(start, |frame| bases[*frame]);
            for frame in way.into_iter().rev() {
                let base = known[last].unwrap_or_default();
                known[frame] = Some(base * self.frames[frame].pose_in_base);
                last = frame;
            }
        }
        Ok(known.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn bases(&self) -> Result<Vec<usize>> {
        self.frames.iter().map(|frame| self.find(&frame.base, &frame.place, &frame.label)).collect()
    }

    /// Frames from `start` upwards, up to where `stop` holds; `stop` itself is not among them.
    fn way(&self, next: &[usize], start: usize, what: &str, stop: impl Fn(usize) -> bool) -> Result<Vec<usize>> {
        let mut way = Vec::new();
        let mut frame = start;
        while !stop(frame) {
            way.push(frame);
            frame = next[frame];
            if way.len() > self.frames.len() {
                return Err(self.cycle(next, frame, what));
            }
        }
        Ok(way)
    }

    /// Models whose pose is that of a frame inside them. The innermost come last in the list, so they go first.
    fn apply_placements(&mut self, bases: &[usize]) -> Result<()> {
        for model in (0..self.frames.len()).rev() {
            let Some(placement) = self.frames[model].placement.take() else {
                continue;
            };
            let inside = self.find(&placement, &self.frames[model].place, &self.frames[model].label)?;
            let way = self.way(bases, inside, "relative to", |frame| frame == model || frame == WORLD_FRAME)?;
            if way.last().is_some_and(|top| bases[*top] != model) {
                let detail = format!("{}: its placement frame is not inside it", self.frames[model].label);
                return Err(self.frames[model].place.error(detail));
            }
            let model_from_inside =
                way.iter().rev().fold(Pose::identity(), |pose, frame| pose * self.frames[*frame].pose_in_base);
            let frame = &mut self.frames[model];
            frame.pose_in_base = frame.pose_in_base * model_from_inside.inverse();
        }
        Ok(())
    }

    /// What every frame moves with in the end.
    pub(super) fn carriers(&self) -> Result<Vec<Carrier>> {
        let mut next: Vec<usize> = (0..self.frames.len()).collect();
        let mut known: Vec<Option<Carrier>> = vec![None; self.frames.len()];
        for (index, frame) in self.frames.iter().enumerate() {
            match &frame.carrier {
                Carrier::Same(other) => next[index] = self.find(other, &frame.place, &frame.label)?,
                end => known[index] = Some(end.clone()),
            }
        }
        for start in 0..self.frames.len() {
            let way = self.way(&next, start, "attached to", |frame| known[frame].is_some())?;
            let end = way.last().map_or(start, |frame| next[*frame]);
            let carrier = known[end].clone();
            for frame in way {
                known[frame].clone_from(&carrier);
            }
        }
        Ok(known.into_iter().map(|carrier| carrier.unwrap_or(Carrier::World)).collect())
    }

    /// Names the frames of a cycle, the first of the file first.
    fn cycle(&self, next: &[usize], inside: usize, what: &str) -> KineticError {
        let mut cycle = vec![inside];
        while let Some(frame) = cycle.last().map(|last| next[*last]).filter(|frame| *frame != inside) {
            cycle.push(frame);
        }
        let first = (0..cycle.len()).min_by_key(|position| cycle[*position]).unwrap_or_default();
        cycle.rotate_left(first);
        let labels: Vec<&str> =
            cycle.iter().take(MOST_LISTED_NAMES).map(|frame| self.frames[*frame].label.as_str()).collect();
        let circle = labels.join(&format!(" {what} "));
        self.frames[cycle[0]].place.error(format!("frames go round in a circle: {circle} {what} {}", labels[0]))
    }
}
