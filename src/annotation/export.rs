//! Stub.
#![allow(missing_docs)]
use super::Annotation;
use crate::format::Dataset;
use std::path::Path;
use std::sync::atomic::AtomicBool;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    Wkw,
    Zarr3,
    Zarr3Spec,
}
pub struct ExportOptions {
    pub format: ExportFormat,
    pub only_edited: bool,
}
pub struct ExportReport {
    pub losses: Vec<String>,
}
impl std::fmt::Display for ExportReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("x")
    }
}
#[derive(Debug, thiserror::Error)]
#[error("stub")]
pub struct ExportError;
pub fn export(
    _: &Annotation,
    _: &ExportOptions,
    _: &Path,
    _: &(dyn Fn(u64, u64) + Sync),
    _: &AtomicBool,
) -> Result<ExportReport, ExportError> {
    Err(ExportError)
}
pub fn export_merged(
    _: &Annotation,
    _: &Dataset,
    _: &Path,
    _: &(dyn Fn(u64, u64) + Sync),
    _: &AtomicBool,
) -> Result<ExportReport, ExportError> {
    Err(ExportError)
}
pub struct RoundTripReport {
    pub differences: Vec<String>,
    pub secs: f64,
}
impl RoundTripReport {
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}
impl std::fmt::Display for RoundTripReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("x")
    }
}
pub fn round_trip(
    _: &Annotation,
    _: Option<&Dataset>,
    _: &(dyn Fn(u64, u64) + Sync),
    _: &AtomicBool,
) -> Result<RoundTripReport, ExportError> {
    Err(ExportError)
}
