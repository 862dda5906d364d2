//! The window: eframe around [`App`].

use super::{App, FirstView, shared_log};
use crate::state::Settings;
use crate::storage::LocalOpener;
use anyhow::{Result, anyhow};
use eframe::egui;
use std::sync::Arc;

/// Name under which eframe keeps settings, and of the desktop entry.
const APP_ID: &str = "chunkscope";

/// Key of our settings in eframe's storage.
const SETTINGS_KEY: &str = "settings";

struct Window {
    app: App,
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.app.logic(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.app.ui(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        match serde_json::to_string(&self.app.settings()) {
            Ok(json) => storage.set_string(SETTINGS_KEY, json),
            Err(err) => log::error!("can't keep the settings: {err}"),
        }
    }

    fn auto_save_interval(&self) -> std::time::Duration {
        // Recent datasets survive a program that is killed.
        std::time::Duration::from_secs(5)
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// If there is no display, or no OpenGL.
pub fn run(first_view: FirstView) -> Result<()> {
    let icon = eframe::icon_data::from_png_bytes(include_bytes!("../../assets/icon-256.png")).unwrap_or_default();
    let viewport = egui::ViewportBuilder::default()
        .with_app_id(APP_ID)
        .with_title("Chunkscope")
        .with_icon(icon)
        .with_inner_size([1600.0, 1000.0])
        .with_min_inner_size([760.0, 480.0])
        .with_drag_and_drop(true);
    let options =
        eframe::NativeOptions { viewport, renderer: eframe::Renderer::Glow, dithering: false, persist_window: true, ..Default::default() };
    let create: eframe::AppCreator<'_> = Box::new(|creation| {
        let settings = creation.storage.and_then(|storage| storage.get_string(SETTINGS_KEY));
        let settings: Settings = settings.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        let mut app = App::new(&creation.egui_ctx, settings, shared_log(), Arc::new(LocalOpener::default()), first_view)?;
        if let Some(folder) = eframe::storage_dir(APP_ID) {
            app.keep_edits_in(folder.join("recovery"));
        }
        Ok(Box::new(Window { app }))
    });
    // winit panics where a library that it opens at run time is missing.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| eframe::run_native(APP_ID, options, create)));
    match outcome {
        Ok(Ok(())) => Ok(()),
        Ok(Err(err)) => Err(explain(&err.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(explain(&text.unwrap_or_default()))
        }
    }
}

/// There is nothing to open a window on.
#[derive(Debug, thiserror::Error)]
#[error("can't open the window: there is no display; `chunkscope info`, `read`, `slice` and `demo` work without one")]
pub struct NoDisplay;

/// The window system's message in words that say what to do.
fn explain(message: &str) -> anyhow::Error {
    log::debug!("{message}");
    if message.contains("DISPLAY") {
        return NoDisplay.into();
    }
    if message.contains("xkbcommon") {
        return anyhow!("can't open the window: a library is missing: install libxkbcommon-x11-0");
    }
    if ["glutin", "GLX", "EGL", "GL context"].iter().any(|word| message.contains(word)) {
        return anyhow!("can't open the window: no OpenGL: install libgl1 and libgl1-mesa-dri (software rendering will do)");
    }
    if message.contains("EventLoop") {
        return anyhow!("can't open the window: the display that DISPLAY or WAYLAND_DISPLAY names doesn't answer");
    }
    anyhow!("can't open the window: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_window_system_become_advice() {
        let cases = [
            ("neither WAYLAND_DISPLAY nor WAYLAND_SOCKET nor DISPLAY is set", "no display"),
            ("Found no glutin configs", "OpenGL"),
            ("winit EventLoopError: os error at /x/y.rs:7: Connection refused", "doesn't answer"),
            ("Library libxkbcommon-x11.so could not be loaded", "libxkbcommon-x11-0"),
        ];
        for (message, word) in cases {
            assert!(explain(message).to_string().contains(word), "{message}");
        }
    }
}
