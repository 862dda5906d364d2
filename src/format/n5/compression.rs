//! [`Compression`]: how the elements of blocks are compressed.

use super::attributes::{Attributes, short_json};
use crate::codec::{Codec, CodecChain};
use serde_json::Value;

/// How the elements of blocks are compressed.
///
/// An array whose compression isn't known can be opened: its layout is known, and only its voxels can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Known steps; none for `raw`.
    Known(CodecChain),
    /// A name that isn't known, or JSON that names nothing.
    Unknown(String),
}

impl Default for Compression {
    /// Files that name no compression are raw.
    fn default() -> Self {
        Self::Known(CodecChain::default())
    }
}

impl Compression {
    /// From `compression`, or the `compressionType` of files older than N5 1.0.
    pub fn parse(attributes: &Attributes) -> Self {
        match attributes.get("compression").or_else(|| attributes.get("compressionType")) {
            None => Self::default(),
            Some(Value::String(name)) => Self::from_name(name, false),
            Some(value) => {
                let uses_zlib = value.get("useZlib").and_then(Value::as_bool).unwrap_or(false);
                match value.get("type") {
                    Some(Value::String(name)) => Self::from_name(name, uses_zlib),
                    Some(Value::Null) => Self::default(),
                    Some(_) | None => Self::Unknown(short_json(value)),
                }
            }
        }
    }

    fn from_name(name: &str, uses_zlib: bool) -> Self {
        let codec = match name {
            "raw" => return Self::default(),
            "gzip" if uses_zlib => Codec::Zlib,
            "gzip" => Codec::Gzip,
            "zlib" => Codec::Zlib,
            "bzip2" => Codec::Bzip2,
            "xz" => Codec::Xz,
            "lz4" => Codec::Lz4Java,
            "blosc" => Codec::Blosc,
            "zstd" => Codec::Zstd,
            other => return Self::Unknown(other.to_owned()),
        };
        Self::Known(CodecChain::new(vec![codec]))
    }

    /// Name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Known(chain) => chain.codecs().first().map_or("raw", |codec| codec.name()),
            Self::Unknown(_) => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_compression_is_understood() {
        let codec = |codec| Compression::Known(CodecChain::new(vec![codec]));
        let unknown = |name: &str| Compression::Unknown(name.to_owned());
        let cases = [
            (r#"{}"#, Compression::default()),
            (r#"{"compression":null}"#, Compression::default()),
            (r#"{"compression":{"type":"raw"}}"#, Compression::default()),
            (r#"{"compression":{"type":null}}"#, Compression::default()),
            (r#"{"compressionType":"raw"}"#, Compression::default()),
            (r#"{"compressionType":"gzip"}"#, codec(Codec::Gzip)),
            (r#"{"compression":{"type":"gzip","level":-1}}"#, codec(Codec::Gzip)),
            (r#"{"compression":{"type":"gzip","useZlib":true}}"#, codec(Codec::Zlib)),
            (r#"{"compression":{"type":"zlib"}}"#, codec(Codec::Zlib)),
            (r#"{"compression":{"type":"bzip2","blockSize":9}}"#, codec(Codec::Bzip2)),
            (r#"{"compression":{"type":"xz","preset":6}}"#, codec(Codec::Xz)),
            (r#"{"compression":{"type":"lz4","blockSize":65536}}"#, codec(Codec::Lz4Java)),
            (r#"{"compression":{"type":"blosc","cname":"lz4"}}"#, codec(Codec::Blosc)),
            (r#"{"compression":{"type":"zstd","level":3}}"#, codec(Codec::Zstd)),
            (r#"{"compression":{"type":"jpeg"}}"#, unknown("jpeg")),
            (r#"{"compression":{"level":3}}"#, unknown(r#"{"level":3}"#)),
            (r#"{"compression":[1]}"#, unknown("[1]")),
        ];
        for (json, expected) in cases {
            let attributes = Attributes::parse(json.as_bytes(), String::new()).expect("an object");
            assert_eq!(Compression::parse(&attributes), expected, "{json}");
        }
    }
}
