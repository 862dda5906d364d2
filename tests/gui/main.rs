//! The window, driven through its accessibility tree.

#[path = "../support/mod.rs"]
mod builders;
mod support;

mod errors;
mod frames;
mod keys;
mod layers;
mod memory;
mod navigate;
mod open;
mod panels;
