//! Cartesian paths: moves of the tool one after the other, with blend radii between them.
//!
//! A path is a value without a beginning: relative moves and arcs begin where the tool is. [`CartesianPath::from_start`] makes a
//! [`ToolPath`] of it. Lines, circles through a via point and blends are those of industrial controllers (LIN, CIRC and the
//! blend radius of MoveIt's Pilz planner), with the orientation at the via point met as well.

use std::f64::consts::TAU;

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Pose, Result};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::tool_path::{Arc, Growing, METRES_PER_RADIAN, SAME_POSE_M, ToolPath};

/// Three points whose triangle is flatter than this (sine of the angle at the first) have no circle.
const COLLINEAR_SINE: f64 = 1e-6;

/// A vector that is shorter than this has no direction.
const SHORTEST_DIRECTION: f64 = 1e-9;

/// A goal or offset at this distance inside the segment beside it is one that fits, m: rounding of lengths.
const RADIUS_ROUNDING_M: f64 = 1e-9;

/// The frame in which a relative move is expressed.
#[derive(Debug, Clone, PartialEq)]
pub enum MoveFrame {
    /// The tool as it is before the move.
    Tool,
    /// The base of the planning group.
    Base,
    /// A frame by name, with the orientation that it has when the path begins: a link of the robot.
    Named(String),
}

/// A move of the tool.
#[derive(Debug, Clone, PartialEq)]
pub enum CartesianMove {
    /// To a pose (`base_from_tool`), the position on a line and the orientation about one axis.
    Line(Pose),
    /// By an offset, on a line. In the tool's frame `base_from_tool · offset`; in others translated by the offset's translation
    /// and turned by its rotation about the tool's own origin, both along the axes of the frame.
    Relative {
        /// What the tool moves by, m.
        offset: Pose,
        /// Whose axes are meant.
        frame: MoveFrame,
    },
    /// On the circle through `via` to `goal`, with the orientations of both.
    Arc {
        /// A pose on the way.
        via: Pose,
        /// Where the arc ends.
        goal: Pose,
    },
    /// On a circle about an axis in the base, the orientation as it was before. By 2π it ends where it began.
    Circle {
        /// A point of the axis, m.
        center: Vector3<f64>,
        /// The direction of the axis.
        axis: Vector3<f64>,
        /// How far, rad, counter-clockwise about the axis.
        angle: f64,
    },
    /// A screw motion (Ball 1900) about an axis in the base: the tool turns with it, and moves along the axis.
    Screw {
        /// A point of the axis, m.
        point: Vector3<f64>,
        /// The direction of the axis.
        axis: Vector3<f64>,
        /// How far, rad.
        angle: f64,
        /// How far along the axis, m.
        advance: f64,
    },
}

/// Moves of the tool one after the other. Between two moves the tool stops, unless a blend radius says how early it may leave
/// the first one.
///
/// ```
/// use kinetic_core::Pose;
/// use kinetic_ik::CartesianPath;
/// let start = Pose::from_xyz(0.4, 0.0, 0.3);
/// let path = CartesianPath::new()
///     .line_to(Pose::from_xyz(0.5, 0.0, 0.3))
///     .blended(0.02)
///     .line_to(Pose::from_xyz(0.5, 0.1, 0.3));
/// assert!((path.from_start(&start)?.length() - 0.2).abs() < 1e-12);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CartesianPath {
    moves: Vec<(CartesianMove, f64)>,
    /// The link in whose frame it is; `None` for the base.
    frame: Option<String>,
}

impl CartesianPath {
    /// No moves yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lines through `poses`, each but the last left within its radius (m); one radius per pose but the last.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for another number of radii.
    pub fn through(poses: &[Pose], radii: &[f64]) -> Result<Self> {
        kinetic_core::error::check_len("blend radii", radii.len(), poses.len().saturating_sub(1))?;
        let radii = radii.iter().copied().chain([0.0]);
        Ok(Self { frame: None, moves: poses.iter().map(|pose| CartesianMove::Line(*pose)).zip(radii).collect() })
    }

    /// The same path in the frame of a link: what is said of the base of its poses, points and axes is meant of that frame. Where
    /// joints of the planning group move the link, a part on a positioner or in the hand of another arm, they move with the arm
    /// that has the tool.
    #[must_use]
    pub fn in_frame(mut self, link: impl Into<String>) -> Self {
        self.frame = Some(link.into());
        self
    }

    /// The link in whose frame the path is; `None` for the base of the planning group.
    pub fn frame(&self) -> Option<&str> {
        self.frame.as_deref()
    }

    /// The path with one more move.
    #[must_use]
    pub fn then(mut self, next: CartesianMove) -> Self {
        self.moves.push((next, 0.0));
        self
    }

    /// The path with the corner after its last move rounded within `radius`, m of the path's length to either side. Position and
    /// orientation are twice continuously differentiable there.
    #[must_use]
    pub fn blended(mut self, radius: f64) -> Self {
        if let Some(last) = self.moves.last_mut() {
            last.1 = radius;
        }
        self
    }

    /// A line to a pose of the tool in the base.
    #[must_use]
    pub fn line_to(self, base_from_tool: Pose) -> Self {
        self.then(CartesianMove::Line(base_from_tool))
    }

    /// A line by an offset.
    #[must_use]
    pub fn move_by(self, offset: Pose, frame: MoveFrame) -> Self {
        self.then(CartesianMove::Relative { offset, frame })
    }

    /// An arc through a pose.
    #[must_use]
    pub fn arc_to(self, via: Pose, goal: Pose) -> Self {
        self.then(CartesianMove::Arc { via, goal })
    }

    /// A line that leaves where the tool is, as after a grasp (MoveIt's post-grasp retreat).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a direction without length and a distance that is not positive;
    /// [`KineticError::NotFinite`].
    pub fn retreat(direction: &Vector3<f64>, distance: f64, frame: MoveFrame) -> Result<Self> {
        Ok(Self::new().move_by(travelled("retreat", direction, distance)?, frame))
    }

    /// A line that ends at a pose of the tool in the base, as before a grasp (MoveIt's pre-grasp approach): the pose in which it
    /// begins, of the same orientation, and the path from there.
    ///
    /// ```
    /// use kinetic_core::Pose;
    /// use kinetic_ik::{CartesianPath, MoveFrame};
    /// use nalgebra::Vector3;
    /// let grasp = Pose::from_xyz(0.4, 0.0, 0.1);
    /// let (above, down) = CartesianPath::approach(&grasp, &-Vector3::z(), 0.08, &MoveFrame::Base)?;
    /// assert!((above.translation().z - 0.18).abs() < 1e-12);
    /// assert!((down.from_start(&above)?.length() - 0.08).abs() < 1e-12);
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// As [`retreat`](Self::retreat), and for a frame that is neither the tool's nor the base's.
    pub fn approach(goal: &Pose, direction: &Vector3<f64>, distance: f64, frame: &MoveFrame) -> Result<(Pose, Self)> {
        goal.check_finite("goal of the approach")?;
        let travel = travelled("approach", direction, distance)?.translation();
        let base_travel = match frame {
            MoveFrame::Base => travel,
            MoveFrame::Tool => goal.rotation() * travel,
            MoveFrame::Named(name) => {
                return Err(KineticError::invalid(
                    "frame of the approach",
                    name,
                    "the frame of the base or of the tool",
                ));
            }
        };
        let begin = Isometry3::from_parts((goal.translation() - base_travel).into(), goal.rotation());
        Ok((Pose(begin), Self::from(*goal)))
    }

    /// The moves and the radii after them.
    pub fn moves(&self) -> &[(CartesianMove, f64)] {
        &self.moves
    }

    /// The path from a pose of the tool in the base. Frames by name are refused; see [`from_start_in`](Self::from_start_in).
    ///
    /// # Errors
    /// As [`from_start_in`](Self::from_start_in).
    pub fn from_start(&self, start: &Pose) -> Result<ToolPath> {
        let wanted = "the frame of the tool or of the base: others are known to planners";
        self.from_start_in(start, &|name| Err(KineticError::invalid("frame of a move", name, wanted)))
    }

    /// The path from a pose of the tool in the base; `frames` gives the orientation of a frame in the base.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no moves, a move without length, three points of an arc on a line, an axis without
    /// direction, and blend radii that are negative or overlap; [`KineticError::NotFinite`]; errors of `frames`. All but the last
    /// name the move.
    pub fn from_start_in(
        &self,
        start: &Pose,
        frames: &dyn Fn(&str) -> Result<UnitQuaternion<f64>>,
    ) -> Result<ToolPath> {
        if self.moves.is_empty() {
            return Err(KineticError::invalid("Cartesian path", "no moves", "at least one move"));
        }
        start.check_finite("start of the Cartesian path")?;
        let (mut growing, mut lengths) = (Growing::from(*start), Vec::with_capacity(self.moves.len()));
        for (index, (next, _)) in self.moves.iter().enumerate() {
            grow(&mut growing, next, &format!("move {index} of the Cartesian path"), frames)?;
            if !(growing.last_length() > SAME_POSE_M) {
                let name = format!("length of move {index} of the Cartesian path");
                return Err(KineticError::invalid(name, growing.last_length(), "a move that goes somewhere"));
            }
            lengths.push(growing.last_length());
        }
        let halves = self.halves(&lengths)?;
        Ok(growing.rounded(&halves))
    }

    /// The radii between moves of these lengths.
    fn halves(&self, lengths: &[f64]) -> Result<Vec<f64>> {
        let radii: Vec<f64> = self.moves.iter().map(|(_, radius)| *radius).collect();
        for (index, radius) in radii.iter().enumerate() {
            let name = || format!("blend radius after move {index} of the Cartesian path");
            if !(*radius >= 0.0 && radius.is_finite()) {
                return Err(KineticError::invalid(name(), radius, "a finite length of at least 0"));
            }
            let before = if index > 0 { radii[index - 1] } else { 0.0 };
            let own = lengths[index] - before;
            let next = lengths.get(index + 1).copied().unwrap_or(0.0);
            let most = if *radius > 0.0 { own.min(next) } else { own };
            if *radius > most + RADIUS_ROUNDING_M || most < -RADIUS_ROUNDING_M {
                let wanted = format!("at most {most:.6} m, so that it overlaps no other and ends on the next move");
                return Err(KineticError::invalid(name(), radius, wanted));
            }
        }
        Ok(radii[..radii.len() - 1].to_vec())
    }
}

/// A line to a pose.
impl From<Pose> for CartesianPath {
    fn from(base_from_tool: Pose) -> Self {
        Self::new().line_to(base_from_tool)
    }
}

/// Adds a move.
pub(super) fn grow(
    growing: &mut Growing,
    next: &CartesianMove,
    name: &str,
    frames: &dyn Fn(&str) -> Result<UnitQuaternion<f64>>,
) -> Result<()> {
    match next {
        CartesianMove::Line(goal) => {
            goal.check_finite(name)?;
            growing.line_to(goal);
        }
        CartesianMove::Relative { offset, frame } => {
            offset.check_finite(name)?;
            let axes = match frame {
                MoveFrame::Tool => growing.tip().rotation(),
                MoveFrame::Base => UnitQuaternion::identity(),
                MoveFrame::Named(frame) => frames(frame)?,
            };
            let goal = moved(growing.tip(), offset, &axes);
            growing.line_to(&goal);
        }
        CartesianMove::Arc { via, goal } => {
            via.check_finite(name)?;
            goal.check_finite(name)?;
            let (circle, part) = circle_through(growing.tip(), via, goal, name)?;
            growing.arc_to(circle, Some((part, via)), goal);
        }
        CartesianMove::Circle { center, axis, angle } => {
            let axis = direction(center, axis, &[*angle], name)?;
            let along = axis * (growing.tip().translation() - center).dot(&axis);
            let turned = UnitQuaternion::from_scaled_axis(axis * *angle);
            let foot = center + along;
            let end = foot + turned * (growing.tip().translation() - foot);
            let goal = Pose(Isometry3::from_parts(end.into(), growing.tip().rotation()));
            growing.arc_to((foot, axis, *angle), None, &goal);
        }
        CartesianMove::Screw { point, axis, angle, advance } => {
            let axis = direction(point, axis, &[*angle, *advance], name)?;
            growing.screw(*point, axis, *angle, *advance);
        }
    }
    Ok(())
}

/// The translation by a distance (m) along a direction.
fn travelled(kind: &str, direction: &Vector3<f64>, distance: f64) -> Result<Pose> {
    check_finite(&format!("direction of the {kind}"), direction.as_slice())?;
    let Some(unit) = direction.try_normalize(SHORTEST_DIRECTION) else {
        let (name, given) = (format!("direction of the {kind}"), format!("{:?}", direction.as_slice()));
        return Err(KineticError::invalid(name, given, "a vector with a length of at least 1e-9"));
    };
    if !(distance > 0.0 && distance.is_finite()) {
        return Err(KineticError::invalid(format!("distance of the {kind}"), distance, "a positive length, m"));
    }
    let offset = unit * distance;
    Ok(Pose::from_xyz(offset.x, offset.y, offset.z))
}

/// The tool translated and turned by an offset along the given axes, about its own origin.
fn moved(tip: &Pose, offset: &Pose, base_from_axes: &UnitQuaternion<f64>) -> Pose {
    let translation = tip.translation() + base_from_axes * offset.translation();
    let turn = base_from_axes * offset.rotation() * base_from_axes.inverse();
    Pose(Isometry3::from_parts(translation.into(), turn * tip.rotation()))
}

/// The unit vector along an axis.
fn direction(point: &Vector3<f64>, axis: &Vector3<f64>, amounts: &[f64], name: &str) -> Result<Vector3<f64>> {
    check_finite(name, point.as_slice())?;
    check_finite(name, axis.as_slice())?;
    check_finite(name, amounts)?;
    axis.try_normalize(SHORTEST_DIRECTION).ok_or_else(|| {
        KineticError::invalid(format!("axis of {name}"), format!("{:?}", axis.as_slice()), "a direction")
    })
}

/// The arc from a pose through another to a third, and at which part the second is met.
fn circle_through(start: &Pose, via: &Pose, goal: &Pose, name: &str) -> Result<(Arc, f64)> {
    let (a, b) = (via.translation() - start.translation(), goal.translation() - start.translation());
    let normal = a.cross(&b);
    let is_flat = !(normal.norm() > COLLINEAR_SINE * a.norm() * b.norm());
    let is_short = a.norm().min(b.norm()).min((b - a).norm()) < SAME_POSE_M / METRES_PER_RADIAN;
    if is_flat || is_short {
        let given =
            format!("start, via and goal at distances of {:.6}, {:.6} and {:.6} m", a.norm(), (b - a).norm(), b.norm());
        return Err(KineticError::invalid(name, given, "three positions that are not on one line"));
    }
    // The circumcentre of the triangle, from the first corner.
    let to_center =
        (normal.cross(&a) * b.norm_squared() + b.cross(&normal) * a.norm_squared()) / (2.0 * normal.norm_squared());
    let axis = normal.normalize();
    let angle_of = |point: Vector3<f64>| {
        let (x, arm) = (-to_center, point - to_center);
        axis.cross(&x).dot(&arm).atan2(x.dot(&arm)).rem_euclid(TAU)
    };
    let (via, whole) = (angle_of(a), angle_of(b));
    Ok(((start.translation() + to_center, axis, whole), via / whole))
}
