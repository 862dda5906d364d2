//! All codecs that turn bytes into bytes, and chains of two.
#![no_main]

use chunkscope::codec::{Codec, CodecChain, lz4};
use libfuzzer_sys::fuzz_target;

const CODECS: [Codec; 9] =
    [Codec::Gzip, Codec::Zlib, Codec::Zstd, Codec::Blosc, Codec::Lz4, Codec::Lz4Java, Codec::Bzip2, Codec::Xz, Codec::Crc32c];

/// Bytes behind the output that nothing may touch.
const GUARD: usize = 64;

fuzz_target!(|input: &[u8]| {
    let [codec, len_log2, stored @ ..] = input else { return };
    let limit = 1_usize << (len_log2 % 19);
    let mut out = vec![0xee; limit + GUARD];
    let Some(codec) = CODECS.get(usize::from(*codec) % (CODECS.len() + 1)) else {
        let _ = lz4::decode_into(stored, &mut out[..limit]);
        assert!(out[limit..].iter().all(|byte| *byte == 0xee));
        return;
    };
    let into = codec.decode_into(stored, &mut out[..limit]);
    assert!(out[limit..].iter().all(|byte| *byte == 0xee));
    let grown = codec.decode(stored, limit);
    match (into, grown) {
        (Ok(into), Ok((bytes, is_damaged))) => {
            assert!(out[..into.len] == bytes, "two ways of decoding differ");
            assert_eq!(into.is_damaged, is_damaged);
        }
        (Err(_), Err(_)) => {}
        (into, grown) => panic!("into a buffer: {into:?}, into a growing one: {:?}", grown.map(|(bytes, _)| bytes.len())),
    }
    for chain in [vec![*codec, Codec::Crc32c], vec![Codec::Gzip, *codec]] {
        let chain = CodecChain::new(chain);
        if let (Ok(into), Ok((bytes, _))) = (chain.decode_into(stored, &mut out[..limit]), chain.decode(stored, limit)) {
            assert!(out[..into.len] == bytes, "two ways of decoding a chain differ");
        }
    }
});
