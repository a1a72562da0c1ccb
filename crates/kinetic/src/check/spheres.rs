//! Covering spheres beside the convex pieces that they cover.

use kinetic_scene::geometry::LinkGeometry;

use super::sizes::extent;
use super::{Check, Level, LinkFigures, Report, Subject};

pub(super) const CHECK: Check =
    Check { id: "spheres", summary: "covering spheres that stand far out of the shapes they cover", run };

/// Excess above half of a link's size makes its spheres useless.
const MAX_EXCESS_RATIO: f64 = 0.5;

fn run(subject: &Subject<'_>, report: &mut Report) {
    let Ok(scene) = &subject.scene else { return };
    for (index, link) in scene.geometry().links().iter().enumerate() {
        let Some(extent) = extent(link) else { continue };
        let (size, excess) = (extent.diagonal(), excess(link));
        if excess > MAX_EXCESS_RATIO * size {
            let message =
                format!("spheres stand {:.0} mm out of shapes that measure {:.0} mm", excess * 1e3, size * 1e3);
            CHECK.add(report, Level::Warning, subject.link(index), message);
        }
        let (pieces, spheres) = (link.pieces().len(), link.spheres.len());
        report.links.push(LinkFigures { link: subject.link(index).to_owned(), size, pieces, spheres, excess });
    }
}

/// How far points of the spheres lie outside of the pieces, at most, m. For one convex piece and a sphere this is the
/// signed distance of the centre plus the radius; with several pieces the nearest gives a bound.
fn excess(link: &LinkGeometry) -> f64 {
    let of_sphere = |sphere: &kinetic_collision::Sphere| {
        let distance = |(piece, link_from_piece): &(std::sync::Arc<kinetic_collision::Body>, kinetic_core::Pose)| {
            piece.signed_distance(&link_from_piece.0.inverse_transform_point(&sphere.center))
        };
        sphere.radius + link.pieces().iter().map(distance).fold(f64::INFINITY, f64::min)
    };
    if link.spheres_are_exact { 0.0 } else { link.spheres.iter().map(of_sphere).fold(0.0, f64::max) }
}
