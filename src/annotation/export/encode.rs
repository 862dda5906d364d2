//! [`Encoder`]: buckets as files of an archive.

use super::error::{ExportError, ExportFormat};
use crate::annotation::ids::{convert_ids, id_text};
use crate::codec::{blosc, lz4};
use crate::format::wkw::{BlockType, WkwHeader};
use crate::geometry::Mag;
use crate::voxel::{ElementClass, VoxelType, is_zero};
use std::borrow::Cow;

/// Bytes before the one block of a WKW file: header and a jump table of one entry.
const WKW_DATA_OFFSET: u64 = 24;

/// How the buckets of a volume are encoded.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    /// Name of the volume.
    pub volume: String,
    /// How buckets are stored.
    pub format: ExportFormat,
    /// Class of the voxels as they are.
    pub from: ElementClass,
    /// Class of the exported voxels.
    pub to: ElementClass,
    /// Why it is that one.
    pub reason: &'static str,
}

impl Encoder {
    /// The file of a bucket, from its canonical voxels; `None` for zeros.
    pub fn encode(&self, mag: Mag, voxels: &[u8]) -> Result<Option<Vec<u8>>, ExportError> {
        if is_zero(voxels) { Ok(None) } else { self.encode_any(mag, voxels).map(Some) }
    }

    /// The file of a bucket of zeros.
    pub fn zeros(&self, mag: Mag, voxels: usize) -> Result<Vec<u8>, ExportError> {
        self.encode_any(mag, &vec![0; voxels * self.from.byte_len()])
    }

    fn encode_any(&self, mag: Mag, voxels: &[u8]) -> Result<Vec<u8>, ExportError> {
        let voxels = self.converted(mag, voxels)?;
        let frame = |element_len| {
            blosc::encode_lz4(&voxels, element_len).ok_or_else(|| ExportError::Internal("a bucket that blosc can't encode".to_owned()))
        };
        match self.format {
            ExportFormat::Wkw => {
                let block = lz4::encode(&voxels);
                let mut file = self.wkw_header(WKW_DATA_OFFSET)?.to_vec();
                file.extend_from_slice(&(WKW_DATA_OFFSET + block.len() as u64).to_le_bytes());
                file.extend_from_slice(&block);
                Ok(file)
            }
            // What servers write, though it means that nothing is shuffled.
            ExportFormat::Zarr3 => frame(1),
            ExportFormat::Zarr3Spec => frame(self.element_len()),
        }
    }

    /// Bytes of an exported voxel.
    pub const fn element_len(&self) -> u8 {
        // Integers have at most eight.
        self.to.byte_len() as u8
    }

    fn converted<'a>(&self, mag: Mag, voxels: &'a [u8]) -> Result<Cow<'a, [u8]>, ExportError> {
        if self.from == self.to {
            return Ok(Cow::Borrowed(voxels));
        }
        let mut out = vec![0; voxels.len() / self.from.byte_len() * self.to.byte_len()];
        convert_ids(self.from, voxels, self.to, &mut out).map_err(|id| ExportError::Id {
            volume: self.volume.clone(),
            id: id_text(id, self.from),
            mag,
            class: self.to,
            reason: self.reason,
        })?;
        Ok(Cow::Owned(out))
    }

    /// The 16 bytes at the start of WKW files; `data_offset` is 0 in `header.wkw`.
    pub fn wkw_header(&self, data_offset: u64) -> Result<[u8; 16], ExportError> {
        let voxel_type = VoxelType::single(self.to);
        let header = WkwHeader { chunk_log2: 5, chunks_per_shard_log2: 0, block_type: BlockType::Lz4, voxel_type, data_offset };
        header.to_bytes().ok_or_else(|| ExportError::Internal(format!("WKW has no {voxel_type} voxels")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::annotation::BUCKET_VOXELS;

    fn encoder(format: ExportFormat, from: ElementClass, to: ElementClass) -> Encoder {
        Encoder { volume: "v".to_owned(), format, from, to, reason: "as the fallback layer" }
    }

    #[test]
    fn wkw_files_have_the_header_of_the_specification() {
        let wkw = encoder(ExportFormat::Wkw, ElementClass::Uint8, ElementClass::Uint32);
        assert_eq!(wkw.wkw_header(0).expect("a header"), *b"WKW\x01\x05\x02\x03\x04\0\0\0\0\0\0\0\0");
        let file = wkw.encode(Mag::ONE, &[7; BUCKET_VOXELS]).expect("fits").expect("not zero");
        assert_eq!(file[..16], *b"WKW\x01\x05\x02\x03\x04\x18\0\0\0\0\0\0\0");
        assert_eq!(file[16..24], (file.len() as u64).to_le_bytes());
        let mut out = vec![0; 4 * BUCKET_VOXELS];
        lz4::decode_into(&file[24..], &mut out).expect("an LZ4 block");
        assert!(out.as_chunks::<4>().0.iter().all(|voxel| *voxel == [7, 0, 0, 0]));
        assert_eq!(wkw.encode(Mag::ONE, &[0; BUCKET_VOXELS]).expect("fits"), None);
    }

    #[test]
    fn ids_that_do_not_fit_are_named() {
        let narrow = encoder(ExportFormat::Wkw, ElementClass::Uint64, ElementClass::Uint32);
        let id = (1_u64 << 53) + 1;
        let message = narrow.encode(Mag::ONE, &id.to_le_bytes().repeat(BUCKET_VOXELS)).expect_err("too large").to_string();
        assert!(message.contains("segment 9007199254740993 in mag 1 doesn't fit uint32"), "{message}");
    }
}
