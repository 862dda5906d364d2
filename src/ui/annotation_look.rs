//! How parts of an annotation look and are named everywhere: ids, segments, trees, boxes, the choice of a volume.

use super::theme::text;
use crate::format::nml::{SegmentId, Tree, UserBoundingBox};
use crate::scene::segment_color;
use crate::state::{AnnotationCommand, AppContext, OpenAnnotation, OpenVolume};
use crate::voxel::ElementClass;
use egui::{Color32, ComboBox, Ui};

/// The colour that a file gives, without its opacity.
pub fn color_of(rgba: [f32; 4]) -> Color32 {
    let [r, g, b, _] = rgba.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8); // NaN becomes 0
    Color32::from_rgb(r, g, b)
}

/// The colour of a tree: the file's, else one that follows from its id.
pub fn tree_color(tree: &Tree) -> Color32 {
    tree.color.map_or_else(|| color_of_id(tree.id.unsigned_abs(), false), color_of)
}

/// The colour of a box: the file's, else one that follows from its id.
pub fn box_color(user_box: &UserBoundingBox) -> Color32 {
    user_box.color.map_or_else(|| color_of_id(user_box.id.unsigned_abs(), false), color_of)
}

/// The colour that a segment is drawn in.
pub fn color_of_segment(volume: &OpenVolume, id: SegmentId) -> Color32 {
    volume.segment(id).and_then(|segment| segment.color).map_or_else(|| default_color(volume, id), color_of)
}

/// The colour that follows from a segment's id.
pub fn default_color(volume: &OpenVolume, id: SegmentId) -> Color32 {
    color_of_id(id, is_signed(volume.class))
}

fn color_of_id(id: u64, is_signed: bool) -> Color32 {
    let [r, g, b] = segment_color(id, is_signed);
    Color32::from_rgb(r, g, b)
}

fn is_signed(class: ElementClass) -> bool {
    class.full_range().0 < 0.0
}

/// Every digit of an id, as its class writes it.
pub fn id_text(class: ElementClass, id: SegmentId) -> String {
    if is_signed(class) { id.cast_signed().to_string() } else { id.to_string() }
}

/// The name of a tree, or its id where it has none.
pub fn tree_name(tree: &Tree) -> String {
    if tree.name.is_empty() { format!("Tree {}", tree.id) } else { tree.name.clone() }
}

/// The name of a box, or its id where it has none.
pub fn box_name(user_box: &UserBoundingBox) -> String {
    if user_box.name.is_empty() { format!("Box {}", user_box.id) } else { user_box.name.clone() }
}

/// `1 tree`, `3 trees`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", crate::text::count(number as u64), if number == 1 { one } else { many })
}

/// Which of several volumes is painted; nothing where there is no choice.
pub fn volume_choice_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, salt: &str, width: f32) {
    if open.volumes.len() < 2 {
        return;
    }
    let name = open.volume().map_or("", |volume| volume.name.as_str());
    let combo = ComboBox::from_id_salt(salt).selected_text(text::control(name)).truncate().width(width);
    let response = combo.show_ui(ui, |ui| {
        for (index, volume) in open.volumes.iter().enumerate() {
            if ui.selectable_label(index == open.selected, text::control(&volume.name)).clicked() && index != open.selected {
                ctx.send(AnnotationCommand::SelectVolume(index));
            }
        }
    });
    response.response.accessible_name("Volume").on_hover_text("The volume that is painted");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_every_digit_and_the_sign_of_their_class() {
        assert_eq!(id_text(ElementClass::Uint64, u64::MAX), "18446744073709551615");
        assert_eq!(id_text(ElementClass::Uint64, (1 << 53) + 1), "9007199254740993");
        assert_eq!(id_text(ElementClass::Int32, (-7_i64).cast_unsigned()), "-7");
    }

    #[test]
    fn colours_of_a_file_are_rounded_and_hostile_ones_clamped() {
        assert_eq!(color_of([1.0, 0.5, 0.0, 0.2]), Color32::from_rgb(255, 128, 0));
        assert_eq!(color_of([f32::NAN, -3.0, f32::INFINITY, 1.0]), Color32::from_rgb(0, 0, 255));
    }
}
