//! Closed-form covers of boxes and cylinders: slabs across an axis, each covered by equal balls around the parts of its
//! cross-section.
//!
//! Let every point of the cross-section be within `reach` of a centre, and every centre `depth` inside of it. Balls of
//! radius `√(reach² + z²)` cover a slab of half-height `z`. In the middle of the stack they reach at most the radius
//! less `depth` beyond the solid, in the slabs at its ends at most the radius less the smaller of `depth` and `z`. An
//! excess therefore determines how thick slabs may be, and so their number.

use std::f64::consts::PI;

use kinetic_core::Shape;
use nalgebra::{Isometry3, Point3};

use super::{SphereGenConfig, capsule};
use crate::ball::Sphere;
use crate::tolerance::RADIUS_ROUNDING_M;

/// Halvings of the search for the least excess of a count.
const EXCESS_BISECTIONS: usize = 24;
/// Rings of balls around the axis of a cylinder, and how many distances from it are tried.
const RINGS_PER_CYLINDER: std::ops::RangeInclusive<u32> = 3..=8;
const RING_DISTANCES_TRIED: u32 = 12;

/// True when each shape has a closed form and the budget has one sphere for each.
pub(super) fn has_closed_form(shapes: &[(Isometry3<f64>, &Shape)], most: usize) -> bool {
    let is_form = |shape: &Shape| {
        matches!(shape, Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Cylinder { .. } | Shape::Capsule { .. })
    };
    shapes.len() <= most && shapes.iter().all(|(_, shape)| is_form(shape))
}

/// Spheres that contain all shapes, when each has a closed form and the budget has one sphere for each.
pub(super) fn cover(shapes: &[(Isometry3<f64>, &Shape)], config: &SphereGenConfig) -> Option<Vec<Sphere>> {
    let SphereGenConfig { max_spheres, target_excess } = *config;
    if !has_closed_form(shapes, max_spheres) {
        return None;
    }
    let forms: Vec<Form> =
        shapes.iter().map(|(pose, shape)| Form::new(pose, shape, max_spheres)).collect::<Option<_>>()?;
    let all = |excess: f64, most: usize| {
        let covers = forms.iter().map(|form| form.cover(excess, most)).collect::<Option<Vec<_>>>()?;
        Some(covers.concat()).filter(|spheres| spheres.len() <= most)
    };
    let most = all(target_excess, max_spheres).map_or(max_spheres, |spheres| spheres.len());
    let (mut low, mut high) = (0.0, forms.iter().map(|form| form.radius).fold(0.0, f64::max));
    let mut best = all(high, most)?;
    for _ in 0..EXCESS_BISECTIONS {
        let middle = 0.5 * (low + high);
        match all(middle, most) {
            Some(spheres) => (high, best) = (middle, spheres),
            None => low = middle,
        }
    }
    Some(best)
}

/// A shape that has a closed form.
struct Form {
    link_from_shape: Isometry3<f64>,
    /// Radius of its bounding sphere.
    radius: f64,
    kind: StackKind,
}

enum StackKind {
    Ball,
    Capsule {
        radius: f64,
        half_height: f64,
    },
    /// Stacks in several directions.
    Stacks(Vec<Stack>),
}

impl Form {
    fn new(link_from_shape: &Isometry3<f64>, shape: &Shape, most: usize) -> Option<Self> {
        let (radius, kind) = match shape {
            Shape::Sphere { radius } => (*radius, StackKind::Ball),
            Shape::Capsule { radius, half_height } => {
                (radius + half_height, StackKind::Capsule { radius: *radius, half_height: *half_height })
            }
            Shape::Cylinder { radius, half_height } => {
                let stack = Stack { axes: [0, 1, 2], half_height: *half_height, sections: discs(*radius) };
                (radius.hypot(*half_height), StackKind::Stacks(vec![stack]))
            }
            Shape::Cuboid { half_extents } => {
                let stack = |axes: [usize; 3]| {
                    let [x, y, z] = axes.map(|axis| half_extents[axis]);
                    Stack { axes, half_height: z, sections: rectangles(x, y, most) }
                };
                (half_extents.norm(), StackKind::Stacks([[0, 1, 2], [1, 2, 0], [2, 0, 1]].map(stack).into()))
            }
            _ => return None,
        };
        Some(Self { link_from_shape: *link_from_shape, radius, kind })
    }

    /// Few balls, `most` of them, that reach no farther beyond the shape than `excess`.
    fn cover(&self, excess: f64, most: usize) -> Option<Vec<Sphere>> {
        let balls = match &self.kind {
            StackKind::Ball => vec![Sphere::new(Point3::origin(), self.radius)],
            StackKind::Capsule { radius, half_height } => {
                let balls = (1..=most).map(|count| capsule::balls(*radius, *half_height, count));
                balls.into_iter().find(|balls| balls[0].radius - radius <= excess)?
            }
            StackKind::Stacks(stacks) => {
                let layouts = stacks.iter().filter_map(|stack| Some((stack.layout(excess)?, stack.axes)));
                let (layout, axes) = layouts.min_by_key(|(layout, _)| layout.count())?;
                layout.balls(axes)
            }
        };
        let placed = |ball: Sphere| Sphere::new(self.link_from_shape * ball.center, ball.radius + RADIUS_ROUNDING_M);
        Some(balls.into_iter().map(placed).collect())
    }
}

/// Equal balls in a cross-section.
#[derive(Debug, Clone)]
struct Section {
    centers: Vec<[f64; 2]>,
    /// Every point of the cross-section is within this of a centre.
    reach: f64,
    /// Every centre is this far inside of it.
    depth: f64,
}

impl Section {
    /// Largest half-height of slabs in the middle.
    fn thickest(&self, excess: f64) -> Option<f64> {
        let square = (excess + self.depth).powi(2) - self.reach * self.reach;
        (square > 0.0).then(|| square.sqrt())
    }

    /// True when balls in a slab of half-height `half` with their centres `from_end` from an end of the stack stay within
    /// an excess.
    fn is_within(&self, excess: f64, half: f64, from_end: f64) -> bool {
        self.reach.hypot(half) <= excess + self.depth.min(from_end)
    }
}

/// The cross-sections of a disc: a ball on the axis, or rings of balls with and without one.
fn discs(radius: f64) -> Vec<Section> {
    let mut sections = vec![Section { centers: vec![[0.0; 2]], reach: radius, depth: radius }];
    for (count, step) in RINGS_PER_CYLINDER.flat_map(|count| (1..RING_DISTANCES_TRIED).map(move |step| (count, step))) {
        let away = radius * f64::from(step) / f64::from(RING_DISTANCES_TRIED);
        let (sine, cosine) = (PI / f64::from(count)).sin_cos();
        // The corner of a ball's sector on the rim.
        let rim = (radius * cosine - away).hypot(radius * sine);
        let ring = (0..count).map(|index| 2.0 * PI * f64::from(index) / f64::from(count));
        let mut centers: Vec<[f64; 2]> = ring.map(|angle| [away * angle.cos(), away * angle.sin()]).collect();
        let section =
            |centers: &[[f64; 2]], reach: f64| Section { centers: centers.to_vec(), reach, depth: radius - away };
        sections.push(section(&centers, rim.max(away)));
        // A ball on the axis takes the inner corners of the sectors off.
        centers.push([0.0; 2]);
        sections.push(section(&centers, rim.max(0.5 * away / cosine)));
    }
    sections
}

/// The cross-sections of a rectangle: a ball around each of its equal parts, up to `most`.
fn rectangles(x: f64, y: f64, most: usize) -> Vec<Section> {
    let mut sections = Vec::new();
    for columns in 1..=most {
        for rows in 1..=most / columns {
            let (u, v) = (x / columns as f64, y / rows as f64);
            let place = |index: usize, half: f64, whole: f64| (2 * index + 1) as f64 * half - whole;
            let center = |index: usize| [place(index % columns, u, x), place(index / columns, v, y)];
            let centers = (0..columns * rows).map(center).collect();
            sections.push(Section { centers, reach: u.hypot(v), depth: u.min(v) });
        }
    }
    sections
}

/// A solid of one cross-section.
struct Stack {
    /// The axes of the cross-section, then the axis of the stack.
    axes: [usize; 3],
    half_height: f64,
    sections: Vec<Section>,
}

/// One or two slabs as ends, and equal ones between them.
struct Layout<'a> {
    ends: usize,
    end: &'a Section,
    half_of_end: f64,
    slabs: usize,
    slab: &'a Section,
    half_of_slab: f64,
}

impl Stack {
    /// Slabs with few balls that stay within an excess.
    fn layout(&self, excess: f64) -> Option<Layout<'_>> {
        let thickest = |section| Section::thickest(section, excess).map(|half| (section, half));
        let all: Vec<(&Section, f64)> = self.sections.iter().filter_map(thickest).collect();
        let ends = best(all.iter().copied().filter(|(section, half)| section.is_within(excess, *half, *half)));
        let slabs = best(all.iter().copied());
        let between = ends.iter().flat_map(|end| slabs.iter().filter_map(|slab| self.between(excess, *end, *slab)));
        let equal =
            all.iter().flat_map(|section| [1, 2].into_iter().filter_map(|count| self.equal(excess, *section, count)));
        equal.chain(between).min_by_key(Layout::count)
    }

    /// One or two slabs alone.
    fn equal<'a>(&self, excess: f64, (section, thickest): (&'a Section, f64), ends: usize) -> Option<Layout<'a>> {
        let half = self.half_height / ends as f64;
        let layout = Layout { ends, end: section, half_of_end: half, slabs: 0, slab: section, half_of_slab: 0.0 };
        (half <= thickest && section.is_within(excess, half, half)).then_some(layout)
    }

    /// Two slabs as ends and others between them.
    #[expect(clippy::cast_sign_loss, reason = "a quotient of positive lengths")]
    fn between<'a>(
        &self,
        excess: f64,
        (end, half_of_end): (&'a Section, f64),
        (slab, thickest): (&'a Section, f64),
    ) -> Option<Layout<'a>> {
        let rest = self.half_height - 2.0 * half_of_end;
        let slabs = (rest / thickest).ceil().max(0.0) as usize;
        let half_of_slab = rest / slabs as f64;
        let layout = Layout { ends: 2, end, half_of_end, slabs, slab, half_of_slab };
        (slabs > 0 && slab.is_within(excess, half_of_slab, 2.0 * half_of_end + half_of_slab)).then_some(layout)
    }
}

/// The section with the thickest slabs, of those with equally many spheres.
fn best<'a>(sections: impl Iterator<Item = (&'a Section, f64)>) -> Vec<(&'a Section, f64)> {
    let mut best: Vec<(&Section, f64)> = Vec::new();
    for (section, half) in sections {
        match best.iter_mut().find(|(known, _)| known.centers.len() == section.centers.len()) {
            Some(known) if known.1 < half => *known = (section, half),
            Some(_) => {}
            None => best.push((section, half)),
        }
    }
    best
}

impl Layout<'_> {
    fn count(&self) -> usize {
        self.ends * self.end.centers.len() + self.slabs * self.slab.centers.len()
    }

    /// Balls in a solid whose axes are numbered as those of the stack are.
    fn balls(&self, axes: [usize; 3]) -> Vec<Sphere> {
        let middle = self.half_of_slab * self.slabs as f64;
        let outer = (self.ends - 1) as f64 * (middle + self.half_of_end);
        let ends = [-outer, outer].into_iter().take(self.ends).map(|height| (self.end, height, self.half_of_end));
        let height = |index: usize| (2 * index + 1) as f64 * self.half_of_slab - middle;
        let slabs = (0..self.slabs).map(|index| (self.slab, height(index), self.half_of_slab));
        let ball = |section: &Section, [x, y]: [f64; 2], z: f64, half: f64| {
            let mut center = Point3::origin();
            for (axis, value) in axes.into_iter().zip([x, y, z]) {
                center[axis] = value;
            }
            Sphere::new(center, section.reach.hypot(half))
        };
        let of_slab = |(section, z, half): (&Section, f64, f64)| -> Vec<Sphere> {
            section.centers.iter().map(|center| ball(section, *center, z, half)).collect()
        };
        ends.chain(slabs).flat_map(of_slab).collect()
    }
}
