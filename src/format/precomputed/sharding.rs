//! [`Sharding`]: parameters of a sharded scale, and where they put a chunk.
//!
//! Specification: <https://github.com/google/neuroglancer/blob/master/src/datasource/precomputed/sharded.md>.

use super::shard_hash::ShardHash;
use serde_json::{Map, Value};

/// The only kind of sharding there is.
const TYPE: &str = "neuroglancer_uint64_sharded_v1";

/// `sharding` of a scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    /// Low bits of a chunk id that don't count for the hash.
    pub preshift_bits: u32,
    /// The hash; `Err` holds a name that isn't known.
    pub hash: Result<ShardHash, String>,
    /// Bits of the hash that choose the minishard.
    pub minishard_bits: u32,
    /// Bits above them that choose the shard.
    pub shard_bits: u32,
    /// Whether minishard indices are compressed.
    pub has_gzip_indices: bool,
    /// Whether chunks are compressed, beside their encoding.
    pub has_gzip_data: bool,
}

/// A minishard of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the shard.
    pub shard: u64,
    /// Number of the minishard in it.
    pub minishard: u64,
}

impl Sharding {
    /// Most `minishard_bits`: a shard table with more entries has no length in 64 bits.
    const MAX_MINISHARD_BITS: u32 = 59;

    /// Translates `sharding`.
    ///
    /// # Errors
    /// The field, and what is wrong with it.
    pub fn parse(fields: &Map<String, Value>) -> Result<Self, (&'static str, String)> {
        let text = |name: &'static str, default: &'static str| match fields.get(name) {
            None => Ok(default),
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(other) => Err((name, format!("{} is no text", super::info::shown(other)))),
        };
        let bits = |name: &'static str| match fields.get(name).map(|value| (value, value.as_u64())) {
            Some((_, Some(bits))) if bits <= 64 => Ok(bits as u32), // at most 64
            Some((value, _)) => Err((name, format!("{} is no number from 0 to 64", super::info::shown(value)))),
            None => Err((name, "missing".to_owned())),
        };
        let is_gzip = |name: &'static str| match text(name, "raw")? {
            "raw" => Ok(false),
            "gzip" => Ok(true),
            other => Err((name, format!("{other} is not known (raw, gzip)"))),
        };
        match text("@type", TYPE)? {
            TYPE => {}
            other => return Err(("@type", format!("{other} is not known ({TYPE})"))),
        }
        let hash = match text("hash", "")? {
            "" => return Err(("hash", "missing".to_owned())),
            name => ShardHash::parse(name).ok_or_else(|| name.to_owned()),
        };
        let sharding = Self {
            preshift_bits: bits("preshift_bits")?,
            hash,
            minishard_bits: bits("minishard_bits")?,
            shard_bits: bits("shard_bits")?,
            has_gzip_indices: is_gzip("minishard_index_encoding")?,
            has_gzip_data: is_gzip("data_encoding")?,
        };
        let sum = sharding.minishard_bits + sharding.shard_bits;
        if sum > 64 {
            return Err((
                "shard_bits",
                format!("{} with {} minishard_bits are more than 64", sharding.shard_bits, sharding.minishard_bits),
            ));
        }
        if sharding.minishard_bits > Self::MAX_MINISHARD_BITS {
            return Err(("minishard_bits", format!("{} make a shard table that no file can hold", sharding.minishard_bits)));
        }
        Ok(sharding)
    }

    /// Number of minishards of a shard.
    pub const fn minishards(&self) -> u64 {
        1 << self.minishard_bits // at most 59
    }

    /// Bytes of the table at the start of a shard.
    pub const fn table_len(&self) -> u64 {
        16 << self.minishard_bits // at most 59
    }

    /// Where a chunk is kept; `None` if the hash isn't known.
    pub fn place(&self, chunk_id: u64) -> Option<Place> {
        let hash = self.hash.as_ref().ok()?.hash(chunk_id.checked_shr(self.preshift_bits).unwrap_or(0));
        let minishard = hash & (self.minishards() - 1);
        let mask = u64::MAX.checked_shr(64 - self.shard_bits).unwrap_or(0);
        Some(Place { shard: hash >> self.minishard_bits & mask, minishard })
    }

    fn name_len(&self) -> usize {
        self.shard_bits.div_ceil(4) as usize // at most 16
    }

    /// Name of a shard's file without its ending.
    pub fn shard_name(&self, shard: u64) -> String {
        format!("{shard:0width$x}", width = self.name_len())
    }

    /// The shard that a file of this name (without ending) is.
    pub fn shard_from_name(&self, name: &str) -> Option<u64> {
        let shard = u64::from_str_radix(name, 16).ok()?;
        let is_known = u64::MAX.checked_shr(64 - self.shard_bits).unwrap_or(0) >= shard;
        (is_known && self.shard_name(shard) == name).then_some(shard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Sharding, String> {
        let fields: Map<String, Value> = serde_json::from_str(json).expect("JSON");
        Sharding::parse(&fields).map_err(|(field, reason)| format!("{field}: {reason}"))
    }

    fn sharding(preshift: u32, hash: &str, minishard: u32, shard: u32) -> Sharding {
        let json =
            format!(r#"{{"@type":"{TYPE}","preshift_bits":{preshift},"hash":"{hash}","minishard_bits":{minishard},"shard_bits":{shard}}}"#);
        parse(&json).expect("valid")
    }

    #[test]
    fn chunks_are_placed_as_the_specification_says() {
        let cases = [
            (sharding(0, "identity", 1, 1), 0, (0, 0)),
            (sharding(0, "identity", 1, 1), 1, (0, 1)),
            (sharding(0, "identity", 1, 1), 7, (1, 1)),
            (sharding(1, "identity", 0, 0), 1, (0, 0)),
            (sharding(0, "murmurhash3_x86_128", 1, 5), 0, (0x00, 1)),
            (sharding(0, "murmurhash3_x86_128", 1, 5), 1, (0x0d, 0)),
            (sharding(64, "identity", 3, 3), u64::MAX, (0, 0)),
            (sharding(0, "identity", 0, 64), u64::MAX, (u64::MAX, 0)),
        ];
        for (sharding, id, (shard, minishard)) in cases {
            assert_eq!(sharding.place(id), Some(Place { shard, minishard }), "{id} {sharding:?}");
        }
    }

    #[test]
    fn shard_names_are_padded_lower_case_hex() {
        let cases = [(0, 0, "0"), (1, 1, "1"), (5, 0x0d, "0d"), (12, 0xabc, "abc"), (13, 1, "0001"), (64, u64::MAX, "ffffffffffffffff")];
        for (bits, shard, name) in cases {
            let sharding = sharding(0, "identity", 0, bits);
            assert_eq!(sharding.shard_name(shard), name);
            assert_eq!(sharding.shard_from_name(name), Some(shard));
        }
        for name in ["", "d", "0D", "00d", "20", "+d", "zz"] {
            assert_eq!(sharding(0, "identity", 0, 5).shard_from_name(name), None, "{name}");
        }
    }

    #[test]
    fn impossible_parameters_are_named() {
        let rest = r#""hash":"identity","preshift_bits":0"#;
        let cases = [
            (format!(r#"{{{rest},"minishard_bits":1}}"#), "shard_bits: missing"),
            (format!(r#"{{{rest},"minishard_bits":-1,"shard_bits":1}}"#), "minishard_bits: -1 is no number from 0 to 64"),
            (format!(r#"{{{rest},"minishard_bits":33,"shard_bits":32}}"#), "shard_bits: 32 with 33 minishard_bits are more than 64"),
            (format!(r#"{{{rest},"minishard_bits":60,"shard_bits":0}}"#), "minishard_bits: 60 make a shard table that no file can hold"),
            (format!(r#"{{{rest},"minishard_bits":0,"shard_bits":0,"data_encoding":"lz"}}"#), "data_encoding: lz is not known (raw, gzip)"),
            (r#"{"@type":"v2"}"#.to_owned(), "@type: v2 is not known (neuroglancer_uint64_sharded_v1)"),
        ];
        for (json, message) in cases {
            assert_eq!(parse(&json), Err(message.to_owned()));
        }
    }

    #[test]
    fn an_unknown_hash_is_kept_by_name() {
        let sharding = sharding(0, "xxhash", 0, 0);
        assert_eq!((sharding.hash.clone(), sharding.place(0)), (Err("xxhash".to_owned()), None));
    }
}
