//! Pairs of bodies that are near each other at one configuration, as optimising planners see them.

/// Two bodies that are near each other. What moves is the witness point of one relative to that of the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPair {
    /// Signed distance less the clearance that the pair has to keep, m: negative where it misses it.
    pub slack: f64,
    /// Unit vector along which the relative motion of the witness points increases the distance.
    pub direction: [f64; 3],
    /// Relative acceleration of the witness points at the joint velocities of the query without joint accelerations, `J̇ q̇`.
    pub bias: [f64; 3],
}

impl NearPair {
    /// Derivative of the distance by a joint, m/rad or m/m; `jacobian` is that of the pair.
    pub fn derivative(&self, jacobian: &[f64], joint: usize) -> f64 {
        let dof = jacobian.len() / 3;
        (0..3).map(|axis| self.direction[axis] * jacobian[axis * dof + joint]).sum()
    }
}

/// Bounds on the distances around one configuration; reused, so that queries allocate nothing once it has grown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DistanceBounds {
    dof: usize,
    /// Per pair the derivative of the distance by each joint, m/rad or m/m, and then the slack, m.
    rows: Vec<f64>,
}

impl DistanceBounds {
    /// Removes the pairs.
    pub fn clear(&mut self, dof: usize) {
        self.dof = dof;
        self.rows.clear();
    }

    /// Appends a pair: the derivative of its distance by each joint, and its slack as in [`NearPair`], or less.
    pub fn push(&mut self, gradient: impl IntoIterator<Item = f64>, slack: f64) {
        self.rows.extend(gradient);
        self.rows.push(slack);
    }

    /// The pairs, each with the derivative and the slack.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.rows.chunks_exact(self.dof + 1).map(|row| (&row[..self.dof], row[self.dof]))
    }
}

/// The near pairs of one configuration; reused, so that queries allocate nothing once it has grown.
///
/// A space of points without extent, as tests use, has one pair per obstacle and the identity as Jacobian.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NearDistances {
    dof: usize,
    pairs: Vec<NearPair>,
    /// Three rows per pair, one column per joint.
    jacobians: Vec<f64>,
}

impl NearDistances {
    /// Removes the pairs.
    pub fn clear(&mut self, dof: usize) {
        self.dof = dof;
        self.pairs.clear();
        self.jacobians.clear();
    }

    /// Appends a pair; its Jacobian is returned to be written, three rows of zeros.
    pub fn push(&mut self, pair: NearPair) -> &mut [f64] {
        self.pairs.push(pair);
        let begin = self.jacobians.len();
        self.jacobians.resize(begin + 3 * self.dof, 0.0);
        &mut self.jacobians[begin..]
    }

    /// The pairs, each with the Jacobian of the relative motion of its witness points: three rows of one column per joint.
    pub fn iter(&self) -> impl Iterator<Item = (&NearPair, &[f64])> {
        self.pairs.iter().zip(self.jacobians.chunks_exact(3 * self.dof))
    }

    /// The least slack, m; infinite where no pair is near.
    pub fn least_slack(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.slack).fold(f64::INFINITY, f64::min)
    }
}
