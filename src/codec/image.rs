//! Chunks stored as one JPEG, PNG or JPEG XL image, as the precomputed format does.
//!
//! Specification: <https://github.com/google/neuroglancer/blob/master/src/datasource/precomputed/volume.md>, "Chunk
//! encodings": the pixels row by row are the chunk's voxels, the image's components its channels. Colour profiles and
//! orientations are ignored, as these are numbers and no pictures. Not supported: JPEG and JPEG XL of more than
//! 8 bits, PNG samples of other widths than the voxels', all but the first frame of an animation.

use std::io::Cursor;

use image::codecs::{jpeg::JpegDecoder, png::PngDecoder};
use image::{ImageDecoder, ImageError, ImageResult, Limits};

use super::DecodeError;

mod jxl;

/// Which kind of image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumIter)]
pub enum ImageKind {
    /// JPEG of one or three components, 8 bits.
    Jpeg,
    /// PNG of one to four components, 8 or 16 bits; palettes are looked up.
    Png,
    /// JPEG XL of one, three or four components, 8 bits.
    Jxl,
}

impl ImageKind {
    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Jxl => "JPEG XL",
        }
    }
}

/// What a decoder may allocate besides the pixels: tables, rows, one compressed copy.
const DECODER_SLACK_BYTES: usize = 16 << 20;

/// Decodes an image of `voxels` pixels into `out`: the channel fastest, little-endian.
///
/// # Errors
/// If the image is broken, or has another number of pixels, components or bits than asked for.
pub fn decode_into(
    kind: ImageKind,
    stored: &[u8],
    voxels: usize,
    channels: usize,
    bytes_per_channel: usize,
    out: &mut [u8],
) -> Result<(), DecodeError> {
    let wanted = Wanted { kind, voxels, channels, bytes_per_channel };
    let fail = |err: ImageError| DecodeError::corrupt(kind.name(), err.to_string());
    match kind {
        ImageKind::Jpeg => {
            // The decoder would fill what is missing with grey.
            if !stored.windows(2).rev().any(|marker| marker == JPEG_END) {
                return Err(DecodeError::ends_early(kind.name()));
            }
            wanted.read(JpegDecoder::new(Cursor::new(stored)).map_err(fail)?, stored, out)
        }
        ImageKind::Png => wanted.read(PngDecoder::with_limits(Cursor::new(stored), wanted.limits(stored)).map_err(fail)?, stored, out),
        ImageKind::Jxl => jxl::decode_into(&wanted, stored, out),
    }
}

/// The end-of-image marker; compressed data never contains it.
const JPEG_END: [u8; 2] = [0xff, 0xd9];

struct Wanted {
    kind: ImageKind,
    voxels: usize,
    channels: usize,
    bytes_per_channel: usize,
}

impl Wanted {
    /// What a decoder may allocate. Some hold the image twice: as samples and as bytes of the output.
    fn max_alloc_bytes(&self, stored: &[u8]) -> usize {
        let pixels = self.voxels.saturating_mul(self.channels).saturating_mul(self.bytes_per_channel);
        pixels.saturating_add(stored.len()).saturating_mul(4).saturating_add(DECODER_SLACK_BYTES)
    }

    fn limits(&self, stored: &[u8]) -> Limits {
        let mut limits = Limits::no_limits();
        limits.max_alloc = Some(self.max_alloc_bytes(stored) as u64);
        limits
    }

    fn read(&self, mut decoder: impl ImageDecoder, stored: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
        let color = decoder.color_type();
        let channels = usize::from(color.channel_count());
        self.check(decoder.dimensions(), channels, usize::from(color.bits_per_pixel()) / channels, out)?;
        // Rows that a broken JPEG leaves out are not written.
        out.fill(0);
        let read = || -> ImageResult<()> {
            decoder.set_limits(self.limits(stored))?;
            decoder.read_image(out)
        };
        read().map_err(|err| DecodeError::corrupt(self.kind.name(), err.to_string()))?;
        if self.bytes_per_channel == 2 && cfg!(target_endian = "big") {
            out.as_chunks_mut::<2>().0.iter_mut().for_each(|sample| sample.reverse());
        }
        Ok(())
    }

    /// Checks all that decides about the length of the output, so that nothing is allocated for an image of another.
    fn check(&self, (width, height): (u32, u32), channels: usize, bits: usize, out: &[u8]) -> Result<(), DecodeError> {
        let mismatch = |reason: String| Err(DecodeError::corrupt(self.kind.name(), reason));
        if u64::from(width) * u64::from(height) != self.voxels as u64 {
            return mismatch(format!("an image of {width} × {height} pixels, expected {} in all", self.voxels));
        }
        if channels != self.channels {
            return mismatch(format!("{} image, expected {}", components(channels), components(self.channels)));
        }
        let wanted_bits = self.bytes_per_channel.saturating_mul(8);
        if bits != wanted_bits {
            return mismatch(format!("{bits} bits per component, expected {wanted_bits}"));
        }
        let len = self.voxels.saturating_mul(channels).saturating_mul(self.bytes_per_channel);
        if len != out.len() {
            return Err(DecodeError::WrongLength { expected: out.len(), actual: len });
        }
        Ok(())
    }
}

fn components(count: usize) -> String {
    match count {
        1 => "grey (1 component)".to_owned(),
        3 => "RGB (3 components)".to_owned(),
        _ => format!("{count}-component"),
    }
}

#[cfg(test)]
mod tests;
