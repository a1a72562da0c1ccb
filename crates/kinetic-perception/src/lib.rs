#![doc = include_str!("../README.md")]

mod camera;
mod depth;
mod neighbor_tree;
mod octree;
mod outliers;
mod point_cloud;
mod voxel_grid;

pub use camera::{CameraModel, Distortion};
pub use depth::{DepthImage, DepthValues};
pub use neighbor_tree::NeighborTree;
pub use octree::{CellCube, ColumnState, InsertionReport, Octree, OctreeConfig, OctreeLeaf, Projection};
pub use outliers::OutlierFilter;
pub use point_cloud::{CropBox, FilteredCloud, PointCloudConfig, PointCloudReport};
