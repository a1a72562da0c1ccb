//! Continuous collision checking by conservative bounds on intervals of a motion (Schwarzer, Saha, Latombe 2005).

pub(crate) mod first_contact;
pub(crate) mod interval_batch;
pub(crate) mod proof;

/// Halvings of a piece of a motion after which its undecided intervals are left to double precision.
const MAX_HALVINGS: u32 = 12;
