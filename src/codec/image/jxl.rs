//! JPEG XL (ISO/IEC 18181), a bare codestream or in its container.

use jxl_oxide::{AllocTracker, JxlImage, JxlThreadPool};

use super::{DecodeError, ImageKind, Wanted};

/// Decoding goes by way of 32-bit samples, and through several stages.
const WORKING_COPIES: usize = 8;

pub fn decode_into(wanted: &Wanted, stored: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    let name = ImageKind::Jxl.name();
    let fail = |err: Box<dyn std::error::Error + Send + Sync>| DecodeError::corrupt(name, err.to_string());
    let limit = wanted.max_alloc_bytes(stored).saturating_mul(WORKING_COPIES);
    let image =
        JxlImage::builder().pool(JxlThreadPool::none()).alloc_tracker(AllocTracker::with_limit(limit)).read(stored).map_err(fail)?;
    let bits = image.image_header().metadata.bit_depth.bits_per_sample();
    wanted.check((image.width(), image.height()), image.pixel_format().channels(), bits as usize, out)?;
    if bits != u8::BITS {
        return Err(DecodeError::corrupt(name, format!("{bits} bits per component, only 8 are supported")));
    }
    // The decoder would fill what is missing with black.
    if !image.is_loading_done() {
        return Err(DecodeError::ends_early(name));
    }
    let len = image.render_frame(0).map_err(fail)?.stream().write_to_buffer(out);
    if len == out.len() { Ok(()) } else { Err(DecodeError::WrongLength { expected: out.len(), actual: len }) }
}
