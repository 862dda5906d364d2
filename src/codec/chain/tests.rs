use proptest::prelude::*;
use strum::IntoEnumIterator;

use super::*;
use crate::codec::test_bytes::hex;

/// "voxels " twelve times, encoded by Python's libraries (lz4-java's framing by hand).
fn sample(codec: Codec) -> Vec<u8> {
    hex(match codec {
        Codec::Gzip => "1f8b08000000000002032bcbaf48cd295628a3260500a70acd7654000000",
        Codec::Zlib => "789c2bcbaf48cd295628a32605008965210d",
        Codec::Zstd => "28b52ffd245475000038766f78656c732001002ab418017cb4f573",
        Codec::Blosc => {
            "02019301540000005400000064000000766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320"
        }
        Codec::Lz4 => "540000007f766f78656c73200700355078656c7320",
        Codec::Lz4Java => {
            "4c5a34426c6f636b261100000054000000bd30370b7f766f78656c73200700355078656c73204c5a34426c6f636b16000000000000000000000000"
        }
        Codec::Bzip2 => "425a6839314159265359670814030000239180400002048940200020a540d08603a585c2c2f178b0be2ee48a70a120ce102806",
        Codec::Xz => {
            "fd377a585a000004e6d6b4460200210116000000742fe5a3e00053000e5d003b1bcb76e1ff3e8e9441092000000000007fa5ba870311b10500012a\
            54eeeceb231fb6f37d010000000004595a"
        }
        Codec::Crc32c => {
            "766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320766f78656c7320fbf05212"
        }
    })
}

fn text() -> Vec<u8> {
    b"voxels ".repeat(12)
}

#[test]
fn every_codec_decodes_a_sample_of_another_implementation() {
    for codec in Codec::iter() {
        let mut out = [9; 100];
        assert_eq!(codec.decode_into(&sample(codec), &mut out), Ok(Decoded { len: 84, is_damaged: false }), "{codec:?}");
        assert_eq!(&out[..84], text(), "{codec:?}");
        assert_eq!(codec.decode(&sample(codec), 1000), Ok((text(), false)), "{codec:?}");
        assert_eq!(codec.decode(&sample(codec), 84), Ok((text(), false)), "{codec:?}");
    }
}

#[test]
fn more_than_fits_is_an_error_that_says_so() {
    for codec in Codec::iter() {
        for limit_bytes in [0, 83] {
            let expected = DecodeError::TooLong { codec: codec.name(), limit_bytes };
            assert_eq!(codec.decode_into(&sample(codec), &mut vec![0; limit_bytes]), Err(expected.clone()), "{codec:?}");
            assert_eq!(codec.decode(&sample(codec), limit_bytes), Err(expected), "{codec:?}");
        }
    }
}

#[test]
fn every_cut_is_an_error_or_short_or_damaged() {
    for codec in Codec::iter() {
        let stored = sample(codec);
        for len in 0..stored.len() {
            let mut out = [0; 100];
            let result = codec.decode_into(&stored[..len], &mut out);
            let is_noticed = result.as_ref().map_or(true, |decoded| decoded.is_damaged || decoded.len < 84);
            // The end mark of lz4-java holds no data.
            assert!(is_noticed || codec == Codec::Lz4Java && len == 38, "{codec:?} {len} {result:?}");
        }
    }
}

#[test]
fn bytes_after_the_end_are_ignored_where_a_codec_knows_its_end() {
    for codec in Codec::iter() {
        let knows_its_end = match codec {
            Codec::Gzip | Codec::Zlib | Codec::Zstd | Codec::Blosc | Codec::Lz4Java | Codec::Bzip2 | Codec::Xz => true,
            Codec::Lz4 | Codec::Crc32c => false,
        };
        let stored = [&sample(codec)[..], b"\0\0\0"].concat();
        if knows_its_end {
            assert_eq!(codec.decode(&stored, 100), Ok((text(), false)), "{codec:?}");
        } else {
            assert!(codec.decode(&stored, 100).is_ok_and(|(_, is_damaged)| is_damaged) || codec.decode(&stored, 100).is_err());
        }
    }
}

#[test]
fn bombs_stop_at_the_limit() {
    // 10 MiB of zeros by Python's zlib at level 9, cut: nobody may come to the end.
    let deflate = [&b"\x78\xda\xec\xc1\x01\x01\0\0\0\x80\x90\xfe\xaf\xee\x08\x0a"[..], &[0; 10_000]].concat();
    assert_eq!(Codec::Zlib.decode(&deflate, 1000), Err(DecodeError::TooLong { codec: "zlib", limit_bytes: 1000 }));
    // A run of 4 GiB less one by the length field.
    assert!(Codec::Lz4.decode(b"\xff\xff\xff\xff\x1f\0\x01\0", 1 << 20).is_err());
    // A Zstandard block of 128 KiB of one byte (RFC 8878, 3.1.1.2), a thousand times.
    let block = b"\x02\0\x10\0";
    let zstd = [&b"\x28\xb5\x2f\xfd\0\x58"[..], &block.repeat(1000), b"\x03\0\x10\0"].concat();
    assert_eq!(Codec::Zstd.decode(&zstd, 1 << 20), Err(DecodeError::TooLong { codec: "zstd", limit_bytes: 1 << 20 }));
    assert_eq!(Codec::Zstd.decode(&zstd, 1 << 30).map(|(bytes, _)| bytes.len()), Ok(1001 << 17));
}

#[test]
fn decoding_grows_as_far_as_the_limit() {
    let zeros = vec![0; 3_000_000];
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &zeros).expect("in memory");
    let stored = encoder.finish().expect("in memory");
    assert_eq!(Codec::Zlib.decode(&stored, 3_000_000), Ok((zeros, false)));
}

#[test]
fn chains_have_names_and_undo_their_steps_last_first() {
    let twice = |outer: Codec, inner: &[u8]| match outer {
        Codec::Crc32c => [inner, &::crc32c::crc32c(inner).to_le_bytes()].concat(),
        Codec::Zstd => ::zstd::bulk::compress(inner, 1).expect("in memory"),
        _ => unreachable!("not needed"),
    };
    let cases: [(&str, &[Codec], Vec<u8>); 6] = [
        ("raw", &[], text()),
        ("crc32c", &[Codec::Crc32c], sample(Codec::Crc32c)),
        ("gzip", &[Codec::Gzip], sample(Codec::Gzip)),
        ("blosc + crc32c", &[Codec::Blosc, Codec::Crc32c], twice(Codec::Crc32c, &sample(Codec::Blosc))),
        ("crc32c + zstd", &[Codec::Crc32c, Codec::Zstd], twice(Codec::Zstd, &sample(Codec::Crc32c))),
        (
            "gzip + zstd + crc32c",
            &[Codec::Gzip, Codec::Zstd, Codec::Crc32c],
            twice(Codec::Crc32c, &twice(Codec::Zstd, &sample(Codec::Gzip))),
        ),
    ];
    for (name, codecs, mut stored) in cases {
        let chain = CodecChain::new(codecs.to_vec());
        assert_eq!((chain.name(), chain.codecs(), chain.is_empty()), (name.to_owned(), codecs, codecs.is_empty()));
        let mut out = [9; 84];
        assert_eq!(chain.decode_into(&stored, &mut out), Ok(Decoded { len: 84, is_damaged: false }), "{name}");
        assert_eq!(&out[..], text(), "{name}");
        assert!(matches!(chain.decode_into(&stored, &mut out[..83]), Err(DecodeError::TooLong { .. })), "{name}");
        if codecs.last() == Some(&Codec::Crc32c) {
            *stored.last_mut().expect("not empty") ^= 1;
            assert_eq!(chain.decode_into(&stored, &mut out), Ok(Decoded { len: 84, is_damaged: true }), "{name}");
        }
    }
}

#[test]
fn what_lies_between_steps_is_bounded_by_the_output() {
    let long = ::zstd::bulk::compress(&vec![0; 1 << 20], 1).expect("in memory");
    let chain = CodecChain::new(vec![Codec::Gzip, Codec::Zstd]);
    let limit_bytes = max_encoded_len(100, 1);
    assert_eq!(chain.decode_into(&long, &mut [0; 100]), Err(DecodeError::TooLong { codec: "zstd", limit_bytes }));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), len in 0_usize..2000) {
        for codec in Codec::iter() {
            let _ = codec.decode_into(&bytes, &mut vec![0; len]);
            let _ = codec.decode(&bytes, len);
        }
    }

    #[test]
    fn changed_samples_never_panic(at in any::<prop::sample::Index>(), value in any::<u8>(), len in 0_usize..200) {
        for codec in Codec::iter() {
            let mut stored = sample(codec);
            *at.get_mut(&mut stored) = value;
            let _ = codec.decode_into(&stored, &mut vec![0; len]);
            let _ = codec.decode(&stored, 1 << 20);
        }
    }
}
