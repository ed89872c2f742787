//! Both directions of the link, and the messages of the protocol on them.

use venice_kernel::SimTime;
use venice_requests::HostRequest;

use super::protocol::{Scripts, Way};
use super::request::data_of;
use super::{HostLink, HostSettings, MessageSizes, Passage};

/// The link at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wires {
    sizes: MessageSizes,
    scripts: Scripts,
    /// Of a completion that takes no data along.
    completion: Passage,
    doorbell: Passage,
    to_drive: HostLink,
    to_host: HostLink,
}

impl Wires {
    pub(super) fn new(settings: &HostSettings) -> Self {
        let HostSettings { sizes, link, protocol, .. } = settings;
        let direction = HostLink::new(*link);
        Self {
            sizes: *sizes,
            scripts: protocol.scripts(sizes, link),
            completion: link.passage(sizes.completion_bytes.into()),
            doorbell: link.passage(sizes.doorbell_bytes.into()),
            to_drive: direction,
            to_host: direction,
        }
    }

    /// Bytes that crossed the link so far, in both directions.
    pub(super) const fn bytes(&self) -> u64 {
        self.to_drive.bytes() + self.to_host.bytes()
    }

    /// Sends the message that follows when `step` messages of a command have arrived, if any is left. Returns when it arrives.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every message")]
    pub(super) fn send_next(&mut self, step: u8, request: &HostRequest, now: SimTime) -> Option<SimTime> {
        let message = self.scripts.message(step, request.op)?;
        let link = if message.way == Way::In { &mut self.to_drive } else { &mut self.to_host };
        Some(if message.has_data {
            link.send(u64::from(message.bytes) + data_of(request), now)
        } else {
            link.pass(message.passage, now)
        })
    }

    /// Sends so many bytes of data to the host, if any, as a message of its own.
    #[inline]
    pub(super) fn send_data(&mut self, bytes: u64, now: SimTime) {
        if bytes > 0 {
            self.to_host.send(bytes, now);
        }
    }

    /// Sends a completion. Returns when it arrives.
    #[inline]
    pub(super) fn send_completion(&mut self, now: SimTime) -> SimTime {
        self.to_host.pass(self.completion, now)
    }

    /// Sends a completion and so many bytes of data as one message. Returns when it arrives.
    #[inline]
    pub(super) fn send_answer(&mut self, data: u64, now: SimTime) -> SimTime {
        self.to_host.send(u64::from(self.sizes.completion_bytes) + data, now)
    }

    /// The host says how far it has read the completion ring. Returns when the drive knows.
    #[inline]
    pub(super) fn send_doorbell(&mut self, now: SimTime) -> SimTime {
        self.to_drive.pass(self.doorbell, now)
    }
}
