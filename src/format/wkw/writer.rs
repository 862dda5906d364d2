//! [`WkwWriter`]: writes one WKW mag, shard by shard.

use super::header::{BlockType, HEADER_FILE, HEADER_LEN, WkwHeader};
use super::source::shard_key;
use crate::codec::lz4;
use crate::geometry::{BoundingBox, Shape3, ShardIndex, Vec3Int, morton_decode};
use crate::voxel::{copy_box, is_zero};
use rayon::prelude::*;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Chunks that are encoded at once and then written.
const BATCH: u64 = 64;

/// Why a mag couldn't be written.
#[derive(Debug, thiserror::Error)]
pub enum WkwWriteError {
    /// The system refused.
    #[error("can't write: {source}: {}", .path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The header can't be expressed in WKW.
    #[error("WKW can't store {0}")]
    NotExpressible(String),
    /// The voxels handed over don't fit their box.
    #[error("{actual} bytes for a box of {expected}")]
    WrongLength {
        /// Bytes of the box.
        expected: u64,
        /// Bytes given.
        actual: usize,
    },
}

/// Writes the shards of one mag. Shards can be written from several threads.
#[derive(Debug)]
pub struct WkwWriter {
    folder: PathBuf,
    header: WkwHeader,
}

impl WkwWriter {
    /// Creates the mag's folder with its `header.wkw`.
    ///
    /// # Errors
    /// If the folder or file can't be written, or the header isn't expressible.
    pub fn create(folder: impl Into<PathBuf>, header: WkwHeader) -> Result<Self, WkwWriteError> {
        let folder = folder.into();
        let header = WkwHeader { data_offset: 0, ..header };
        let bytes = header.to_bytes().ok_or_else(|| {
            WkwWriteError::NotExpressible(format!("{} voxels of {} bytes", header.voxel_type, header.voxel_type.byte_len()))
        })?;
        let fail = |path: &Path, source| WkwWriteError::Io { path: path.to_owned(), source };
        std::fs::create_dir_all(&folder).map_err(|err| fail(&folder, err))?;
        let path = folder.join(HEADER_FILE);
        write_atomically(&path, |file| file.write_all(&bytes)).map_err(|err| fail(&path, err))?;
        Ok(Self { folder, header })
    }

    /// The mag's header.
    pub const fn header(&self) -> &WkwHeader {
        &self.header
    }

    /// The voxels that a shard covers.
    pub fn shard_box(&self, shard: ShardIndex) -> BoundingBox {
        let side = 1_i64 << (self.header.chunk_log2 + self.header.chunks_per_shard_log2);
        BoundingBox::new(shard.0.times(Vec3Int::splat(side)), Shape3::splat(side))
    }

    /// Writes a shard from canonical voxels of a box; what the box doesn't cover becomes 0. A shard that
    /// would be all zeros is not written. Returns whether a file was written.
    ///
    /// The file is written aside and renamed, so a reader never sees half of it.
    ///
    /// # Errors
    /// If the file can't be written, or `voxels` has another length than the box.
    pub fn write_shard(&self, shard: ShardIndex, voxels: &[u8], voxels_box: &BoundingBox) -> Result<bool, WkwWriteError> {
        let bytes_per_voxel = self.header.voxel_type.byte_len();
        let expected = voxels_box.shape.byte_len(bytes_per_voxel);
        if expected != Some(voxels.len()) {
            return Err(WkwWriteError::WrongLength { expected: expected.map_or(u64::MAX, |len| len as u64), actual: voxels.len() });
        }
        self.write_shard_by_chunks(shard, |chunk_box, chunk| {
            if !voxels_box.intersect(chunk_box).is_empty() {
                copy_box(voxels, voxels_box, chunk, chunk_box, bytes_per_voxel);
            }
            Ok(())
        })
    }

    /// The same, asking for one chunk after the other, so that a shard of any size needs little memory. `read` is given
    /// the voxels of a chunk and zeros to fill in; it is called from several threads.
    ///
    /// # Errors
    /// If the file can't be written, or `read` fails.
    pub fn write_shard_by_chunks<E: From<WkwWriteError> + Send>(
        &self,
        shard: ShardIndex,
        read: impl Fn(&BoundingBox, &mut [u8]) -> Result<(), E> + Sync,
    ) -> Result<bool, E> {
        let key = shard_key(shard).ok_or_else(|| WkwWriteError::NotExpressible(format!("shard {shard} at a negative position")))?;
        let chunk_len = usize::try_from(self.header.chunk_len())
            .map_err(|_| WkwWriteError::NotExpressible("a chunk beyond the address space".to_owned()))?;
        let count = self.header.chunk_count();
        let batch = |start: u64| -> Result<Vec<Option<Vec<u8>>>, E> {
            (start..count.min(start + BATCH)).into_par_iter().map(|number| self.encoded_chunk(shard, number, chunk_len, &read)).collect()
        };
        // As long as there are only zeros there is no file.
        let mut at = 0;
        let mut first = Vec::new();
        while at < count && first.iter().all(Option::is_none) {
            first = batch(at)?;
            at += BATCH;
        }
        if first.iter().all(Option::is_none) {
            return Ok(false);
        }
        let path = self.folder.join(key.as_str());
        let fail = |source| WkwWriteError::Io { path: path.clone(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        let mut failed = None;
        let written = write_atomically(&path, |file| {
            let mut out = ShardFile::new(self.header, file, self.encode(&vec![0; chunk_len])?)?;
            (0..at - BATCH).try_for_each(|_| out.push(None))?;
            first.into_iter().try_for_each(|block| out.push(block))?;
            while at < count {
                match batch(at) {
                    Ok(blocks) => blocks.into_iter().try_for_each(|block| out.push(block))?,
                    Err(err) => {
                        failed = Some(err);
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                }
                at += BATCH;
            }
            out.finish()
        });
        match failed {
            Some(err) => Err(err),
            None => Ok(written.map(|()| true).map_err(fail)?),
        }
    }

    /// A chunk as it is stored; `None` for zeros.
    fn encoded_chunk<E: From<WkwWriteError>>(
        &self,
        shard: ShardIndex,
        number: u64,
        chunk_len: usize,
        read: &impl Fn(&BoundingBox, &mut [u8]) -> Result<(), E>,
    ) -> Result<Option<Vec<u8>>, E> {
        let shape = self.header.chunk_shape();
        let [x, y, z] = morton_decode(number).map(|v| i64::try_from(v).unwrap_or(i64::MAX));
        let chunk_box = BoundingBox::new(self.shard_box(shard).topleft + Vec3Int::new(x, y, z).times(shape.to_vec()), shape);
        let mut chunk = vec![0; chunk_len];
        read(&chunk_box, &mut chunk)?;
        if is_zero(&chunk) {
            return Ok(None);
        }
        let encoded = self.encode(&chunk).map_err(|source| WkwWriteError::Io { path: self.folder.clone(), source })?;
        Ok(Some(encoded))
    }

    fn encode(&self, chunk: &[u8]) -> io::Result<Vec<u8>> {
        match self.header.block_type {
            BlockType::Raw => Ok(chunk.to_vec()),
            BlockType::Lz4 => Ok(lz4::encode(chunk)),
            BlockType::Lz4Hc => lz4::encode_high(chunk),
        }
    }
}

/// A shard that is being written.
struct ShardFile<W: Write + Seek> {
    out: io::BufWriter<W>,
    has_table: bool,
    zeros: Vec<u8>,
    at: u64,
    ends: Vec<u8>,
}

impl<W: Write + Seek> ShardFile<W> {
    /// Begins with the header; `zeros` is how a chunk of zeros is stored.
    fn new(header: WkwHeader, file: W, zeros: Vec<u8>) -> io::Result<Self> {
        let mut out = io::BufWriter::with_capacity(1 << 20, file);
        let header = WkwHeader { data_offset: header.expected_data_offset(), ..header };
        out.write_all(&header.to_bytes().unwrap_or_default())?;
        // The table is only known at the end; its place is kept free.
        out.seek(SeekFrom::Start(header.data_offset))?;
        Ok(Self { out, has_table: header.block_type != BlockType::Raw, zeros, at: header.data_offset, ends: Vec::new() })
    }

    fn push(&mut self, block: Option<Vec<u8>>) -> io::Result<()> {
        let block = block.as_ref().unwrap_or(&self.zeros);
        self.out.write_all(block)?;
        if self.has_table {
            self.at += block.len() as u64;
            self.ends.extend_from_slice(&self.at.to_le_bytes());
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        if self.has_table {
            self.out.seek(SeekFrom::Start(HEADER_LEN as u64))?;
            self.out.write_all(&self.ends)?;
        }
        self.out.flush()
    }
}

/// Writes a file under a temporary name beside its own and renames it.
fn write_atomically(path: &Path, write: impl FnOnce(&mut std::fs::File) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chunkscope-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are private; data files are meant to be shared as the user's umask says.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    write(file.as_file_mut())?;
    file.persist(path).map_err(|err| err.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::{ElementClass, VoxelType};

    fn header(block_type: BlockType) -> WkwHeader {
        WkwHeader {
            chunk_log2: 1,
            chunks_per_shard_log2: 1,
            block_type,
            voxel_type: VoxelType::single(ElementClass::Uint8),
            data_offset: 0,
        }
    }

    /// The volume of the specification's example: value = 100 + x + 4y + 16z, 4 × 4 × 4.
    fn example() -> Vec<u8> {
        (0..64).map(|i| 100 + i as u8).collect()
    }

    fn write(block_type: BlockType) -> (tempfile::TempDir, Vec<u8>) {
        let dir = tempfile::tempdir().expect("temporary folder");
        let writer = WkwWriter::create(dir.path(), header(block_type)).expect("created");
        let whole = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(4));
        assert!(writer.write_shard(ShardIndex(Vec3Int::ZERO), &example(), &whole).expect("written"));
        let bytes = std::fs::read(dir.path().join("z0/y0/x0.wkw")).expect("there");
        (dir, bytes)
    }

    #[test]
    fn the_raw_file_is_byte_for_byte_the_specification_s() {
        let (dir, bytes) = write(BlockType::Raw);
        assert_eq!(bytes.len(), 80);
        assert_eq!(bytes[..16], *b"WKW\x01\x11\x01\x01\x01\x10\0\0\0\0\0\0\0");
        assert_eq!(bytes[16..32], [0x64, 0x65, 0x68, 0x69, 0x74, 0x75, 0x78, 0x79, 0x66, 0x67, 0x6a, 0x6b, 0x76, 0x77, 0x7a, 0x7b]);
        assert_eq!(std::fs::read(dir.path().join("header.wkw")).expect("there"), *b"WKW\x01\x11\x01\x01\x01\0\0\0\0\0\0\0\0");
    }

    #[test]
    fn the_compressed_file_has_the_specification_s_table() {
        let (_dir, bytes) = write(BlockType::Lz4);
        assert_eq!(bytes.len(), 152);
        assert_eq!(bytes[..16], *b"WKW\x01\x11\x02\x01\x01\x50\0\0\0\0\0\0\0");
        let ends: Vec<u64> = bytes[16..80].as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        assert_eq!(ends, [0x59, 0x62, 0x6b, 0x74, 0x7d, 0x86, 0x8f, 0x98]);
        assert_eq!(bytes[80..89], [0x80, 0x64, 0x65, 0x68, 0x69, 0x74, 0x75, 0x78, 0x79]);
    }

    #[test]
    fn shards_of_zeros_are_not_written_and_no_temporary_file_stays() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let writer = WkwWriter::create(dir.path(), header(BlockType::Lz4)).expect("created");
        let whole = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(4));
        assert!(!writer.write_shard(ShardIndex(Vec3Int::ZERO), &[0; 64], &whole).expect("fine"));
        assert!(!dir.path().join("z0").exists());
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
    }

    #[test]
    fn classes_that_wkw_lacks_are_refused() {
        let dir = tempfile::tempdir().expect("temporary folder");
        for class in [ElementClass::Bool, ElementClass::Float16] {
            let header = WkwHeader { voxel_type: VoxelType::single(class), ..header(BlockType::Raw) };
            assert!(matches!(WkwWriter::create(dir.path(), header), Err(WkwWriteError::NotExpressible(_))), "{class}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 0);
    }
}
