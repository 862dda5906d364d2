//! How the window looks: colour tokens, text styles, fonts, icons and the `egui::Style` made of them.
//!
//! This is the only place where colours, font sizes and icon code points are written. Widgets and
//! panels read them with [`Tokens::of`]. It knows nothing of what is shown.
//!
//! ```ignore
//! theme::install(&creation_context.egui_ctx, &Appearance::default());
//! let tokens = Tokens::of(ui);
//! ui.label(text::control("Gamma").color(tokens.t2));
//! ```

pub mod color;
pub mod fonts;
pub mod icons;
pub mod metrics;
mod style;
pub mod text;
mod tokens;

pub use icons::Icon;
pub use style::{Appearance, Motion, TextSize, apply, install, style};
pub use tokens::{ChunkColors, Plane, PlaneColors, Series, Severity, SliceColors, Tokens};

#[cfg(test)]
mod tests;
