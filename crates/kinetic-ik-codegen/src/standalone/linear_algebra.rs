//! Vectors and matrices, as far as the solver needs them, under the names that nalgebra gives them.

/// A vector in space.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Vector3<T> {
    x: T,
    y: T,
    z: T,
}

/// A 3 × 3 matrix by columns.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Matrix3<T> {
    columns: [Vector3<T>; 3],
}

/// A matrix of `R` rows by columns.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SMatrix<T, const R: usize, const C: usize> {
    columns: [[T; R]; C],
}

type SVector<T, const N: usize> = SMatrix<T, N, 1>;

/// Operators for values and for references to them.
macro_rules! operator {
    ($trait:ident $method:ident [$($generics:tt)*] ($a:ty, $b:ty) -> $out:ty, $function:expr) => {
        operator!(one $trait $method [$($generics)*] ($a, $b) -> $out, $function);
        operator!(one $trait $method [$($generics)*] (&$a, $b) -> $out, $function);
        operator!(one $trait $method [$($generics)*] ($a, &$b) -> $out, $function);
        operator!(one $trait $method [$($generics)*] (&$a, &$b) -> $out, $function);
    };
    (one $trait:ident $method:ident [$($generics:tt)*] ($a:ty, $b:ty) -> $out:ty, $function:expr) => {
        impl<$($generics)*> std::ops::$trait<$b> for $a {
            type Output = $out;

            #[inline]
            fn $method(self, other: $b) -> $out {
                #[allow(clippy::redundant_closure_call)]
                ($function)(&self, &other)
            }
        }
    };
}

operator!(Add add [] (Vector3<f64>, Vector3<f64>) -> Vector3<f64>, |a: &Vector3<f64>, b: &Vector3<f64>| {
    Vector3::new(a.x + b.x, a.y + b.y, a.z + b.z)
});
operator!(Sub sub [] (Vector3<f64>, Vector3<f64>) -> Vector3<f64>, |a: &Vector3<f64>, b: &Vector3<f64>| {
    Vector3::new(a.x - b.x, a.y - b.y, a.z - b.z)
});
operator!(Mul mul [] (Vector3<f64>, f64) -> Vector3<f64>, |a: &Vector3<f64>, s: &f64| {
    Vector3::new(a.x * s, a.y * s, a.z * s)
});
operator!(Div div [] (Vector3<f64>, f64) -> Vector3<f64>, |a: &Vector3<f64>, s: &f64| {
    Vector3::new(a.x / s, a.y / s, a.z / s)
});
operator!(Sub sub [] (Matrix3<f64>, Matrix3<f64>) -> Matrix3<f64>, |a: &Matrix3<f64>, b: &Matrix3<f64>| {
    Matrix3 { columns: std::array::from_fn(|column| a.columns[column] - b.columns[column]) }
});
operator!(Mul mul [] (Matrix3<f64>, Vector3<f64>) -> Vector3<f64>, |a: &Matrix3<f64>, v: &Vector3<f64>| {
    a.columns[0] * v.x + a.columns[1] * v.y + a.columns[2] * v.z
});
operator!(Mul mul [] (Matrix3<f64>, Matrix3<f64>) -> Matrix3<f64>, |a: &Matrix3<f64>, b: &Matrix3<f64>| {
    Matrix3 { columns: b.columns.map(|column| a * column) }
});
operator!(Add add [const R: usize, const C: usize] (SMatrix<f64, R, C>, SMatrix<f64, R, C>) -> SMatrix<f64, R, C>,
    |a: &SMatrix<f64, R, C>, b: &SMatrix<f64, R, C>| SMatrix::from_fn(|row, column| a[(row, column)] + b[(row, column)]));
operator!(Sub sub [const R: usize, const C: usize] (SMatrix<f64, R, C>, SMatrix<f64, R, C>) -> SMatrix<f64, R, C>,
    |a: &SMatrix<f64, R, C>, b: &SMatrix<f64, R, C>| SMatrix::from_fn(|row, column| a[(row, column)] - b[(row, column)]));
operator!(Mul mul [const R: usize, const C: usize] (SMatrix<f64, R, C>, f64) -> SMatrix<f64, R, C>,
    |a: &SMatrix<f64, R, C>, s: &f64| SMatrix::from_fn(|row, column| a[(row, column)] * s));

impl std::ops::Neg for Vector3<f64> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl std::ops::Neg for &Vector3<f64> {
    type Output = Vector3<f64>;

    #[inline]
    fn neg(self) -> Vector3<f64> {
        *self * -1.0
    }
}

impl<const R: usize, const C: usize> std::ops::Neg for SMatrix<f64, R, C> {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1.0
    }
}

impl<const R: usize, const C: usize> std::ops::AddAssign for SMatrix<f64, R, C> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::Index<usize> for Vector3<f64> {
    type Output = f64;

    #[inline]
    fn index(&self, axis: usize) -> &f64 {
        [&self.x, &self.y, &self.z][axis]
    }
}

impl<const R: usize, const C: usize> std::ops::Index<(usize, usize)> for SMatrix<f64, R, C> {
    type Output = f64;

    #[inline]
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.columns[column][row]
    }
}

impl<const R: usize, const C: usize> std::ops::IndexMut<(usize, usize)> for SMatrix<f64, R, C> {
    #[inline]
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.columns[column][row]
    }
}

impl<const N: usize> std::ops::Index<usize> for SVector<f64, N> {
    type Output = f64;

    #[inline]
    fn index(&self, row: usize) -> &f64 {
        &self.columns[0][row]
    }
}

impl<const N: usize> std::ops::IndexMut<usize> for SVector<f64, N> {
    #[inline]
    fn index_mut(&mut self, row: usize) -> &mut f64 {
        &mut self.columns[0][row]
    }
}

impl<T> Vector3<T> {
    const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
}

impl Vector3<f64> {
    fn zeros() -> Self {
        Self::new(0.0, 0.0, 0.0)
    }

    fn x() -> Self {
        Self::new(1.0, 0.0, 0.0)
    }

    fn y() -> Self {
        Self::new(0.0, 1.0, 0.0)
    }

    #[inline]
    fn dot(&self, other: &Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline]
    fn cross(&self, other: &Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    #[inline]
    fn norm_squared(&self) -> f64 {
        self.dot(self)
    }

    #[inline]
    fn norm(&self) -> f64 {
        self.norm_squared().sqrt()
    }

    #[inline]
    fn normalize(&self) -> Self {
        *self / self.norm()
    }

    #[inline]
    fn into_owned(self) -> Self {
        self
    }
}

impl From<[f64; 3]> for Vector3<f64> {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl Matrix3<f64> {
    /// Row by row.
    #[allow(clippy::too_many_arguments)]
    const fn new(
        a: f64, b: f64, c: f64,
        d: f64, e: f64, f: f64,
        g: f64, h: f64, i: f64,
    ) -> Self {
        Self { columns: [Vector3::new(a, d, g), Vector3::new(b, e, h), Vector3::new(c, f, i)] }
    }

    fn identity() -> Self {
        Self::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    }

    #[inline]
    fn from_columns(columns: &[Vector3<f64>; 3]) -> Self {
        Self { columns: *columns }
    }

    #[inline]
    fn column(&self, column: usize) -> Vector3<f64> {
        self.columns[column]
    }

    #[inline]
    fn transpose(&self) -> Self {
        let [a, b, c] = &self.columns;
        Self::new(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z)
    }

    #[inline]
    fn tr_mul(&self, other: &Self) -> Self {
        self.transpose() * other
    }

    #[inline]
    fn norm_squared(&self) -> f64 {
        self.columns[0].norm_squared() + self.columns[1].norm_squared() + self.columns[2].norm_squared()
    }
}

impl<const R: usize, const C: usize> SMatrix<f64, R, C> {
    fn zeros() -> Self {
        Self { columns: [[0.0; R]; C] }
    }

    fn identity() -> Self {
        Self::from_fn(|row, column| f64::from(u8::from(row == column)))
    }

    #[inline]
    fn from_fn(entry: impl Fn(usize, usize) -> f64) -> Self {
        Self { columns: std::array::from_fn(|column| std::array::from_fn(|row| entry(row, column))) }
    }

    fn transpose(&self) -> SMatrix<f64, C, R> {
        SMatrix::from_fn(|row, column| self[(column, row)])
    }

    fn iter(&self) -> std::slice::Iter<'_, f64> {
        self.columns.as_flattened().iter()
    }

    fn amax(&self) -> f64 {
        self.iter().fold(0.0, |most, value| most.max(value.abs()))
    }

    fn norm_squared(&self) -> f64 {
        self.iter().map(|value| value * value).sum()
    }

    fn norm(&self) -> f64 {
        self.norm_squared().sqrt()
    }

    fn column(&self, column: usize) -> SVector<f64, R> {
        SMatrix { columns: [self.columns[column]] }
    }

    fn column_mut(&mut self, column: usize) -> Column<'_, R> {
        Column(&mut self.columns[column])
    }

    fn tr_mul<const K: usize>(&self, other: &SMatrix<f64, R, K>) -> SMatrix<f64, C, K> {
        SMatrix::from_fn(|row, column| self.columns[row].iter().zip(&other.columns[column]).map(|(a, b)| a * b).sum())
    }

    /// The part of `A` rows and `B` columns that begins at `row` and `column`.
    fn fixed_view_mut<const A: usize, const B: usize>(&mut self, row: usize, column: usize) -> View<'_, R, C, A, B> {
        View { matrix: self, row, column }
    }
}

impl<const N: usize> SVector<f64, N> {
    fn dot(&self, other: &Self) -> f64 {
        self.columns[0].iter().zip(&other.columns[0]).map(|(a, b)| a * b).sum()
    }

    fn normalize(&self) -> Self {
        *self * (1.0 / self.norm())
    }

    fn rows_mut(&mut self, first: usize, count: usize) -> &mut [f64] {
        &mut self.columns[0][first..first + count]
    }

    fn into_owned(self) -> Self {
        self
    }
}

impl SVector<f64, 6> {
    const fn new(a: f64, b: f64, c: f64, d: f64, e: f64, f: f64) -> Self {
        Self { columns: [[a, b, c, d, e, f]] }
    }
}

/// A column that is written to.
struct Column<'a, const R: usize>(&'a mut [f64; R]);

impl<const R: usize> Column<'_, R> {
    /// `a x + b self`
    fn axpy(&mut self, a: f64, x: &SVector<f64, R>, b: f64) {
        self.0.iter_mut().zip(&x.columns[0]).for_each(|(y, x)| *y = a * x + b * *y);
    }
}

/// What can be copied into a part of a matrix.
trait Entries<const A: usize, const B: usize> {
    fn entry(&self, row: usize, column: usize) -> f64;
}

impl<const A: usize, const B: usize> Entries<A, B> for SMatrix<f64, A, B> {
    fn entry(&self, row: usize, column: usize) -> f64 {
        self[(row, column)]
    }
}

impl Entries<3, 1> for Vector3<f64> {
    fn entry(&self, row: usize, _: usize) -> f64 {
        self[row]
    }
}

/// A part of a matrix.
struct View<'a, const R: usize, const C: usize, const A: usize, const B: usize> {
    matrix: &'a mut SMatrix<f64, R, C>,
    row: usize,
    column: usize,
}

impl<const R: usize, const C: usize, const A: usize, const B: usize> View<'_, R, C, A, B> {
    fn copy_from(&mut self, from: &impl Entries<A, B>) {
        for column in 0..B {
            for row in 0..A {
                self.matrix[(self.row + row, self.column + column)] = from.entry(row, column);
            }
        }
    }

    fn fill_with_identity(&mut self) {
        self.copy_from(&SMatrix::<f64, A, B>::identity());
    }
}

/// Triangular factors of a symmetric positive definite matrix, `L Lᵀ`.
struct Cholesky<const N: usize>(SMatrix<f64, N, N>);

impl<const N: usize> SMatrix<f64, N, N> {
    fn cholesky(&self) -> Option<Cholesky<N>> {
        let mut lower = Self::zeros();
        for column in 0..N {
            for row in column..N {
                let known: f64 = (0..column).map(|k| lower[(row, k)] * lower[(column, k)]).sum();
                let left = self[(row, column)] - known;
                if row > column {
                    lower[(row, column)] = left / lower[(column, column)];
                } else if left > 0.0 {
                    lower[(row, row)] = left.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Cholesky(lower))
    }
}

impl<const N: usize> Cholesky<N> {
    fn solve(&self, right: &SVector<f64, N>) -> SVector<f64, N> {
        let (lower, mut x) = (&self.0, *right);
        for row in 0..N {
            let known: f64 = (0..row).map(|k| lower[(row, k)] * x[k]).sum();
            x[row] = (x[row] - known) / lower[(row, row)];
        }
        for row in (0..N).rev() {
            let known: f64 = (row + 1..N).map(|k| lower[(k, row)] * x[k]).sum();
            x[row] = (x[row] - known) / lower[(row, row)];
        }
        x
    }
}
