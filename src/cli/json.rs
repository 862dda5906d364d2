//! Values that several commands print with `--json`. Names are stable between releases.

use crate::geometry::{BoundingBox, VoxelSize};
use serde::Serialize;

#[derive(Serialize)]
pub struct BoxJson {
    topleft: [i64; 3],
    shape: [i64; 3],
}

impl From<&BoundingBox> for BoxJson {
    fn from(b: &BoundingBox) -> Self {
        Self { topleft: b.topleft.to_array(), shape: b.shape.to_vec().to_array() }
    }
}

#[derive(Serialize)]
pub struct VoxelSizeJson {
    factors: [f64; 3],
    unit: Option<&'static str>,
}

impl From<&VoxelSize> for VoxelSizeJson {
    fn from(size: &VoxelSize) -> Self {
        Self { factors: size.factors(), unit: size.unit.map(|unit| unit.name()) }
    }
}
