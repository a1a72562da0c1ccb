//! Solvers as data: the constants of generated solvers.

use kinetic_kinematics::{Motion, Rigid};
use nalgebra::{Matrix3, SVector, Vector3};

use crate::analytic::array_vec::ArrayVec;
use crate::analytic::cos_sin::CosSin;

/// A value that can be written as a literal in every language that is generated.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A real number.
    Number(f64),
    /// Lower and upper bound; may be infinite.
    Pair(f64, f64),
    /// A natural number.
    Count(usize),
    /// A truth value.
    Flag(bool),
    /// Name of a constant that the generated file knows, with its path: `Motion::Rotation`.
    Named(&'static str),
    /// Cosine and sine of an angle.
    CosSin(CosSin),
    /// A vector of three entries.
    Vector(Vector3<f64>),
    /// A matrix of three rows and columns.
    Matrix(Matrix3<f64>),
    /// A vector of any length.
    Column(Vec<f64>),
    /// A list whose length is a part of its type.
    List(Vec<Value>),
    /// A list whose length is no part of its type.
    Growable(Vec<Value>),
    /// A value behind a pointer.
    Boxed(Box<Value>),
    /// Type and fields of a structure, or of a variant with named fields.
    Record(&'static str, Vec<(&'static str, Value)>),
    /// Path and contents of a variant without names.
    Variant(&'static str, Vec<Value>),
}

impl Value {
    /// The field of a structure.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Self::Record(_, fields) = self else { return None };
        fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// What lies behind pointers and in variants that stand for one thing.
    pub fn content(&self) -> &Self {
        match self {
            Self::Boxed(value) => value.content(),
            Self::Variant("OtherJoints::Same", contents) if contents.len() == 1 => contents[0].content(),
            value => value,
        }
    }
}

/// Types that can be constants of a generated file.
pub trait Constant {
    /// All of it as a value.
    fn value(&self) -> Value;
}

/// Makes a structure a [`Constant`], with all of its fields: one that is left out does not compile.
macro_rules! constants {
    ($name:ident $(<$size:literal>)? { $($field:ident),* $(,)? }) => {
        impl $crate::analytic::constant::Constant for $name $(<$size>)? {
            fn value(&self) -> $crate::analytic::constant::Value {
                let Self { $($field),* } = self;
                let fields = vec![$((stringify!($field), $crate::analytic::constant::Constant::value($field))),*];
                $crate::analytic::constant::Value::Record(stringify!($name), fields)
            }
        }
    };
}
pub(crate) use constants;

impl Constant for f64 {
    fn value(&self) -> Value {
        Value::Number(*self)
    }
}

impl Constant for usize {
    fn value(&self) -> Value {
        Value::Count(*self)
    }
}

impl Constant for bool {
    fn value(&self) -> Value {
        Value::Flag(*self)
    }
}

impl Constant for CosSin {
    fn value(&self) -> Value {
        Value::CosSin(*self)
    }
}

impl Constant for Motion {
    fn value(&self) -> Value {
        Value::Named(match self {
            Self::Rotation => "Motion::Rotation",
            Self::Translation => "Motion::Translation",
        })
    }
}

constants!(Rigid { rotation, translation });

impl Constant for Vector3<f64> {
    fn value(&self) -> Value {
        Value::Vector(*self)
    }
}

impl Constant for Matrix3<f64> {
    fn value(&self) -> Value {
        Value::Matrix(*self)
    }
}

impl Constant for SVector<f64, 14> {
    fn value(&self) -> Value {
        Value::Column(self.iter().copied().collect())
    }
}

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn value(&self) -> Value {
        Value::List(self.iter().map(Constant::value).collect())
    }
}

impl<T: Constant> Constant for Vec<T> {
    fn value(&self) -> Value {
        Value::Growable(self.iter().map(Constant::value).collect())
    }
}

/// With all of the storage, because the literal has the type of the array.
impl<T: Constant + Copy, const N: usize> Constant for ArrayVec<T, N> {
    fn value(&self) -> Value {
        let (items, len) = self.storage();
        Value::Record("ArrayVec", vec![("items", items.value()), ("len", len.value())])
    }
}
