//! [`Notifications`]: news that is shown once and stays in a list.

use crate::problem::Severity;
use crate::text::capitalized;
use std::collections::VecDeque;
use std::time::Instant;

/// One piece of news.
#[derive(Clone, Debug)]
pub struct Notification {
    /// Number, unique in a run.
    pub id: u64,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub text: String,
    /// When it came.
    pub at: Instant,
    /// Whether it is still shown as a toast.
    pub is_toast: bool,
}

/// The last 200 pieces of news.
#[derive(Debug, Default)]
pub struct Notifications {
    list: VecDeque<Notification>,
    next_id: u64,
}

impl Notifications {
    /// More are not kept.
    pub const MAX: usize = 200;

    /// How long a toast is shown.
    pub const TOAST_SECS: f32 = 6.0;

    /// Adds news; messages of the library start small, sentences in the window don't. The same text again within a toast's time only renews the toast.
    pub fn push(&mut self, severity: Severity, text: impl Into<String>, now: Instant) {
        let text = capitalized(&text.into());
        if let Some(last) = self.list.back_mut()
            && last.is_toast
            && last.text == text
        {
            last.at = now;
            return;
        }
        if self.list.len() == Self::MAX {
            self.list.pop_front();
        }
        let id = self.next_id;
        self.next_id += 1;
        self.list.push_back(Notification { id, severity, text, at: now, is_toast: true });
    }

    /// Takes a toast away.
    pub fn dismiss(&mut self, id: u64) {
        if let Some(notification) = self.list.iter_mut().find(|n| n.id == id) {
            notification.is_toast = false;
        }
    }

    /// Takes away toasts whose time is over; errors stay until dismissed.
    pub fn expire(&mut self, now: Instant) {
        for notification in &mut self.list {
            let age_secs = now.saturating_duration_since(notification.at).as_secs_f32();
            if notification.severity != Severity::Error && age_secs > Self::TOAST_SECS {
                notification.is_toast = false;
            }
        }
    }

    /// Toasts, oldest first.
    pub fn toasts(&self) -> impl Iterator<Item = &Notification> {
        self.list.iter().filter(|n| n.is_toast)
    }

    /// Everything, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Notification> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn toasts_expire_but_stay_in_the_list_and_errors_stay_shown() {
        let mut notifications = Notifications::default();
        let start = Instant::now();
        notifications.push(Severity::Info, "opened", start);
        notifications.push(Severity::Error, "can't write: disk full", start);
        notifications.expire(start + Duration::from_secs(60));
        assert_eq!(notifications.toasts().map(|n| n.text.as_str()).collect::<Vec<_>>(), ["Can't write: disk full"]);
        assert_eq!(notifications.iter().count(), 2);
    }

    #[test]
    fn the_list_is_bounded_and_repetitions_are_one() {
        let mut notifications = Notifications::default();
        let now = Instant::now();
        for i in 0..500 {
            notifications.push(Severity::Info, i.to_string(), now);
            notifications.push(Severity::Info, i.to_string(), now);
        }
        assert_eq!(notifications.iter().count(), Notifications::MAX);
    }
}
