//! Trees of the skeleton, in their groups.

use super::row::{Lists, TEXT_LEFT, eye_ui, left_text, right_text};
use super::{found_text, padded_ui};
use crate::format::nml::{Nml, TreeGroup};
use crate::state::{AnnotationCommand, AppCommand, AppContext, OpenAnnotation};
use crate::ui::annotation_look::{counted, tree_color, tree_name};
use crate::ui::theme::{Icon, Tokens, fonts, icons, metrics, text};
use crate::ui::widgets::{Row, RowState, SectionHeader, TextField};
use egui::{Align2, Ui, pos2};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// From how many trees on they can be searched.
const MANY: usize = 8;
/// Indentation of what is in a group.
const INDENT: f32 = 12.0;
/// Groups in groups deeper than this are listed side by side.
const MAX_DEPTH: usize = 32;

/// The section with what it remembers.
#[derive(Debug)]
pub struct TreesPanel {
    is_open: bool,
    query: String,
    /// Groups that were folded or unfolded by hand.
    switched_groups: HashSet<i64>,
    listed: Option<Listed>,
}

/// The rows, made anew only when something changed: there may be a hundred thousand.
#[derive(Debug)]
struct Listed {
    nml: Arc<Nml>,
    query: String,
    switched_groups: HashSet<i64>,
    rows: Vec<ListRow>,
    /// Trees among them.
    trees: usize,
}

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
enum ListRow {
    Group { id: i64, name: String, depth: usize, trees: usize, is_folded: bool },
    Tree { index: usize, depth: usize },
}

impl Default for TreesPanel {
    fn default() -> Self {
        Self { is_open: true, query: String::new(), switched_groups: HashSet::new(), listed: None }
    }
}

impl TreesPanel {
    /// Draws the section if there are trees.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, lists: &mut Lists) {
        let trees = open.nml.trees.len();
        if trees == 0 {
            return;
        }
        self.list(&open.nml);
        let found = self.listed.as_ref().filter(|listed| !listed.query.trim().is_empty()).map(|listed| listed.trees);
        padded_ui(ui, |ui| {
            let subject = found_text(found, trees);
            SectionHeader::new("Trees").subject(&subject).foldable(&mut self.is_open).flush().show(ui, |ui| {
                if trees > MANY {
                    let field = TextField::new("Search trees", &mut self.query).hint("Name").icon(icons::MAGNIFYING_GLASS).width(120.0);
                    ui.add(field);
                }
            });
        });
        if !self.is_open {
            return;
        }
        self.list(&open.nml);
        let Some(listed) = &self.listed else { return };
        if listed.rows.is_empty() {
            padded_ui(ui, |ui| super::hint_ui(ui, "No tree has this in its name"));
            return;
        }
        let mut switched = None;
        lists.rows_ui(ui, "trees", listed.rows.len(), None, |ui, row| match listed.rows.get(row) {
            Some(ListRow::Group { id, name, depth, trees, is_folded }) => {
                switched = group_ui(ui, name, *depth, *trees, *is_folded).then_some(*id).or(switched);
            }
            Some(ListRow::Tree { index, depth }) => tree_ui(ui, ctx, open, *index, *depth),
            None => {}
        });
        if let Some(id) = switched
            && !self.switched_groups.remove(&id)
        {
            self.switched_groups.insert(id);
        }
    }

    fn list(&mut self, nml: &Arc<Nml>) {
        let is_current = self.listed.as_ref().is_some_and(|listed| {
            Arc::ptr_eq(&listed.nml, nml) && listed.query == self.query && listed.switched_groups == self.switched_groups
        });
        if is_current {
            return;
        }
        let is_other_file = self.listed.as_ref().is_some_and(|listed| !Arc::ptr_eq(&listed.nml, nml));
        if is_other_file {
            self.query.clear();
            self.switched_groups.clear();
        }
        let rows = rows_of(nml, &self.query, &self.switched_groups);
        let trees = rows.iter().filter(|row| matches!(row, ListRow::Tree { .. })).count();
        let (query, switched_groups) = (self.query.clone(), self.switched_groups.clone());
        self.listed = Some(Listed { nml: nml.clone(), query, switched_groups, rows, trees });
    }
}

/// Trees whose names contain a text, below their groups; trees without a group last.
fn rows_of(nml: &Nml, query: &str, switched: &HashSet<i64>) -> Vec<ListRow> {
    let query = query.trim().to_lowercase();
    let mut by_group: HashMap<Option<i64>, Vec<usize>> = HashMap::new();
    let known = group_ids(&nml.tree_groups);
    for (index, tree) in nml.trees.iter().enumerate() {
        if query.is_empty() || tree_name(tree).to_lowercase().contains(&query) {
            by_group.entry(tree.group.filter(|group| known.contains(group))).or_default().push(index);
        }
    }
    let mut rows = Vec::new();
    let is_searched = !query.is_empty();
    add_groups(&nml.tree_groups, 0, &by_group, switched, is_searched, &mut rows);
    rows.extend(by_group.remove(&None).into_iter().flatten().map(|index| ListRow::Tree { index, depth: 0 }));
    rows
}

fn group_ids(groups: &[TreeGroup]) -> HashSet<i64> {
    let mut ids = HashSet::new();
    let mut waiting: Vec<&TreeGroup> = groups.iter().collect();
    while let Some(group) = waiting.pop() {
        ids.insert(group.id);
        waiting.extend(&group.groups);
    }
    ids
}

/// Adds groups with what is in them; answers how many trees that are.
fn add_groups(
    groups: &[TreeGroup],
    depth: usize,
    by_group: &HashMap<Option<i64>, Vec<usize>>,
    switched: &HashSet<i64>,
    is_searched: bool,
    rows: &mut Vec<ListRow>,
) -> usize {
    let mut total = 0;
    for group in groups {
        let at = rows.len();
        let is_folded = !is_searched && group.is_expanded == switched.contains(&group.id);
        rows.push(ListRow::Group { id: group.id, name: group.name.clone(), depth, trees: 0, is_folded });
        let inner_depth = depth + usize::from(depth < MAX_DEPTH);
        let mut inside = add_groups(&group.groups, inner_depth, by_group, switched, is_searched, rows);
        let own = by_group.get(&Some(group.id)).map_or(&[][..], Vec::as_slice);
        rows.extend(own.iter().map(|index| ListRow::Tree { index: *index, depth: inner_depth }));
        inside += own.len();
        if is_folded || (is_searched && inside == 0) {
            rows.truncate(at + usize::from(!is_searched));
        }
        if let Some(ListRow::Group { trees, .. }) = rows.get_mut(at) {
            *trees = inside;
        }
        total += inside;
    }
    total
}

/// A group's line; answers whether it was clicked.
fn group_ui(ui: &mut Ui, name: &str, depth: usize, trees: usize, is_folded: bool) -> bool {
    let shown = if name.is_empty() { "Group" } else { name };
    let row = Row::new(&format!("Group {shown}"), RowState::Plain).show(ui, |ui| {
        let (rect, tokens) = (ui.max_rect(), Tokens::of(ui));
        let left = rect.left() + depth as f32 * INDENT;
        let caret = if is_folded { icons::CARET_RIGHT } else { icons::CARET_DOWN };
        let at = pos2(left + 6.0, rect.center().y);
        ui.painter().text(at, Align2::CENTER_CENTER, caret.as_str(), fonts::icon(Icon::SIZE_CARET), tokens.t2);
        let end = right_text(ui, rect, &counted(trees, "tree", "trees"), tokens.t3);
        left_text(ui, rect, left + 20.0, end - metrics::GAP, text::control(shown).color(tokens.t2));
    });
    row.response.clicked()
}

fn tree_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, index: usize, depth: usize) {
    let Some(tree) = open.nml.trees.get(index) else { return };
    let name = tree_name(tree);
    let is_visible = open.shows_tree(index);
    let is_selected = open.selected_tree == Some(index);
    let state = if is_selected { RowState::Active } else { RowState::Plain };
    let row = Row::new(&format!("Tree {name}"), state).show(ui, |ui| {
        let (mut rect, tokens) = (ui.max_rect(), Tokens::of(ui));
        rect.min.x += depth as f32 * INDENT;
        let is_switched = eye_ui(ui, rect, &format!("Show tree {name}"), is_visible);
        ui.painter().circle_filled(pos2(rect.left() + 30.0, rect.center().y), 4.0, tree_color(tree));
        let branchpoints = open.skeleton.branchpoints_of(index);
        let mut size = counted(tree.nodes.len(), "node", "nodes");
        if branchpoints > 0 {
            size += &format!(", {}", counted(branchpoints, "branchpoint", "branchpoints"));
        }
        let (color, quiet) = match (is_visible, is_selected) {
            (false, _) => (tokens.t3, tokens.t3),
            (true, true) => (tokens.t1, tokens.acctx),
            (true, false) => (tokens.t1, tokens.t2),
        };
        let end = right_text(ui, rect, &size, quiet);
        left_text(ui, rect, rect.left() + TEXT_LEFT, end - metrics::GAP, text::control(&name).color(color));
        is_switched
    });
    if row.inner {
        ctx.send(AnnotationCommand::SwitchTree(index));
    } else if row.response.clicked() {
        ctx.send(AnnotationCommand::SelectTree(Some(index)));
        if let Some(first) = tree.nodes.first() {
            ctx.send(AppCommand::SetPosition(first.position));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::nml::Tree;

    fn nml() -> Nml {
        let tree = |id: i64, name: &str, group| Tree {
            id,
            name: name.to_owned(),
            color: None,
            group,
            is_visible: true,
            is_agglomerate: false,
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        let inner = TreeGroup { id: 2, name: "inner".to_owned(), is_expanded: true, groups: Vec::new() };
        let outer = TreeGroup { id: 1, name: "outer".to_owned(), is_expanded: true, groups: vec![inner] };
        let trees = vec![tree(10, "axon", Some(2)), tree(11, "spine", Some(1)), tree(12, "", Some(99)), tree(13, "Axon 2", None)];
        Nml { trees, tree_groups: vec![outer], ..Nml::default() }
    }

    fn seen(query: &str, switched: &[i64]) -> Vec<(String, usize)> {
        let nml = nml();
        let rows = rows_of(&nml, query, &switched.iter().copied().collect());
        let name = |row| match row {
            ListRow::Group { name, depth, trees, .. } => (format!("{name} {trees}"), depth),
            ListRow::Tree { index, depth } => (tree_name(&nml.trees[index]), depth),
        };
        rows.into_iter().map(name).collect()
    }

    fn expected(rows: &[(&str, usize)]) -> Vec<(String, usize)> {
        rows.iter().map(|(name, depth)| ((*name).to_owned(), *depth)).collect()
    }

    #[test]
    fn trees_stand_below_their_groups_and_those_of_unknown_groups_last() {
        let all = [("outer 2", 0), ("inner 1", 1), ("axon", 2), ("spine", 1), ("Tree 12", 0), ("Axon 2", 0)];
        assert_eq!(seen("", &[]), expected(&all));
    }

    #[test]
    fn a_folded_group_still_counts_its_trees() {
        assert_eq!(seen("", &[1]), expected(&[("outer 2", 0), ("Tree 12", 0), ("Axon 2", 0)]));
        assert_eq!(seen("", &[2])[..3], expected(&[("outer 2", 0), ("inner 1", 1), ("spine", 1)]));
    }

    #[test]
    fn a_search_shows_what_is_folded_and_leaves_out_empty_groups() {
        assert_eq!(seen("AXON", &[1]), expected(&[("outer 1", 0), ("inner 1", 1), ("axon", 2), ("Axon 2", 0)]));
        assert_eq!(seen("tree", &[]), expected(&[("Tree 12", 0)]));
    }
}
