//! Memory that a thread uses again for each chunk that it decodes.

use crate::format::MAX_RUN_BYTES;
use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with `len` bytes of any content. Calls may be nested.
pub fn with_scratch<T>(len: usize, work: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut buffer = SCRATCH.with(RefCell::take);
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    let result = work(&mut buffer[..len]);
    // A large chunk is no reason to hold on to its memory.
    if buffer.capacity() as u64 <= MAX_RUN_BYTES {
        SCRATCH.set(buffer);
    }
    result
}
