//! Sizes of links beside each other and beside the joints: millimetres read as metres.

use kinetic_scene::geometry::LinkGeometry;
use nalgebra::Vector3;

use super::{Check, Level, Report, Subject};

pub(super) const CHECK: Check =
    Check { id: "sizes", summary: "links or robots whose size says that a unit was mistaken", run };

/// Links of one robot differ less than this from the middle one: fingertips and torsos.
const MAX_SIZE_RATIO: f64 = 100.0;

/// A robot's largest link, m: from a finger to a crane.
const LARGEST_LINK: (f64, f64) = (0.005, 20.0);

/// The box around the shapes of a link, in the link's frame, m.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl Extent {
    pub(super) fn diagonal(&self) -> f64 {
        (self.upper - self.lower).norm()
    }

    pub(super) fn volume(&self) -> f64 {
        (self.upper - self.lower).product()
    }

    /// Distance of a point, 0 inside.
    pub(super) fn distance(&self, point: &Vector3<f64>) -> f64 {
        (self.lower - point).sup(&(point - self.upper)).map(|value| value.max(0.0)).norm()
    }
}

/// `None` for a link without shapes.
pub(super) fn extent(link: &LinkGeometry) -> Option<Extent> {
    let mut whole: Option<Extent> = None;
    for (piece, link_from_piece) in link.pieces() {
        let farthest = |direction: Vector3<f64>| {
            let local = link_from_piece.0.rotation.inverse_transform_vector(&direction);
            (link_from_piece.0 * piece.support(&local)).coords.dot(&direction)
        };
        let upper = Vector3::from_fn(|axis, _| farthest(Vector3::ith(axis, 1.0)));
        let lower = Vector3::from_fn(|axis, _| -farthest(Vector3::ith(axis, -1.0)));
        whole = Some(whole.map_or(Extent { lower, upper }, |whole| Extent {
            lower: whole.lower.inf(&lower),
            upper: whole.upper.sup(&upper),
        }));
    }
    whole
}

fn run(subject: &Subject<'_>, report: &mut Report) {
    let Ok(scene) = &subject.scene else { return };
    let links = scene.geometry().links();
    let sizes: Vec<(usize, f64)> = links
        .iter()
        .enumerate()
        .filter_map(|(index, link)| extent(link).map(|extent| (index, extent.diagonal())))
        .collect();
    let mut ordered: Vec<f64> = sizes.iter().map(|(_, size)| *size).collect();
    ordered.sort_by(f64::total_cmp);
    let (Some(largest), Some(middle)) = (ordered.last(), ordered.get(ordered.len() / 2)) else { return };
    if *largest < LARGEST_LINK.0 || *largest > LARGEST_LINK.1 {
        let message = format!("its largest link measures {largest:.4} m; are these metres?");
        CHECK.add(report, Level::Warning, &*subject.robot.name, message);
    }
    for (link, size) in &sizes {
        let ratio = (size / middle).max(middle / size);
        if ratio > MAX_SIZE_RATIO {
            let message = format!(
                "measures {size:.4} m where the robot's middle link measures {middle:.4} m; millimetres in place of metres?"
            );
            CHECK.add(report, Level::Warning, subject.link(*link), message);
        }
    }
}
