//! Continuous collision checking: intervals of a motion, one per lane.

pub(crate) mod first_contact;
pub(crate) mod interval_batch;
pub(crate) mod proof;
