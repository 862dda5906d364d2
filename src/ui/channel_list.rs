//! The channels of a layer whose channels are mixed by colour: which are shown, in what colour, which is edited.

use super::theme::{Tokens, icons, metrics, text};
use super::widgets::{IconToggle, Row, RowState, SectionHeader};
use crate::scene::{ChannelDisplay, LayerDisplay};
use crate::state::{AppCommand, AppContext, OpenLayer};
use egui::{Align, Label, Layout, Sense, Ui, vec2};
use std::sync::Arc;

/// Room for a colour: narrower than a button, so that names keep theirs.
const SWATCH: egui::Vec2 = vec2(18.0, 16.0);

/// Draws the list; a click on a row shows that channel's histogram and window.
pub fn channel_list_ui(ui: &mut Ui, ctx: &AppContext<'_>, index: usize, layer: &OpenLayer, display: &mut LayerDisplay) {
    let shown = display.channels.iter().filter(|channel| channel.visible).count();
    let subject = format!("{shown} of {} shown", display.channels.len());
    SectionHeader::new("Channels").subject(&subject).show_plain(ui);
    // Cloned on a change only: the list is shared with the picture that is being drawn.
    let mut changed: Option<(usize, ChannelDisplay)> = None;
    for (number, channel) in display.channels.iter().enumerate() {
        let state = if number == layer.selected_channel { RowState::Selected } else { RowState::Plain };
        let mut edited = channel.clone();
        let row = ui.push_id(number, |ui| Row::new(&channel.name, state).show(ui, |ui| row_ui(ui, &mut edited))).inner;
        if row.response.clicked() {
            ctx.send(AppCommand::SelectChannel { layer: index, channel: number });
        }
        if edited != *channel {
            changed = Some((number, edited));
        }
    }
    if let Some((number, edited)) = changed
        && let Some(channel) = Arc::make_mut(&mut display.channels).get_mut(number)
    {
        *channel = edited;
    }
}

fn row_ui(ui: &mut Ui, channel: &mut ChannelDisplay) {
    let tokens = Tokens::of(ui);
    ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
    // The icon stands at the edge of the panel's contents, its button reaches over it.
    ui.add_space(-metrics::TIGHT_GAP);
    let tooltip = if channel.visible { "Hide channel" } else { "Show channel" };
    let name = channel.name.clone();
    ui.add(IconToggle::new(&mut channel.visible, icons::EYE, &name, tooltip).swapping(icons::EYE_SLASH));
    ui.scope(|ui| {
        ui.spacing_mut().interact_size = SWATCH;
        let button = ui.color_edit_button_srgb(&mut channel.color).accessible_name(format!("Colour of {name}"));
        button.on_hover_text("Colour of the highest values");
    });
    ui.add_space(metrics::TIGHT_GAP);
    let color = if channel.visible { tokens.t1 } else { tokens.t3 };
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.add(Label::new(text::control(&name).color(color)).truncate().selectable(false).sense(Sense::hover()));
    });
}
