//! [`list_all`]: all chunks (or shards) of an array by the names of their files.

use super::NdVec;
use crate::storage::{Storage, StorageError};

/// Which names are looked at.
pub struct Names<'a> {
    /// Number of dimensions.
    pub rank: usize,
    /// Whether names begin with `c`, as Zarr 3's `default` encoding has it.
    pub has_prefix: bool,
    /// Positions that are of interest, for each dimension.
    pub wanted: &'a dyn Fn(usize, u64) -> bool,
}

/// All that names with either separator (`0/1`, `0.1`) stand for, whether or not it can be read; `None` where more than
/// `limit` entries would have to be looked at.
///
/// # Errors
/// If a folder can't be listed.
pub fn list_all(storage: &dyn Storage, names: &Names<'_>, limit: usize) -> Result<Option<Vec<NdVec>>, StorageError> {
    if names.rank == 0 {
        return Ok(None); // its only chunk has a name of another kind
    }
    let mut found = Vec::new();
    let mut folders = vec![(String::new(), Vec::new())];
    let mut looked_at = 0;
    while let Some((folder, before)) = folders.pop() {
        // One more than there may be, so that a listing that was cut is noticed.
        let entries = storage.list(&folder, limit.saturating_add(1))?.unwrap_or_default();
        looked_at += entries.len();
        if looked_at > limit {
            return Ok(None);
        }
        for entry in entries {
            let is_root = folder.is_empty();
            let Some(name) = (if is_root && names.has_prefix { without_prefix(&entry.name) } else { Some(entry.name.as_str()) }) else {
                continue;
            };
            let Some(indices) = continued(&before, name, names) else { continue };
            let path = if is_root { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
            if indices.len() == names.rank {
                found.extend(NdVec::new(&indices));
            } else if entry.is_folder {
                folders.push((path, indices));
            }
        }
    }
    Ok(Some(found))
}

/// What follows the `c` of a name: nothing, for the folder of that name.
fn without_prefix(name: &str) -> Option<&str> {
    name.strip_prefix("c.").or_else(|| name.strip_prefix('c').filter(|rest| rest.is_empty()))
}

/// The indices of a name behind those of its folder; `None` for other names and for positions that aren't wanted.
fn continued(before: &[u64], name: &str, names: &Names<'_>) -> Option<Vec<u64>> {
    let mut indices = before.to_vec();
    for part in name.split('.').filter(|_| !name.is_empty()) {
        let number: u64 = part.parse().ok()?;
        // Writers put neither signs nor leading zeros.
        let is_spelled_so = number.to_string() == part;
        (is_spelled_so && indices.len() < names.rank && (names.wanted)(indices.len(), number)).then(|| indices.push(number))?;
    }
    Some(indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{MemoryStorage, StorageKey};

    fn listed(keys: &[&str], has_prefix: bool, limit: usize, only: Option<u64>) -> Option<Vec<Vec<u64>>> {
        let storage = MemoryStorage::default();
        for key in keys {
            storage.put(&StorageKey::new(*key).expect("clean"), vec![1]);
        }
        let wanted = |d, at| d != 1 || only.is_none_or(|only| only == at);
        let mut found = list_all(&storage, &Names { rank: 2, has_prefix, wanted: &wanted }, limit).expect("listed")?;
        found.sort_unstable();
        Some(found.iter().map(|at| at.iter().copied().collect()).collect())
    }

    #[test]
    fn names_of_either_separator_are_found() {
        let plain = ["0.1", "2/3", "zarr.json", "01.1", "4", "1.2.3", "c/7/7", "5/x"];
        assert_eq!(listed(&plain, false, 99, None), Some(vec![vec![0, 1], vec![2, 3]]));
        assert_eq!(listed(&["c/0/1", "c.2.3", "c1", "4.4", "cc/1/1"], true, 99, None), Some(vec![vec![0, 1], vec![2, 3]]));
        assert_eq!(listed(&plain, false, 99, Some(3)), Some(vec![vec![2, 3]]));
    }

    #[test]
    fn what_stands_in_the_place_of_a_chunk_is_named() {
        assert_eq!(listed(&["0/1/odd"], false, 99, None), Some(vec![vec![0, 1]]));
    }

    #[test]
    fn more_than_the_limit_is_not_told() {
        let keys = ["0/0", "0/1", "1/0", "1/1"];
        assert_eq!((listed(&keys, false, 5, None), listed(&keys, false, 6, None).map(|all| all.len())), (None, Some(4)));
    }
}
