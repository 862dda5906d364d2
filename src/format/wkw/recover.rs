//! Finding shards on disk, and a lost `header.wkw` in one of them.

use super::header::{HEADER_LEN, WkwHeader};
use super::source::shard_key;
use crate::geometry::{ShardIndex, Vec3Int};
use crate::storage::{Storage, StorageError};

/// Entries of one folder that are looked at. Beyond it the extent of the data is only estimated.
const MAX_ENTRIES: usize = 1 << 16;

/// Numbers of the entries of a folder that are called `{prefix}{number}{suffix}`.
fn numbered(storage: &dyn Storage, folder: &str, prefix: &str, suffix: &str, want_folder: bool) -> Result<Vec<i64>, StorageError> {
    let Some(entries) = storage.list(folder, MAX_ENTRIES)? else { return Ok(Vec::new()) };
    let mut numbers: Vec<i64> = entries
        .iter()
        .filter(|entry| entry.is_folder == want_folder)
        .filter_map(|entry| {
            let digits = entry.name.strip_prefix(prefix)?.strip_suffix(suffix)?;
            // `x00.wkw` or `x+1.wkw` is not a name that a writer makes.
            let number: u32 = digits.parse().ok()?;
            (number.to_string() == digits).then_some(i64::from(number))
        })
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Stored shards of a mag, at most `limit`, listing only the folders on the way.
///
/// The middle ones of each folder come first: that is where data usually is.
///
/// # Errors
/// If a folder can't be listed.
pub fn find_shards(storage: &dyn Storage, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
    let mut found = Vec::new();
    for z in from_the_middle(numbered(storage, "", "z", "", true)?) {
        for y in from_the_middle(numbered(storage, &format!("z{z}"), "y", "", true)?) {
            for x in from_the_middle(numbered(storage, &format!("z{z}/y{y}"), "x", ".wkw", false)?) {
                if found.len() >= limit {
                    return Ok(found);
                }
                found.push(ShardIndex(Vec3Int::new(x, y, z)));
            }
        }
    }
    Ok(found)
}

fn from_the_middle(mut sorted: Vec<i64>) -> Vec<i64> {
    let middle = sorted.len() / 2;
    sorted.rotate_left(middle);
    sorted
}

/// The header of the first shard that has a sound one, with that shard, for a mag whose `header.wkw` is lost.
///
/// # Errors
/// If a folder can't be listed.
pub fn recover_header(storage: &dyn Storage) -> Result<Option<(WkwHeader, ShardIndex)>, StorageError> {
    for shard in find_shards(storage, 8)? {
        let Some(key) = shard_key(shard) else { continue };
        let mut bytes = [0; HEADER_LEN];
        if storage.read_at(&key, 0, &mut bytes)? == Some(HEADER_LEN)
            && let Ok(header) = WkwHeader::parse(&bytes)
        {
            return Ok(Some((header, shard)));
        }
    }
    Ok(None)
}
