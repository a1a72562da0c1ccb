//! The model of a task problem: joints, some of them coupled, and a virtual base, with their limits.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::{JointProgram, VirtualBase};
use kinetic_robot::Robot;
use nalgebra::Vector3;

use super::limit_table::LimitTable;

/// One entry of a configuration that follows a column: `q[variable] = multiplier · column + offset`.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoupledEntry {
    pub(super) variable: usize,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// The degrees of freedom of a task problem and their limits.
///
/// Configurations have the length of the robot; entries that no column drives stay as the start has them. Columns are
/// those of the base, then one per moved joint that follows no other.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) program: JointProgram,
    pub(super) base: VirtualBase,
    /// Per joint column the entries that it drives; the first is its own.
    pub(super) columns: Vec<Vec<CoupledEntry>>,
    /// Per configuration entry its column, counted without the base, and the multiplier.
    pub(super) column_of: Vec<Option<(usize, f64)>>,
    /// Per column (base first) the inverse root of its weight.
    pub(super) scales: Vec<f64>,
    pub(super) bounds: Vec<(f64, f64)>,
    pub(super) tables: Vec<LimitTable>,
    /// Per link with mass: link, centre of mass in it, share of the total mass.
    pub(super) masses: Vec<(usize, Vector3<f64>, f64)>,
    num_links: usize,
    names: Vec<String>,
}

impl Model {
    /// The joints `variables` (indices into the robot's active joints) of a robot that stands.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an index beyond the robot or given twice.
    pub fn new(robot: &Robot, variables: &[usize]) -> Result<Self> {
        let count = robot.num_variables();
        let mut column_of = vec![None; count];
        for (column, variable) in variables.iter().enumerate() {
            if *variable >= count || column_of[*variable].is_some() {
                return Err(not_once(robot, *variable));
            }
            column_of[*variable] = Some((column, 1.0));
        }
        let own = |variable: &usize| vec![CoupledEntry { variable: *variable, multiplier: 1.0, offset: 0.0 }];
        let all: Vec<usize> = (0..count).collect();
        let joint = |variable: &usize| &robot.joints[robot.active_joints[*variable]];
        Ok(Self {
            program: JointProgram::compile(robot, &all, &vec![0.0; count]),
            base: VirtualBase::Fixed,
            columns: variables.iter().map(own).collect(),
            column_of,
            scales: vec![1.0; variables.len()],
            bounds: robot.joint_limits.iter().map(|limits| (limits.lower, limits.upper)).collect(),
            tables: Vec::new(),
            masses: masses(robot),
            num_links: robot.links.len(),
            names: all.iter().map(|v| joint(v).name.clone()).collect(),
        })
    }

    /// The same model on a base that moves. `weights` (one per column of the base, or none for 1) say how dear its motion
    /// is compared with that of joints of weight 1.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] for a weight that is not positive.
    pub fn with_base(mut self, base: VirtualBase, weights: Option<&[f64]>) -> Result<Self> {
        let weights = weights.map_or_else(|| vec![1.0; base.dof()], <[f64]>::to_vec);
        check_len("weights of the base", weights.len(), base.dof())?;
        let mut scales = scales("weights of the base", &weights)?;
        scales.extend_from_slice(&self.scales[self.base.dof()..]);
        self.base = base;
        self.scales = scales;
        Ok(self)
    }

    /// The same model with a weight per joint column: joints of larger weight move less where they have a choice.
    ///
    /// # Errors
    /// As [`with_base`](Self::with_base).
    pub fn with_joint_weights(mut self, weights: &[f64]) -> Result<Self> {
        check_len("joint weights", weights.len(), self.columns.len())?;
        self.scales.truncate(self.base.dof());
        self.scales.extend(scales("joint weights", weights)?);
        Ok(self)
    }

    /// Couples two moved joints: from now on `q[follower] = multiplier · q[leader] + offset`, exactly, in every
    /// configuration that a solve passes. Interlocking pairs have multiplier 1 and offset 0. The follower has no column
    /// of its own any more, and its limits bind the leader.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when one of them does not move, or the follower already follows or leads.
    pub fn with_coupling(mut self, leader: usize, follower: usize, multiplier: f64, offset: f64) -> Result<Self> {
        check_finite("coupling", &[multiplier, offset])?;
        let column = |variable: usize| self.column_of.get(variable).copied().flatten();
        let (Some((leads, _)), Some((follows, _))) = (column(leader), column(follower)) else {
            let name = |variable: usize| self.names.get(variable).map_or("none", String::as_str);
            let given = format!("\"{}\" and \"{}\"", name(leader), name(follower));
            return Err(KineticError::invalid("coupled joints", given, "two joints that the problem moves"));
        };
        let is_own = |column: usize, variable: usize| self.columns[column][0].variable == variable;
        if leads == follows || !is_own(leads, leader) || !is_own(follows, follower) || self.columns[follows].len() > 1 {
            let given = format!("\"{}\" after \"{}\"", self.names[follower], self.names[leader]);
            let wanted = "a leader that follows no joint, and a follower that neither follows nor leads one";
            return Err(KineticError::invalid("coupled joints", given, wanted));
        }
        self.columns[leads].push(CoupledEntry { variable: follower, multiplier, offset });
        self.columns.remove(follows);
        self.scales.remove(self.base.dof() + follows);
        self.index_columns();
        Ok(self)
    }

    /// Adds a table by which one joint limits another.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a joint that does not exist.
    pub fn with_limit_table(mut self, table: LimitTable) -> Result<Self> {
        let count = self.bounds.len();
        if table.joint >= count || table.by >= count || table.joint == table.by {
            let name = |variable: usize| self.names.get(variable).map_or("none", String::as_str);
            let given = format!("\"{}\" by \"{}\"", name(table.joint), name(table.by));
            return Err(KineticError::invalid("joints of a limit table", given, "two different joints"));
        }
        self.tables.push(table);
        Ok(self)
    }

    fn index_columns(&mut self) {
        self.column_of.fill(None);
        for (column, followers) in self.columns.iter().enumerate() {
            for follower in followers {
                self.column_of[follower.variable] = Some((column, follower.multiplier));
            }
        }
    }

    /// Number of columns: those of the base, then those of the joints.
    pub fn num_columns(&self) -> usize {
        self.base.dof() + self.columns.len()
    }

    /// Length of a configuration, that of the robot.
    pub fn num_variables(&self) -> usize {
        self.bounds.len()
    }

    /// Number of links.
    pub fn num_links(&self) -> usize {
        self.num_links
    }

    /// Motion of the root.
    pub fn base(&self) -> VirtualBase {
        self.base
    }

    /// Names of the configuration's entries.
    pub fn joint_names(&self) -> &[String] {
        &self.names
    }

    /// Position of the column of a configuration entry among all columns; `None` when it stands.
    pub fn column(&self, variable: usize) -> Option<usize> {
        self.column_of[variable].map(|(column, _)| self.base.dof() + column)
    }

    /// Position of the column that drives a configuration entry, and how much the entry changes per unit of it: 1 for a
    /// joint of its own, the multiplier of its coupling for a joint that follows. `None` when it stands.
    pub fn driver(&self, variable: usize) -> Option<(usize, f64)> {
        self.column_of[variable].map(|(column, multiplier)| (self.base.dof() + column, multiplier))
    }

    /// The configuration entries whose values the joint columns are, in the order of the columns.
    pub fn leaders(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|followers| followers[0].variable)
    }

    /// Limits of a configuration entry where `q` stands, limit tables applied.
    pub fn bounds_at(&self, variable: usize, q: &[f64]) -> (f64, f64) {
        let mut bounds = self.bounds[variable];
        for table in self.tables.iter().filter(|table| table.joint == variable) {
            let (low, high) = table.bounds(q[table.by]);
            bounds = (bounds.0.max(low), bounds.1.min(high).max(bounds.0.max(low)));
        }
        bounds
    }

    /// Interval of a joint column (counted without the base) in which all that it drives is inside its limits at `q`.
    pub(super) fn column_bounds(&self, column: usize, q: &[f64]) -> (f64, f64) {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for follower in &self.columns[column] {
            let (a, b) = self.bounds_at(follower.variable, q);
            if follower.multiplier == 0.0 {
                continue;
            }
            let (a, b) = ((a - follower.offset) / follower.multiplier, (b - follower.offset) / follower.multiplier);
            low = low.max(a.min(b));
            high = high.min(a.max(b));
        }
        (low, high.max(low))
    }

    /// Sets the entries that follow columns to the values of their columns, and everything inside its limits. Limit tables act
    /// on each other's joints, so this is repeated up to five times.
    pub(super) fn enforce_bounds(&self, q: &mut [f64]) {
        let rounds = if self.tables.is_empty() { 1 } else { 5 };
        for _ in 0..rounds {
            let mut moved = false;
            for column in 0..self.columns.len() {
                let (low, high) = self.column_bounds(column, q);
                let value = q[self.columns[column][0].variable].clamp(low, high);
                moved |= self.set_column(column, value, q);
            }
            if !moved {
                break;
            }
        }
    }

    /// Writes all entries that a column drives; true when one changed.
    pub(super) fn set_column(&self, column: usize, value: f64, q: &mut [f64]) -> bool {
        let mut moved = false;
        for follower in &self.columns[column] {
            let wanted = follower.multiplier * value + follower.offset;
            moved |= q[follower.variable] != wanted;
            q[follower.variable] = wanted;
        }
        moved
    }

    /// Refuses a link that does not exist.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`].
    pub fn check_link(&self, link: usize) -> Result<()> {
        if link < self.num_links {
            return Ok(());
        }
        Err(KineticError::invalid("link of a task", link, format!("an index below {}", self.num_links)))
    }

    /// Refuses a configuration of the wrong length or with NaN, or a base pose with NaN.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn check(&self, q: &[f64], world_from_root: &Pose) -> Result<()> {
        check_len("start configuration (of the whole robot)", q.len(), self.num_variables())?;
        check_finite("start configuration", q)?;
        world_from_root.check_finite("start pose of the base")
    }
}

/// The error for an index that no joint has, or that was given before.
fn not_once(robot: &Robot, variable: usize) -> KineticError {
    let names = robot.moving_joint_names(false);
    match names.get(variable) {
        Some(name) => KineticError::invalid("joints to move", format!("\"{name}\" twice"), "every joint once"),
        None => KineticError::invalid("joints to move", variable, format!("indices below {}", names.len())),
    }
}

fn scales(context: &str, weights: &[f64]) -> Result<Vec<f64>> {
    match weights.iter().find(|weight| !(**weight > 0.0 && weight.is_finite())) {
        Some(weight) => Err(KineticError::invalid(context, weight, "positive finite numbers")),
        None => Ok(weights.iter().map(|weight| 1.0 / weight.sqrt()).collect()),
    }
}

fn masses(robot: &Robot) -> Vec<(usize, Vector3<f64>, f64)> {
    let heavy = |(link, inertial): (usize, &kinetic_robot::Inertial)| {
        (inertial.mass > 0.0).then(|| (link, inertial.link_from_com.translation(), inertial.mass))
    };
    let links = robot.links.iter().enumerate();
    links.filter_map(|(index, link)| heavy((index, link.inertial.as_ref()?))).collect()
}
