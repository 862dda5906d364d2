//! Rules of widgets that hold without a window.

use super::histogram::column_heights;
use super::time_axis::{tick_text, time_ticks};
use super::{CountScale, HeldTop, elide_middle, nice_top};

#[test]
fn paths_are_cut_in_the_middle_and_keep_more_of_their_end() {
    for (path, room, expected) in [
        ("color/1/z1/y3/x3.wkw", 20, "color/1/z1/y3/x3.wkw"),
        ("color/1/z1/y3/x3.wkw", 13, "colo…3/x3.wkw"),
        ("/données/µm/x3.wkw", 10, "/do…x3.wkw"),
        ("abc", 1, "…"),
        ("abc", 0, "…"),
    ] {
        assert_eq!(elide_middle(path, room), expected);
    }
}

#[test]
fn axis_tops_are_round_and_have_two_or_three_steps() {
    for (peak, top, step) in [
        (690.0, 750.0, 250.0),
        (19.8, 20.0, 10.0),
        (560.0, 600.0, 200.0),
        (2.0, 2.0, 1.0),
        (0.3, 0.3, 0.1),
        (0.0, 1.0, 0.5),
        (f64::NAN, 1.0, 0.5),
    ] {
        let axis = nice_top(peak);
        assert!((axis.top - top).abs() < 1e-9 && (axis.step - step).abs() < 1e-9, "{peak}: {axis:?}");
    }
}

#[test]
fn axis_top_is_held_for_ten_seconds_after_the_values_have_fallen() {
    let mut held = HeldTop::new(700.0, 0.0);
    assert_eq!(held.update(100.0, 9.0).top, 750.0);
    assert_eq!(held.update(100.0, 10.0).top, 100.0);
    assert_eq!(held.update(800.0, 10.1).top, 1000.0, "growing is at once");
}

#[test]
fn ticks_have_the_digits_of_their_step_and_thin_spaces() {
    for (value, step, expected) in [(2.5, 0.5, "2.5"), (20.0, 10.0, "20"), (9000.0, 1000.0, "9000"), (12_500.0, 2500.0, "12\u{2009}500")] {
        assert_eq!(tick_text(value, step), expected);
    }
}

#[test]
fn time_ticks_carry_the_unit_once() {
    assert_eq!(time_ticks(60.0).map(|(_, text)| text), ["60 s", "45", "30", "15", "now"]);
    assert_eq!(time_ticks(600.0).map(|(_, text)| text), ["10 min", "7.5", "5", "2.5", "now"]);
}

#[test]
fn columns_show_the_highest_of_their_bins() {
    assert_eq!(column_heights(&[1, 4, 0, 2], 2, CountScale::Linear), [1.0, 0.5]);
    assert_eq!(column_heights(&[0, 0], 8, CountScale::Logarithmic), [0.0, 0.0]);
    assert!(column_heights(&[], 8, CountScale::Linear).is_empty());
}

mod with_harness {
    use egui::accesskit::Role;
    use egui_kittest::{Harness, kittest::Queryable as _};

    use crate::ui::theme::{Appearance, Severity, icons, install};
    use crate::ui::widgets::{Histogram, IconToggle, KeyValue, NumberField, Segmented, SliderRow, SplitAxis, SplitBar, TabBar};

    /// The first frame only sets the fonts, which count from the next one on.
    fn harness<'a, State: 'a>(state: State, mut app: impl FnMut(&mut egui::Ui, &mut State) + 'a) -> Harness<'a, State> {
        let mut has_fonts = false;
        let mut harness = Harness::builder().with_size(egui::vec2(320.0, 200.0)).build_ui_state(
            move |ui, state| {
                if has_fonts {
                    app(ui, state);
                } else {
                    install(ui.ctx(), &Appearance::default());
                    ui.ctx().request_repaint();
                    has_fonts = true;
                }
            },
            state,
        );
        harness.run();
        harness
    }

    #[test]
    fn slider_and_its_number_share_the_label_and_arrows_move_it() {
        let mut harness = harness(50.0, |ui, value| {
            ui.add(SliderRow::new("Opacity", value, 0.0..=100.0));
        });
        assert_eq!(harness.get_by_role_and_label(Role::SpinButton, "Opacity").value().as_deref(), Some("50"));
        harness.get_by_role_and_label(Role::Slider, "Opacity").focus();
        harness.run();
        harness.key_press(egui::Key::ArrowRight);
        harness.run();
        assert_eq!(*harness.state(), 51.0);
    }

    #[test]
    fn choices_are_radio_buttons_that_say_what_they_choose() {
        let mut harness = harness(0_u8, |ui, choice| {
            Segmented::new("Pixels", choice).segment(0, "Nearest").segment(1, "Linear").show(ui);
        });
        harness.get_by_role_and_label(Role::RadioButton, "Pixels Linear").click();
        harness.run();
        assert_eq!(*harness.state(), 1);
    }

    #[test]
    fn tabs_name_their_count_and_open_on_click() {
        let mut harness = harness(0_u8, |ui, tab| {
            TabBar::new("Inspector", tab).tab(0, "Probe").tab_with_count(1, "Problems", 5, Severity::Error).show(ui);
        });
        harness.get_by_role_and_label(Role::Tab, "Problems (5)").click();
        harness.run();
        assert_eq!(*harness.state(), 1);
    }

    #[test]
    fn icon_toggles_have_a_name_and_switch() {
        let mut harness = harness(false, |ui, on| {
            ui.add(IconToggle::new(on, icons::RULER, "Scale bar", "Scale bar (B)"));
        });
        harness.get_by_role_and_label(Role::CheckBox, "Scale bar").click();
        harness.run();
        assert!(*harness.state());
    }

    #[test]
    fn histogram_handles_never_cross() {
        let mut harness = harness((254.5, 255.0), |ui, window| {
            if let Some(changed) = Histogram::new(&[1, 2, 3], 0.0..=255.0, *window).show(ui).window {
                *window = changed;
            }
        });
        harness.get_by_role_and_label(Role::Slider, "Window minimum").focus();
        harness.run();
        harness.key_press(egui::Key::ArrowRight);
        harness.run();
        assert_eq!(*harness.state(), (255.0, 255.0));
        harness.key_press(egui::Key::ArrowLeft);
        harness.run();
        assert!(harness.state().0 < 255.0);
    }

    #[test]
    fn dragging_a_histogram_handle_moves_its_end_of_the_window() {
        let mut harness = harness((64.0, 255.0), |ui, window| {
            if let Some(changed) = Histogram::new(&[1, 2, 3], 0.0..=256.0, *window).show(ui).window {
                *window = changed;
            }
        });
        let handle = harness.get_by_role_and_label(Role::Slider, "Window minimum").rect().center();
        let picture = harness.get_by_role_and_label(Role::Image, "Histogram").rect();
        harness.drag_at(handle);
        harness.run();
        harness.hover_at(picture.center());
        harness.run();
        harness.drop_at(picture.center());
        harness.run();
        assert_eq!(*harness.state(), (128.0, 255.0));
    }

    #[test]
    fn a_split_bar_follows_the_pointer_and_keeps_its_limits() {
        let area = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(200.0, 100.0));
        let mut harness = harness(0.5_f32, move |ui, fraction| {
            let gap = egui::Rect::from_x_y_ranges(200.0 * *fraction - 2.0..=200.0 * *fraction + 2.0, 0.0..=100.0);
            SplitBar::new("Columns", SplitAxis::Horizontal, fraction, 0.55).show(ui, egui::Id::unique("split"), gap, area);
        });
        harness.drag_at(egui::pos2(100.0, 50.0));
        harness.run();
        harness.hover_at(egui::pos2(60.0, 50.0));
        harness.run();
        assert!((*harness.state() - 0.3).abs() < 1e-6);
        harness.hover_at(egui::pos2(1.0, 50.0));
        harness.run();
        harness.drop_at(egui::pos2(1.0, 50.0));
        harness.run();
        assert!((*harness.state() - 0.15).abs() < 1e-6);
    }

    #[test]
    fn typed_numbers_count_after_enter() {
        let mut harness = harness(34.0, |ui, value| {
            ui.add(NumberField::new("Min", value).prefix("Min").range(0.0..=255.0).decimals(0));
        });
        harness.get_by_role_and_label(Role::SpinButton, "Min").focus();
        harness.run();
        harness.event(egui::Event::Text("99".to_owned()));
        harness.run();
        assert_eq!(*harness.state(), 34.0);
        harness.key_press(egui::Key::Enter);
        harness.run();
        assert_eq!(*harness.state(), 99.0);
    }

    #[test]
    fn copy_buttons_are_named_after_what_they_copy() {
        let mut harness = harness((), |ui, ()| {
            ui.add(KeyValue::new("Value", "0.0312499981").mono().copyable());
        });
        harness.get_by_role_and_label(Role::Button, "Copy Value").click();
        harness.step();
        let copied = harness
            .output()
            .platform_output
            .commands
            .iter()
            .any(|command| matches!(command, egui::OutputCommand::CopyText(text) if text == "0.0312499981"));
        assert!(copied);
    }
}
