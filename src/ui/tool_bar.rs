//! The bar above the panes: tools of the annotation and how they paint.

use super::annotation_look::{color_of_segment, id_text, volume_choice_ui};
use super::theme::{Icon, fonts, icons, metrics};
use super::top_bar::with_shortcut;
use super::widgets::{LegendMark, NumberField, Segmented, SliderRow, ToolButton, bar_separator_ui, state_label_ui};
use crate::state::{AnnotationCommand, AppContext, OpenAnnotation, PaintTools, Tool, UiCommand};
use egui::{Align, Color32, Layout, Ui, UiBuilder, vec2};

const TOOLS: [(Tool, UiCommand, Icon); 6] = [
    (Tool::Move, UiCommand::ToolMove, icons::ARROWS_OUT_CARDINAL),
    (Tool::Brush, UiCommand::ToolBrush, icons::PAINT_BRUSH),
    (Tool::Eraser, UiCommand::ToolEraser, icons::ERASER),
    (Tool::Trace, UiCommand::ToolTrace, icons::LASSO),
    (Tool::Fill, UiCommand::ToolFill, icons::PAINT_BUCKET),
    (Tool::Picker, UiCommand::ToolPicker, icons::EYEDROPPER),
];

const SEPARATOR: f32 = 9.0 + 2.0 * metrics::TIGHT_GAP;
const SIZE_LABEL: f32 = 36.0;
const SLIDER: f32 = 172.0;
const NUMBER: f32 = 92.0;
const VOLUME: f32 = 128.0;

/// What the room of the bar is enough for, from wide to narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fold {
    /// Tools have their names beside them.
    has_names: bool,
    /// The size has a slider beside its number.
    has_slider: bool,
    /// What is painted over, or where is filled, can be chosen here and not in the menu only.
    has_modes: bool,
}

impl Fold {
    /// The widest form that fits, the same for all tools: else buttons would move away under the pointer that takes one.
    fn fitting(room: f32, widths: &Widths) -> Self {
        let (slider, number, modes) = (SEPARATOR + SLIDER, SEPARATOR + NUMBER, SEPARATOR + widths.modes);
        let forms = [
            (widths.named + slider + modes, Self { has_names: true, has_slider: true, has_modes: true }),
            (widths.icons + slider + modes, Self { has_names: false, has_slider: true, has_modes: true }),
            (widths.icons + number + modes, Self { has_names: false, has_slider: false, has_modes: true }),
        ];
        let narrowest = Self { has_names: false, has_slider: false, has_modes: false };
        forms.into_iter().find(|(width, _)| *width <= room).map_or(narrowest, |(_, fold)| fold)
    }
}

/// Widths of the bar's parts in points, with the longest options that a tool has.
struct Widths {
    named: f32,
    icons: f32,
    modes: f32,
}

/// Draws the bar over the whole of `ui`.
pub fn tool_bar_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation) {
    let rect = ui.max_rect().shrink2(vec2(metrics::GAP, 0.0));
    let tools = ctx.state.tools;
    let mut right = ui.new_child(UiBuilder::new().id_salt("right").max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    right.spacing_mut().item_spacing.x = metrics::GAP;
    // Where there is little room, the inspector has the choice, too.
    let volume_room = if open.volumes.len() > 1 && rect.width() >= 560.0 { VOLUME + 2.0 * metrics::GAP } else { 0.0 };
    if volume_room > 0.0 {
        volume_choice_ui(&mut right, ctx, open, "volume of the tool bar", VOLUME);
    }
    let room = rect.width() - volume_room;
    let fold = Fold::fitting(room, &widths(ui));
    let mut bar = ui.new_child(UiBuilder::new().id_salt("tools").max_rect(rect).layout(Layout::left_to_right(Align::Center)));
    bar.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
    for (tool, command, icon) in TOOLS {
        let tooltip = with_shortcut(command);
        let button = ToolButton::new(icon, tool.text(), &tooltip, tools.tool == tool);
        if bar.add(if fold.has_names { button } else { button.without_name() }).clicked() {
            ctx.send(command);
        }
    }
    options_ui(&mut bar, ctx, open, fold);
    active_segment_ui(&mut right, open, bar.min_rect().right());
}

/// What the tool in hand can be set to.
fn options_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, fold: Fold) {
    let mut tools = ctx.state.tools;
    if tools.tool.has_disc() {
        bar_separator_ui(ui);
        size_ui(ui, open, &mut tools, fold.has_slider);
    }
    if fold.has_modes && has_overwrite(tools.tool) {
        bar_separator_ui(ui);
        let tooltip = with_shortcut(UiCommand::ToggleOverwrite);
        let (name, [all, only]) = if tools.tool == Tool::Eraser { ("Erasing", ERASE) } else { ("Painting over", OVERWRITE) };
        let choice = Segmented::new(name, &mut tools.empty_only).segment(false, all).segment(true, only);
        choice.show(ui).on_hover_text(format!("{tooltip}. Ctrl swaps it while you paint"));
    }
    if fold.has_modes && tools.tool == Tool::Fill {
        bar_separator_ui(ui);
        let choice = Segmented::new("Fill", &mut tools.fill_in_volume).segment(false, FILL[0]).segment(true, FILL[1]);
        choice.show(ui).on_hover_text(with_shortcut(UiCommand::ToggleFillVolume));
    }
    if tools != ctx.state.tools {
        ctx.send(AnnotationCommand::SetTools(tools));
    }
}

const OVERWRITE: [&str; 2] = ["Overwrite all", "Empty only"];
/// With the eraser the same switch spares all segments but the active one.
const ERASE: [&str; 2] = ["Erase all", "Active segment only"];
const FILL: [&str; 2] = ["In slice", "In 3D"];

const fn has_overwrite(tool: Tool) -> bool {
    matches!(tool, Tool::Brush | Tool::Eraser | Tool::Trace)
}

fn size_ui(ui: &mut Ui, open: &OpenAnnotation, tools: &mut PaintTools, has_slider: bool) {
    let Some(volume) = open.volume() else { return };
    let max = f64::from(volume.max_brush());
    let mut size = f64::from(volume.brush_size(tools));
    let range = f64::from(PaintTools::MIN_BRUSH)..=max;
    ui.scope(|ui| {
        let response = if has_slider {
            ui.set_max_width(SLIDER);
            ui.add(SliderRow::new("Size", &mut size, range).logarithmic().label_width(SIZE_LABEL))
        } else {
            ui.add(NumberField::new("Size", &mut size).prefix("Size").width(NUMBER - metrics::TIGHT_GAP).range(range).decimals(0))
        };
        if response.changed() {
            tools.brush_size = size.round().clamp(1.0, max) as u32; // at least 1, at most a u32
        }
        response.on_hover_text("Diameter in voxels of the finest mag (Shift+wheel over a pane)");
    });
}

/// The segment that is painted, where there is room for it.
fn active_segment_ui(right: &mut Ui, open: &OpenAnnotation, bar_end: f32) {
    let Some(volume) = open.volume().filter(|volume| volume.active != 0) else { return };
    let id = id_text(volume.class, volume.active);
    let name = volume.segment(volume.active).and_then(|segment| segment.name.as_deref()).unwrap_or_default();
    let free = right.cursor().right() - bar_end - 32.0;
    let named = format!("{id} {}", crate::text::shortened(name, 24));
    for label in [named.trim_end(), id.as_str()] {
        if text_width(right, label) <= free {
            let chip = state_label_ui(right, LegendMark::Swatch(color_of_segment(volume, volume.active)), label);
            chip.on_hover_text(format!("Segment {} is painted", format!("{id} {name}").trim_end()));
            return;
        }
    }
}

fn widths(ui: &Ui) -> Widths {
    let names: f32 = TOOLS.iter().map(|(tool, ..)| text_width(ui, tool.text()) + 6.0).sum();
    let icons = TOOLS.len() as f32 * (Icon::SIZE + 2.0 * metrics::GAP + metrics::TIGHT_GAP);
    let segmented = |labels: [&str; 2]| labels.iter().map(|label| text_width(ui, label) + 22.0).sum::<f32>();
    Widths { named: icons + names, icons, modes: segmented(OVERWRITE).max(segmented(ERASE)) }
}

fn text_width(ui: &Ui, text: &str) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), fonts::control(), Color32::PLACEHOLDER).size().x.ceil()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: Widths = Widths { named: 480.0, icons: 216.0, modes: 180.0 };

    #[test]
    fn names_go_first_then_the_slider_then_the_modes() {
        let of = |room| {
            let Fold { has_names, has_slider, has_modes } = Fold::fitting(room, &WIDTHS);
            (has_names, has_slider, has_modes)
        };
        assert_eq!(of(950.0), (true, true, true));
        assert_eq!(of(716.0), (false, true, true), "a window of 1280");
        assert_eq!(of(530.0), (false, false, true));
        assert_eq!(of(320.0), (false, false, false));
    }
}
