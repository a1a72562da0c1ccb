//! One linear limit on the squared path speeds at the ends of a stage, and ranges of these.

/// Lowest and highest squared path speed.
pub(crate) type SpeedRange = [f64; 2];

/// A row that depends on x₁ by less than this part of its dependence on x₀ bounds x₀ alone.
pub(super) const NEGLIGIBLE_SLOPE: f64 = 1e-12;

/// `low ≤ x₁ + at_start · x₀ ≤ high`, or without x₁.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StageRow {
    pub(crate) at_start: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// True without x₁.
    pub(crate) is_flat: bool,
}

impl StageRow {
    /// `low ≤ at_start · x₀ + at_end · x₁ ≤ high`.
    pub(crate) fn new(at_start: f64, at_end: f64, low: f64, high: f64) -> Self {
        let is_flat = at_end.abs() <= NEGLIGIBLE_SLOPE * at_start.abs();
        let scale = if is_flat { 1.0 } else { 1.0 / at_end };
        let (low, high) = if scale < 0.0 { (high, low) } else { (low, high) };
        Self { at_start: at_start * scale, low: low * scale, high: high * scale, is_flat }
    }
}
