//! State of one chip during an in-flash search: page latch, matcher, output register, and pending messages.

use std::collections::VecDeque;

/// Position of a page among the pages of a search phase.
pub(super) type PageNumber = u32;

/// Page read that a chip has to execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageJob {
    /// Page that is read.
    pub page: PageNumber,
    /// Purpose of the read.
    pub kind: JobKind,
}

/// Purpose of a page read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobKind {
    /// The chip searches the page. It is sent only if it matches or cannot be decoded.
    Match,
    /// The page is searched in the controller or in the host.
    Read,
    /// The page is read again with shifted thresholds.
    Again,
    /// The page contains lines around a match in another page.
    Context,
    /// The first bytes of the page are needed, for a match across the boundary to the previous page.
    Head,
}

/// Message between a chip and the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// Transfer of the matcher's tables to the chip.
    Tables,
    /// To the chip: the next read command.
    Command(PageJob),
    /// From the chip: no match in the page.
    Answer(PageNumber),
    /// From the chip: the page.
    Data(PageJob),
    /// From the chip: the first bytes of the page.
    Head,
}

/// State of one chip during an in-flash search.
#[derive(Clone, Debug, Default)]
pub(super) struct Chip {
    /// True if the matcher's tables must be sent to the chip first.
    pub needs_tables: bool,
    /// Reads whose commands have not been sent to the chip.
    pub jobs: VecDeque<PageJob>,
    /// Read that follows next. The chip has already received its command.
    pub next: Option<PageJob>,
    /// Page in the page latch. The second value becomes true at the end of sensing.
    pub latch: Option<(PageJob, bool)>,
    /// Page in the matcher. The second value becomes true at the end of matching.
    pub matcher: Option<(PageJob, bool)>,
    /// Short messages that wait to be sent: answers and page heads.
    pub short: VecDeque<Message>,
    /// Pages that wait to be sent to the controller.
    pub pages: VecDeque<PageJob>,
    /// Message that is being transferred. A page occupies its space in the output register until the end of
    /// the transfer.
    pub on_wire: Option<Message>,
}

impl Chip {
    /// Returns the next message to send, short messages first; `None` during a transfer.
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

    /// Starts the transfer of the message that [`Self::wants`] returned.
    pub fn send(&mut self, message: Message) {
        match message {
            Message::Tables => self.needs_tables = false,
            Message::Command(_) => drop(self.jobs.pop_front()),
            Message::Answer(_) | Message::Head => drop(self.short.pop_front()),
            Message::Data(_) => (),
        }
        self.on_wire = Some(message);
    }

    /// Cancels the transfer of a message for which the fabric found no path.
    pub fn take_back(&mut self) {
        match self.on_wire.take() {
            Some(Message::Tables) => self.needs_tables = true,
            Some(Message::Command(job)) => self.jobs.push_front(job),
            Some(message @ (Message::Answer(_) | Message::Head)) => self.short.push_front(message),
            Some(Message::Data(_)) | None => (),
        }
    }

    /// Ends the transfer of a message, and returns the message.
    pub fn sent(&mut self) -> Option<Message> {
        let message = self.on_wire.take();
        match message {
            Some(Message::Command(job)) => self.next = Some(job),
            Some(Message::Data(_)) => drop(self.pages.pop_front()),
            _ => (),
        }
        message
    }

    /// True if the chip has nothing left to do.
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
