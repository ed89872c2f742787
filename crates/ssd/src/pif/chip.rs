//! One chip of a searching drive: page latch, matcher, output register, and what it wants to send.

use std::collections::VecDeque;

/// A page as a chip and the controller know it: its number in the search.
pub(super) type Page = u32;

/// A read that a chip is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Which page.
    pub page: Page,
    /// What for.
    pub kind: JobKind,
}

/// What a page is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobKind {
    /// To be searched in the chip.
    Match,
    /// To be sent and searched elsewhere.
    Read,
    /// To be sent again, read with moved thresholds.
    Again,
    /// To be sent for the lines around a match.
    Context,
    /// To send its first bytes, for a match across the border before it.
    Head,
}

/// A message between a chip and the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// To the chip: the matcher's tables.
    Tables,
    /// To the chip: the next read.
    Command(Job),
    /// From the chip: nothing in the page.
    Answer(Page),
    /// From the chip: the page.
    Data(Job),
    /// From the chip: the page's first bytes.
    Head,
}

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub(super) struct Chip {
    /// Whether it is to be sent the tables before anything else.
    pub needs_tables: bool,
    /// Reads that it has not been told of.
    pub jobs: VecDeque<Job>,
    /// The next read, of which it has been told.
    pub next: Option<Job>,
    /// The page in the latch, and whether it is all there.
    pub latch: Option<(Job, bool)>,
    /// The page in the matcher, and whether it is through.
    pub matcher: Option<(Job, bool)>,
    /// Answers and heads to be sent.
    pub short: VecDeque<Message>,
    /// Pages to be sent.
    pub pages: VecDeque<Job>,
    /// What is on the wire; a page that is has still its place in the output register.
    pub on_wire: Option<Message>,
}

impl Chip {
    /// The message to send next, the short ones first.
    pub fn wants(&self) -> Option<Message> {
        if self.on_wire.is_some() {
            return None;
        }
        if self.needs_tables {
            return Some(Message::Tables);
        }
        let command = || self.next.is_none().then(|| self.jobs.front()).flatten();
        let short = || self.short.front().copied();
        short()
            .or_else(|| command().map(|&job| Message::Command(job)))
            .or_else(|| self.pages.front().map(|&job| Message::Data(job)))
    }

    /// Puts the message on the wire that [`Self::wants`] named.
    pub fn send(&mut self, message: Message) {
        match message {
            Message::Tables => self.needs_tables = false,
            Message::Command(_) => drop(self.jobs.pop_front()),
            Message::Answer(_) | Message::Head => drop(self.short.pop_front()),
            Message::Data(_) => (),
        }
        self.on_wire = Some(message);
    }

    /// Puts a message back that found no path.
    pub fn take_back(&mut self) {
        match self.on_wire.take() {
            Some(Message::Tables) => self.needs_tables = true,
            Some(Message::Command(job)) => self.jobs.push_front(job),
            Some(message @ (Message::Answer(_) | Message::Head)) => self.short.push_front(message),
            Some(Message::Data(_)) | None => (),
        }
    }

    /// The message on the wire has arrived.
    pub fn sent(&mut self) -> Option<Message> {
        let message = self.on_wire.take();
        match message {
            Some(Message::Command(job)) => self.next = Some(job),
            Some(Message::Data(_)) => drop(self.pages.pop_front()),
            _ => (),
        }
        message
    }

    /// Whether nothing is left to do.
    pub fn is_quiet(&self) -> bool {
        !self.needs_tables
            && self.jobs.is_empty()
            && self.next.is_none()
            && self.latch.is_none()
            && self.matcher.is_none()
            && self.short.is_empty()
            && self.pages.is_empty()
            && self.on_wire.is_none()
    }
}
