//! Opening what describes itself: OME groups, arrays in them, N5 containers, precomputed volumes.

use super::dataset::{Dataset, ViewConfiguration};
use super::detect::{name_of, parent_of};
use super::image::Image;
use super::layers::layers_from_images;
use super::open::{OpenError, Opening};
use super::open_folders::{MAX_ABOVE, is_same_path, is_same_place, lies_in};
use super::zarr::{Group, Node, OmeReader, choices, node};
use super::{DataFormat, HeaderReport, LevelError, n5, precomputed};
use crate::problem::Problems;
use std::path::Path;
use std::sync::Arc;

impl Opening<'_> {
    fn ome(&self) -> OmeReader<'_> {
        OmeReader { opener: self.opener, indices: &self.arrays }
    }

    /// A dataset of images that lie in one coordinate system.
    fn images_dataset(&self, name: String, path: &Path, mut images: Vec<Image>, header: HeaderReport) -> Dataset {
        // One that can't be shown at all is no layer; its problems stay.
        let nothing: Vec<Image> = images.extract_if(.., |image| image.levels.is_empty()).collect();
        let mut problems = Problems::default();
        nothing.into_iter().for_each(|image| problems.extend(image.problems));
        let (layers, voxel_size) = layers_from_images(images, &mut problems);
        Dataset {
            name,
            path: path.to_owned(),
            format: layers.first().map_or(DataFormat::Zarr, |layer| layer.format),
            voxel_size,
            layers,
            header,
            view: ViewConfiguration::default(),
            focus: None,
            annotation: None,
            problems,
        }
    }

    /// A folder with metadata of Zarr; `None` if they tell nothing of what is in it.
    pub fn zarr_folder(&self, folder: &Path) -> Result<Option<Dataset>, OpenError> {
        match node(self.opener, folder).map_err(Arc::new)? {
            Some(Node::Array) => self.zarr_array(folder).map(Some),
            Some(Node::Group(group)) => self.zarr_group(group),
            None => match Group::of_numbered_arrays(self.opener, folder, None).map_err(Arc::new)? {
                Some(group) => self.zarr_group(group),
                None => Ok(None),
            },
        }
    }

    fn zarr_group(&self, mut group: Group) -> Result<Option<Dataset>, OpenError> {
        let folder = &group.folder.clone();
        let mut problems = Problems::default();
        if let Some(dataset) = self.found_above(folder, parent_of(folder), &mut problems, |layer, same| lies_in(layer, folder, same)) {
            return Ok(Some(dataset));
        }
        if !group.is_image()
            && let Some(levels) = Group::of_numbered_arrays(self.opener, folder, Some(&group)).map_err(Arc::new)?
        {
            group = levels;
        }
        if group.is_image() {
            let dataset = match self.labels_above(folder) {
                Some(dataset) => dataset,
                None => self.images_dataset(name_of(folder), folder, self.ome().images(&group), group.report()),
            };
            return Ok(Some(dataset));
        }
        let Some(mut found) = choices(self.opener, &group).map_err(Arc::new)? else {
            let labels = group.attributes.get("labels").is_some().then(|| parent_of(folder)).flatten();
            return Ok(labels.and_then(|image| self.labels_of(&image, |labels_folder| same_or_linked(labels_folder, folder))));
        };
        match found.list.pop() {
            Some(only) if found.list.is_empty() => self.zarr_folder(&only.path),
            last => {
                found.list.extend(last);
                Err(OpenError::Choose { path: folder.to_owned(), what: found.what, choices: found.list })
            }
        }
    }

    /// A label image as a layer of the image above it, which its mags count from.
    fn labels_above(&self, folder: &Path) -> Option<Dataset> {
        let mut above = parent_of(folder);
        for _ in 0..MAX_ABOVE {
            let labels = above?;
            above = parent_of(&labels);
            if name_of(&labels) == "labels"
                && let Some(mut dataset) = self.labels_of(above.as_deref()?, |_| true)
            {
                let is_this = |layer: &super::Layer| layer.levels.iter().any(|level| level.path.starts_with(folder));
                dataset.layers.retain(is_this);
                dataset.path = folder.to_owned();
                return (!dataset.layers.is_empty()).then_some(dataset);
            }
        }
        None
    }

    /// The labels of an image's group, in the image's coordinate system.
    fn labels_of(&self, image_folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Option<Dataset> {
        let Ok(Some(Node::Group(image))) = node(self.opener, image_folder) else { return None };
        let labels = image_folder.join("labels");
        if !image.is_image() || !is_wanted(&labels) {
            return None;
        }
        let mut dataset = self.images_dataset(name_of(image_folder), &labels, self.ome().images(&image), image.report());
        dataset.layers.retain(|layer| layer.levels.iter().any(|level| level.path.starts_with(&labels)));
        Some(dataset)
    }

    /// An array: a level of the group above that lists it, else one by itself.
    fn zarr_array(&self, folder: &Path) -> Result<Dataset, OpenError> {
        if let Some(dataset) = self.declared_mag(folder, None, folder)? {
            return Ok(dataset);
        }
        let mut above = parent_of(folder);
        for _ in 0..MAX_ABOVE {
            let Some(group_folder) = above else { break };
            above = parent_of(&group_folder);
            let Ok(Some(Node::Group(group))) = node(self.opener, &group_folder) else { continue };
            if !group.is_image() {
                continue;
            }
            let dataset = match self.labels_above(&group_folder) {
                Some(dataset) => dataset,
                None => self.images_dataset(name_of(&group_folder), folder, self.ome().images(&group), group.report()),
            };
            if let Some(dataset) = cut_to_level(dataset, folder)? {
                return Ok(dataset);
            }
        }
        self.mag_folder(folder, None, folder)
    }

    /// A folder that may be of N5; `None` if nothing in it is.
    pub fn n5_folder(&self, folder: &Path) -> Result<Option<Dataset>, OpenError> {
        if let Some(dataset) = self.declared_mag(folder, None, folder)? {
            return Ok(Some(dataset));
        }
        let mut problems = Problems::default();
        if let Some(dataset) = self.found_above(folder, parent_of(folder), &mut problems, |layer, same| lies_in(layer, folder, same)) {
            return Ok(Some(dataset));
        }
        if let Some(found) = n5::open_array_in_context(self.opener, folder).map_err(Arc::new)? {
            let name = found.image.name.clone();
            let level = found.image.levels.get(found.level).map_or_else(|| folder.to_owned(), |level| level.path.clone());
            let dataset = self.images_dataset(name, folder, vec![found.image], HeaderReport::default());
            let dataset = cut_to_level(dataset, &level)?;
            return Ok(dataset.map(|dataset| Dataset { path: folder.to_owned(), ..dataset }));
        }
        let images = n5::open_images(self.opener, folder).map_err(Arc::new)?;
        Ok(images.map(|images| self.images_dataset(name_of(folder), folder, images, HeaderReport::default())))
    }

    /// A folder with an `info`.
    pub fn precomputed_folder(&self, folder: &Path) -> Result<Dataset, OpenError> {
        let mut problems = Problems::default();
        let of_json = |dataset: Option<std::path::PathBuf>, problems: &mut Problems| {
            self.found_above(folder, dataset, problems, |layer, same| lies_in(layer, folder, same))
        };
        if let Some(dataset) = of_json(parent_of(folder), &mut problems) {
            return Ok(dataset);
        }
        let image = precomputed::open_image(self.opener, folder, &self.arrays).map_err(Arc::new)?;
        Ok(self.images_dataset(name_of(folder), folder, vec![image], HeaderReport::default()))
    }

    /// A scale of a precomputed volume, by its own folder.
    pub fn precomputed_scale(&self, root: &Path, key: &str, path: &Path) -> Result<Dataset, OpenError> {
        let folder = root.join(key);
        if let Some(dataset) = self.declared_mag(&folder, None, path)? {
            return Ok(dataset);
        }
        let image = precomputed::open_image(self.opener, root, &self.arrays).map_err(Arc::new)?;
        let dataset = self.images_dataset(name_of(root), path, vec![image], HeaderReport::default());
        cut_to_level(dataset, &folder)?.ok_or_else(|| {
            OpenError::Level(Arc::new(LevelError {
                reason: "the volume doesn't list this scale".to_owned(),
                location: folder.display().to_string(),
            }))
        })
    }
}

fn same_or_linked(a: &Path, b: &Path) -> bool {
    is_same_path(a, b) || is_same_place(a, b)
}

/// The dataset with nothing but the level in a folder; `None` if no layer has it.
fn cut_to_level(mut dataset: Dataset, folder: &Path) -> Result<Option<Dataset>, OpenError> {
    for same in [is_same_path as fn(&Path, &Path) -> bool, is_same_place] {
        let found = dataset.layers.iter().enumerate().find_map(|(i, layer)| {
            let level = layer.levels.iter().position(|level| same(&level.path, folder))?;
            Some((i, level))
        });
        if let Some((i, level)) = found {
            let mut layer = dataset.layers.swap_remove(i);
            layer.levels = vec![layer.levels.swap_remove(level)];
            if let Some(Err(error)) = layer.levels.first().map(|level| &level.source) {
                return Err(OpenError::Level(error.clone()));
            }
            dataset.layers = vec![layer];
            dataset.path = folder.to_owned();
            return Ok(Some(dataset));
        }
    }
    Ok(None)
}
