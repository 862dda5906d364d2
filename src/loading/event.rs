//! [`LoaderEvent`] and [`UiWaker`]: how background work tells the UI thread that something changed.
//!
//! Results themselves stay in the cache; an event only says where to look again.

use super::ChunkId;
use crate::format::ChunkError;
use crate::problem::Problem;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Events that wait for the UI at most: about a frame's worth. At the bound the sending thread waits.
pub const EVENT_CAPACITY: usize = 1024;

/// What happened in the background.
#[derive(Clone, Debug)]
pub enum LoaderEvent {
    /// A chunk is ready, or known to be missing.
    Changed(ChunkId),
    /// A chunk can't be shown.
    Failed(ChunkId, Arc<ChunkError>),
    /// A finding made while reading that took nothing away.
    Warning(Problem),
}

/// Wakes the UI thread without knowing what it is. Many wakes before the next drain count as one.
#[derive(Clone)]
pub struct UiWaker {
    wake: Arc<dyn Fn() + Send + Sync>,
    woken: Arc<AtomicBool>,
}

impl UiWaker {
    /// A waker that calls `wake`, which must neither block nor panic.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { wake: Arc::new(wake), woken: Arc::new(AtomicBool::new(false)) }
    }

    /// A waker that wakes nobody, for programs without a window.
    pub fn none() -> Self {
        Self::new(|| {})
    }

    /// Asks for another frame, unless that was done since the last drain.
    pub fn wake(&self) {
        if !self.woken.swap(true, Ordering::AcqRel) {
            (self.wake)();
        }
    }

    /// Says that a frame has come: what happens from now on needs a new wake.
    fn answered(&self) {
        self.woken.store(false, Ordering::Release);
    }
}

impl fmt::Debug for UiWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UiWaker").field("woken", &self.woken).finish_non_exhaustive()
    }
}

/// The sending end, used by reading threads and workers.
pub(super) struct EventSender {
    sender: Sender<LoaderEvent>,
    waker: UiWaker,
}

/// The UI's end. Dropping it lets waiting senders return.
pub(super) struct EventReceiver {
    receiver: Receiver<LoaderEvent>,
    waker: UiWaker,
}

/// A channel of at most `capacity` events.
pub(super) fn event_channel(capacity: usize, waker: UiWaker) -> (EventSender, EventReceiver) {
    let (sender, receiver) = bounded(capacity);
    (EventSender { sender, waker: waker.clone() }, EventReceiver { receiver, waker })
}

impl EventSender {
    /// Sends and wakes. Waits while the channel is full, until the UI takes something or is gone.
    pub fn send(&self, event: LoaderEvent) {
        match self.sender.try_send(event) {
            Ok(()) => self.waker.wake(),
            Err(TrySendError::Full(event)) => {
                self.waker.wake();
                if self.sender.send(event).is_ok() {
                    self.waker.wake(); // the drain that made room may have ended before this event
                }
            }
            Err(TrySendError::Disconnected(_)) => {} // the window closes: nobody needs to know
        }
    }
}

impl EventReceiver {
    /// What is there, for at most `budget` but at least one event. Wakes again if there is more.
    pub fn drain(&self, budget: Duration) -> Vec<LoaderEvent> {
        self.waker.answered(); // before receiving: an event sent from now on wakes by itself
        let deadline = Instant::now() + budget;
        let mut events = Vec::new();
        while let Ok(event) = self.receiver.try_recv() {
            events.push(event);
            if events.len() >= EVENT_CAPACITY || Instant::now() >= deadline {
                break;
            }
        }
        if !self.receiver.is_empty() {
            self.waker.wake();
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Severity;
    use std::sync::atomic::AtomicUsize;

    fn counting_waker() -> (UiWaker, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        (UiWaker::new(move || _ = counted.fetch_add(1, Ordering::SeqCst)), count)
    }

    fn warning(text: &str) -> LoaderEvent {
        LoaderEvent::Warning(Problem { severity: Severity::Info, text: text.to_owned(), location: String::new() })
    }

    #[test]
    fn many_wakes_before_a_drain_count_as_one() {
        let (waker, count) = counting_waker();
        let (sender, receiver) = event_channel(8, waker);
        for _ in 0..5 {
            sender.send(warning("a"));
        }
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert_eq!(receiver.drain(Duration::from_secs(1)).len(), 5);
        sender.send(warning("b"));
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_drain_without_time_takes_one_event_and_wakes_again() {
        let (waker, count) = counting_waker();
        let (sender, receiver) = event_channel(8, waker);
        sender.send(warning("a"));
        sender.send(warning("b"));
        assert_eq!(receiver.drain(Duration::ZERO).len(), 1);
        assert_eq!(count.load(Ordering::SeqCst), 2);
        assert_eq!(receiver.drain(Duration::ZERO).len(), 1);
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_full_channel_makes_the_sender_wait_until_the_receiver_is_gone() {
        let (sender, receiver) = event_channel(1, UiWaker::none());
        sender.send(warning("a"));
        let waiting = std::thread::spawn(move || sender.send(warning("b")));
        drop(receiver);
        waiting.join().expect("the sender returns");
    }
}
