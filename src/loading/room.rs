//! [`Room`]: bounds the bytes that were read and not yet decoded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counted for each chunk at least, so that chunks that take no bytes are bounded in number.
const MIN_BYTES: u64 = 1024;

/// Bytes that reading may be ahead of decoding.
pub struct Room {
    inner: Mutex<Inner>,
}

struct Inner {
    max_bytes: u64,
    used: u64,
    /// What a reader found no room for. Readers rest until that much is free.
    refused: Option<u64>,
}

/// Room that is taken until this is dropped.
pub struct Reservation {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    /// Room for `max_bytes`.
    pub fn new(max_bytes: u64) -> Arc<Self> {
        Arc::new(Self { inner: Mutex::new(Inner { max_bytes, used: 0, refused: None }) })
    }

    /// Takes room for chunks of these lengths, as many as fit, in order. With nothing else read, the first
    /// always fits. An empty list means: rest until [`Self::is_open`].
    pub fn reserve(self: &Arc<Self>, lens: impl IntoIterator<Item = u64>) -> Vec<Reservation> {
        let mut inner = self.lock();
        let mut taken = Vec::new();
        for len in lens {
            let bytes = len.max(MIN_BYTES);
            if inner.used > 0 && inner.used.saturating_add(bytes) > inner.max_bytes {
                if taken.is_empty() {
                    inner.refused = Some(bytes);
                }
                break;
            }
            inner.used = inner.used.saturating_add(bytes);
            taken.push(Reservation { room: self.clone(), bytes });
        }
        taken
    }

    /// Whether readers may go on.
    pub fn is_open(&self) -> bool {
        let inner = self.lock();
        inner.refused.is_none() && inner.used < inner.max_bytes.max(1)
    }

    /// Bytes that are taken.
    #[cfg(test)]
    pub fn used_bytes(&self) -> u64 {
        self.lock().used
    }

    /// Changes the bound for what is read from now on.
    pub fn set_max_bytes(&self, max_bytes: u64) {
        let mut inner = self.lock();
        inner.max_bytes = max_bytes;
        inner.reopen();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn reopen(&mut self) {
        if self.refused.is_some_and(|bytes| self.used == 0 || self.used.saturating_add(bytes) <= self.max_bytes) {
            self.refused = None;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut inner = self.room.lock();
        inner.used = inner.used.saturating_sub(self.bytes);
        inner.reopen();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_fits_is_taken_and_given_back() {
        let room = Room::new(10_000);
        let taken = room.reserve([4000, 4000, 4000]);
        assert_eq!((taken.len(), room.used_bytes()), (2, 8000));
        drop(taken);
        assert_eq!(room.used_bytes(), 0);
    }

    #[test]
    fn a_refused_reader_rests_until_its_chunk_fits() {
        let room = Room::new(10_000);
        let mut taken = room.reserve([4000, 4000]);
        assert!(room.is_open());
        assert!(room.reserve([7000]).is_empty());
        assert!(!room.is_open());
        taken.pop();
        assert!(!room.is_open(), "4000 are taken, 7000 don't fit");
        taken.pop();
        assert!(room.is_open());
    }

    #[test]
    fn a_chunk_larger_than_the_room_is_read_alone() {
        let room = Room::new(10);
        let alone = room.reserve([1 << 20]);
        assert_eq!(alone.len(), 1);
        assert!(room.reserve([1]).is_empty());
    }
}
