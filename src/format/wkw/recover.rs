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
        .filter_map(|entry| shard_number(&entry.name, prefix, suffix))
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

/// All shards of a mag by their names, whether or not they can be read; `None` where more than `limit` entries would
/// have to be looked at.
///
/// # Errors
/// If a folder can't be listed.
pub fn all_shards(storage: &dyn Storage, limit: usize) -> Result<Option<Vec<ShardIndex>>, StorageError> {
    let mut looked_at = 0;
    // Entries that are files where folders belong, or the other way round, are looked into when they are read.
    let mut numbers = |folder: &str, prefix: &str, suffix: &str| -> Result<Option<Vec<i64>>, StorageError> {
        let Some(entries) = storage.list(folder, limit.saturating_add(1))? else { return Ok(Some(Vec::new())) };
        looked_at += entries.len();
        let names = entries.iter().filter_map(|entry| shard_number(&entry.name, prefix, suffix));
        Ok((looked_at <= limit).then(|| names.collect()))
    };
    let mut found = Vec::new();
    let Some(planes) = numbers("", "z", "")? else { return Ok(None) };
    for z in planes {
        let Some(rows) = numbers(&format!("z{z}"), "y", "")? else { return Ok(None) };
        for y in rows {
            let Some(files) = numbers(&format!("z{z}/y{y}"), "x", ".wkw")? else { return Ok(None) };
            found.extend(files.into_iter().map(|x| ShardIndex(Vec3Int::new(x, y, z))));
        }
    }
    Ok(Some(found))
}

/// The number in a name such as `x12.wkw`.
fn shard_number(name: &str, prefix: &str, suffix: &str) -> Option<i64> {
    let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
    // `x00.wkw` or `x+1.wkw` is not a name that a writer makes.
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(i64::from(number))
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
