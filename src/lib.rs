//! Chunkscope: inspector and viewer for huge 3D voxel datasets stored in shards and chunks.
//!
//! Modules in layer order; a module uses lower layers and named neighbours, never a higher one
//! (`tests/core/layering.rs` checks it):
//!
//! | layer | modules | are |
//! |---|---|---|
//! | 5–7 | `ui`, `app`, `main.rs`, [`cli`], [`desktop`] | panels; eframe glue and tasks; the program; double-click on Linux |
//! | 4 | [`state`] | what the app knows; commands and what they change |
//! | 3 | [`scene`], [`demo`] | what is visible and how voxels become pixels; the demo dataset |
//! | 2 | [`loading`], [`annotation`], [`compare`] | queue, pools, cache, meter; volume annotations and painting; differences |
//! | 1 | [`format`] | what the bytes mean |
//! | 0 | [`geometry`], [`voxel`], [`codec`], [`storage`], [`problem`], [`text`] | values, bytes by key, (de)compression |
//!
//! egui appears in layers 5 to 7 only, data is read in `storage` only (written in `format::wkw`'s writer; exports appear
//! whole through `storage`, edits are saved aside by `app`), threads start in `loading::pool` and `app::tasks` only.

pub mod annotation;
#[cfg(feature = "gui")]
pub mod app;
pub mod cli;
pub mod codec;
pub mod compare;
pub mod demo;
pub mod desktop;
pub mod format;
pub mod geometry;
pub mod loading;
pub mod problem;
pub mod scene;
pub mod state;
pub mod storage;
pub mod text;
#[cfg(feature = "gui")]
pub mod ui;
pub mod voxel;
