#![doc = include_str!("../README.md")]

mod bounded_points;
mod camera;
mod clusters;
mod depth;
mod distortion;
mod marching_cubes;
mod neighbor_tree;
mod object_tracker;
mod octree;
mod outliers;
mod point_cloud;
mod ray_table;
mod scalar_grid;
mod undistortion;
mod upright_box;
mod voxel_grid;

pub use camera::CameraModel;
pub use clusters::ClusterConfig;
pub use depth::{DepthImage, DepthValues};
pub use distortion::Distortion;
pub use marching_cubes::{SurfaceMesh, marching_cubes};
pub use neighbor_tree::NeighborTree;
pub use object_tracker::{ObjectTracker, TrackedObject, TrackerConfig, TrackerUpdate};
pub use octree::{CellCube, ColumnState, InsertionReport, Octree, OctreeConfig, OctreeLeaf, Projection, Sight};
pub use outliers::OutlierFilter;
pub use point_cloud::{CropBox, FilteredCloud, PointCloudConfig, PointCloudReport};
pub use scalar_grid::ScalarGrid;
pub use upright_box::upright_box;
