//! The window, driven through its accessibility tree.

#[path = "../support/mod.rs"]
mod builders;
mod support;

mod annotation;
mod autosave;
mod channels_and_axes;
mod editing;
mod errors;
mod exports;
mod frames;
mod keys;
mod layers;
mod memory;
mod navigate;
mod open;
mod panels;
mod synthetic;
mod tools;
