//! Buckets over a fallback layer, the composed source, and painting against references that go voxel by voxel.

mod composed;
mod edits;
mod propagation;
mod undo;
mod volume;
