//! A vector of joint positions.

use std::fmt;
use std::ops::{Add, Deref, DerefMut, Mul, Sub};

use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_len};

/// Joint positions in group order, rad or m.
///
/// Dereferences to a slice, so that indices, ranges and iterators are those of slices. Arithmetic is element-wise; both sides must have the same length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JointValues(pub Vec<f64>);

impl JointValues {
    /// `n` zeros.
    pub fn zeros(n: usize) -> Self {
        Self(vec![0.0; n])
    }

    /// Euclidean distance, without wrapping of continuous joints.
    pub fn distance_to(&self, other: &[f64]) -> f64 {
        self.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// `self + t (other - self)`; `t = 0` and `t = 1` give the ends exactly.
    #[must_use]
    pub fn lerp(&self, other: &[f64], t: f64) -> Self {
        Self(self.iter().zip(other).map(|(a, b)| a * (1.0 - t) + b * t).collect())
    }

    /// Copy as a nalgebra vector.
    pub fn to_dvector(&self) -> DVector<f64> {
        DVector::from_column_slice(&self.0)
    }
}

impl Deref for JointValues {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl DerefMut for JointValues {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

impl Add for &JointValues {
    type Output = JointValues;

    fn add(self, other: Self) -> JointValues {
        JointValues(self.iter().zip(other.iter()).map(|(a, b)| a + b).collect())
    }
}

impl Sub for &JointValues {
    type Output = JointValues;

    fn sub(self, other: Self) -> JointValues {
        JointValues(self.iter().zip(other.iter()).map(|(a, b)| a - b).collect())
    }
}

impl Mul<f64> for &JointValues {
    type Output = JointValues;

    fn mul(self, factor: f64) -> JointValues {
        JointValues(self.iter().map(|a| a * factor).collect())
    }
}

impl From<Vec<f64>> for JointValues {
    fn from(values: Vec<f64>) -> Self {
        Self(values)
    }
}

impl From<&[f64]> for JointValues {
    fn from(values: &[f64]) -> Self {
        Self(values.to_vec())
    }
}

impl<const N: usize> From<[f64; N]> for JointValues {
    fn from(values: [f64; N]) -> Self {
        Self(values.to_vec())
    }
}

impl<const N: usize> From<&[f64; N]> for JointValues {
    fn from(values: &[f64; N]) -> Self {
        Self(values.to_vec())
    }
}

impl From<&JointValues> for JointValues {
    fn from(values: &JointValues) -> Self {
        values.clone()
    }
}

impl From<DVector<f64>> for JointValues {
    fn from(values: DVector<f64>) -> Self {
        Self(values.as_slice().to_vec())
    }
}

impl From<JointValues> for Vec<f64> {
    fn from(values: JointValues) -> Self {
        values.0
    }
}

impl From<JointValues> for DVector<f64> {
    fn from(values: JointValues) -> Self {
        Self::from_vec(values.0)
    }
}

impl<const N: usize> TryFrom<&JointValues> for [f64; N] {
    type Error = KineticError;

    /// [`KineticError::DimensionMismatch`] for another number of joints.
    fn try_from(values: &JointValues) -> Result<Self> {
        check_len("joint values", values.len(), N)?;
        Ok(std::array::from_fn(|joint| values[joint]))
    }
}

impl<const N: usize> TryFrom<JointValues> for [f64; N] {
    type Error = KineticError;

    fn try_from(values: JointValues) -> Result<Self> {
        Self::try_from(&values)
    }
}

impl AsRef<[f64]> for JointValues {
    fn as_ref(&self) -> &[f64] {
        &self.0
    }
}

impl IntoIterator for JointValues {
    type Item = f64;
    type IntoIter = std::vec::IntoIter<f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a JointValues {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// `[0.1, -1.57]`, in the digits that read back the same, or in as many decimals as `{:.3}` asks for.
impl fmt::Display for JointValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.0)
    }
}

/// Numbers between brackets, each in the precision of the formatter.
pub(crate) fn write_list(f: &mut fmt::Formatter<'_>, values: &[f64]) -> fmt::Result {
    f.write_str("[")?;
    for (index, value) in values.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        fmt::Display::fmt(value, f)?;
    }
    f.write_str("]")
}

impl FromIterator<f64> for JointValues {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}
