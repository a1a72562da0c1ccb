//! Convex decompositions as bytes and files.

use std::path::Path;
use std::sync::Arc;

use kinetic_core::{Result, files};
use nalgebra::DMatrix;

use super::overlap::Overlap;
use super::polytope::Polytope;
use super::{ConvexDecomposition, ConvexRegion, IrisOptions};
use crate::binary_record::{RecordReader, RecordWriter};
use crate::space::Space;

/// What every file begins with: a number for the form of the file.
const MAGIC: &[u8] = b"kinetic-regions 3\n";

impl ConvexDecomposition {
    /// Writes it to a file.
    ///
    /// # Errors
    /// [`KineticError::Io`](kinetic_core::KineticError::Io).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        files::write(path, self.to_bytes())
    }

    /// Reads a file that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`KineticError::Io`](kinetic_core::KineticError::Io); [`KineticError::FileParse`](kinetic_core::KineticError::FileParse) for a file that
    /// has no regions, of another form, or damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_bytes(&files::read(path)?, &path.display().to_string())
    }

    /// The content of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = RecordWriter::new(MAGIC);
        out.names(&self.names);
        out.text(&self.scene_version.map_or_else(String::new, |version| version.to_string()));
        out.integer(self.dof() as u64);
        for row in [self.space.lower(), self.space.upper(), self.space.weights()] {
            out.numbers(row);
        }
        out.integer(u64::from(self.options.is_some()));
        if let Some(IrisOptions { collision_fraction, confidence, margin, iterations, least_growth }) = self.options {
            out.numbers(&[collision_fraction, confidence, margin, least_growth]);
            out.integer(iterations as u64);
        }
        out.integer(self.regions.len() as u64);
        self.regions.iter().for_each(|region| write_region(&mut out, region));
        out.integer(self.overlaps.len() as u64);
        for Overlap { regions, middle, is_passable } in self.overlaps.iter() {
            for region in regions {
                out.integer(*region as u64);
            }
            out.numbers(middle);
            out.integer(u64::from(*is_passable));
        }
        out.finish()
    }

    /// A decomposition from what [`to_bytes`](Self::to_bytes) wrote; `name` stands for it in errors.
    ///
    /// # Errors
    /// [`KineticError::FileParse`](kinetic_core::KineticError::FileParse).
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        RecordReader::read(bytes, ("no convex regions", MAGIC), name, read)
    }
}

/// What the record of one region begins with.
const REGION_MAGIC: &[u8] = b"kinetic-region 2\n";

impl ConvexRegion {
    /// The region as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = RecordWriter::new(REGION_MAGIC);
        out.integer(self.dof() as u64);
        write_region(&mut out, self);
        out.finish()
    }

    /// A region from what [`to_bytes`](Self::to_bytes) wrote; `name` stands for it in errors.
    ///
    /// # Errors
    /// [`KineticError::FileParse`](kinetic_core::KineticError::FileParse).
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        let read = |reader: &mut RecordReader<'_>| {
            let dof = reader.count(8)?;
            read_region(reader, dof)
        };
        RecordReader::read(bytes, ("no convex region", REGION_MAGIC), name, read)
    }
}

fn write_region(out: &mut RecordWriter, region: &ConvexRegion) {
    out.numbers(region.seed());
    out.numbers(region.center());
    out.numbers(region.axes().as_slice());
    out.integer(region.num_faces() as u64);
    out.numbers(region.normals());
    out.numbers(region.offsets());
}

/// The decomposition that a content states; `None` for one that states none.
fn read(reader: &mut RecordReader<'_>) -> Option<ConvexDecomposition> {
    let names = reader.names()?;
    let version = reader.text()?;
    let scene_version = if version.is_empty() { None } else { Some(version.parse().ok()?) };
    let dof = reader.count(24)?;
    let (lower, upper, weights) = (reader.numbers(dof)?, reader.numbers(dof)?, reader.numbers(dof)?);
    let space = Space::new(lower, upper).ok()?.with_weights(weights).ok()?;
    let options = match reader.integer()? {
        0 => None,
        1 => Some(read_options(reader)?),
        _ => return None,
    };
    let count = reader.count(16 * dof)?;
    let regions = (0..count).map(|_| read_region(reader, dof)).collect::<Option<Vec<_>>>()?;
    let count = reader.count(8 * (3 + dof))?;
    let overlaps = (0..count).map(|_| read_overlap(reader, &regions)).collect::<Option<Vec<_>>>()?;
    let (regions, overlaps) = (Arc::new(regions), Arc::new(overlaps));
    Some(ConvexDecomposition { names, space, options, scene_version, regions, overlaps })
}

/// An overlap whose middle is in both regions.
fn read_overlap(reader: &mut RecordReader<'_>, regions: &[ConvexRegion]) -> Option<Overlap> {
    let mut place = || reader.integer().and_then(|place| usize::try_from(place).ok());
    let places = [place()?, place()?];
    let [first, second] = [regions.get(places[0])?, regions.get(places[1])?];
    let middle = reader.numbers(first.dof())?;
    let is_passable = reader.integer()?;
    let is_one = places[0] < places[1]
        && is_passable < 2
        && middle.iter().all(|value| value.is_finite())
        && [first, second].iter().all(|region| region.polytope.contains(&middle));
    is_one.then_some(Overlap { regions: places, middle, is_passable: is_passable == 1 })
}

fn read_options(reader: &mut RecordReader<'_>) -> Option<IrisOptions> {
    let numbers = reader.numbers(4)?;
    let options = IrisOptions {
        collision_fraction: numbers[0],
        confidence: numbers[1],
        margin: numbers[2],
        least_growth: numbers[3],
        iterations: usize::try_from(reader.integer()?).ok()?,
    };
    options.check().ok()?;
    Some(options)
}

/// A region whose seed and centre are in it, and which has as many faces as a bounded one needs.
fn read_region(reader: &mut RecordReader<'_>, dof: usize) -> Option<ConvexRegion> {
    let (seed, center) = (reader.numbers(dof)?, reader.numbers(dof)?);
    let axes = DMatrix::from_vec(dof, dof, reader.numbers(dof * dof)?);
    let faces = reader.count(8 * (dof + 1))?;
    let (normals, offsets) = (reader.numbers(faces * dof)?, reader.numbers(faces)?);
    let polytope = Polytope::of_faces(dof, normals, offsets);
    let is_one = dof > 0
        && faces > dof
        && polytope.faces().all(|(normal, offset)| offset.is_finite() && is_unit(normal))
        && seed.iter().chain(&center).all(|value| value.is_finite())
        && axes.iter().all(|value| value.is_finite())
        && axes.diagonal().iter().all(|value| *value > 0.0)
        && polytope.contains(&seed)
        && polytope.contains(&center);
    is_one.then(|| ConvexRegion::of_axes(polytope, &seed, &center, axes))
}

fn is_unit(normal: &[f64]) -> bool {
    (normal.iter().map(|value| value * value).sum::<f64>() - 1.0).abs() < 1e-9
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use kinetic_core::{Control, KineticError};

    use super::*;

    fn square(x: f64) -> ConvexRegion {
        let normals = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0];
        ConvexRegion::from_faces(2, &normals, &[x + 1.0, 1.0 - x, 1.0, 1.0]).unwrap()
    }

    fn is_refused<T>(read: Result<T>) -> bool {
        matches!(read, Err(KineticError::FileParse { .. }))
    }

    #[test]
    fn regions_without_a_bound_are_refused() {
        let open = Polytope::of_faces(2, vec![1.0, 0.0, 0.0, 1.0], vec![1.0, 1.0]);
        let region = ConvexRegion::of_axes(open, &[0.0; 2], &[0.0; 2], DMatrix::identity(2, 2));
        assert!(is_refused(ConvexRegion::from_bytes(&region.to_bytes(), "region")));
    }

    #[test]
    fn overlaps_that_are_none_are_refused() {
        let space = Space::from_bounds(&[(-5.0, 5.0); 2]).unwrap();
        let whole =
            ConvexDecomposition::from_regions(&space, vec![square(0.0), square(1.5)], &Control::default()).unwrap();
        let read = ConvexDecomposition::from_bytes(&whole.to_bytes(), "regions").unwrap();
        assert_eq!((&read.regions, &read.overlaps), (&whole.regions, &whole.overlaps));
        for (regions, middle) in
            [([0, 1], [0.0, 0.0]), ([0, 1], [f64::NAN, 0.0]), ([1, 0], [0.75, 0.0]), ([0, 2], [0.75, 0.0])]
        {
            let overlaps = Arc::new(vec![Overlap { regions, middle: middle.to_vec(), is_passable: true }]);
            let bytes = ConvexDecomposition { overlaps, ..whole.clone() }.to_bytes();
            assert!(is_refused(ConvexDecomposition::from_bytes(&bytes, "regions")), "{regions:?}, {middle:?}");
        }
    }
}
