//! Both directions of the link, and the messages of the protocol on them.

use venice_kernel::SimTime;

use super::protocol::{MessageSizes, Scripts, Way};
use super::request::Request;
use super::{HostLink, HostSettings};

/// The link at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wires {
    sizes: MessageSizes,
    scripts: Scripts,
    to_drive: HostLink,
    to_host: HostLink,
}

impl Wires {
    pub(super) fn new(settings: &HostSettings) -> Self {
        let link = HostLink::new(settings.link);
        let scripts = settings.protocol.scripts(&settings.sizes);
        Self { sizes: settings.sizes, scripts, to_drive: link, to_host: link }
    }

    /// Bytes that crossed the link so far, in both directions.
    pub(super) const fn bytes(&self) -> u64 {
        self.to_drive.bytes() + self.to_host.bytes()
    }

    /// Sends the next message of a command, if any is left. Returns when it arrives.
    #[inline]
    pub(super) fn send_next(&mut self, request: &Request, now: SimTime) -> Option<SimTime> {
        let (way, bytes) = self.scripts.message(request.messages, request.host.op, request.data())?;
        let link = if way == Way::In { &mut self.to_drive } else { &mut self.to_host };
        Some(link.send(bytes, now))
    }

    /// Sends so many bytes of data to the host, if any, as a message of its own.
    #[inline]
    pub(super) fn send_data(&mut self, bytes: u64, now: SimTime) {
        if bytes > 0 {
            self.to_host.send(bytes, now);
        }
    }

    /// Sends a completion, with so many bytes of data. Returns when it arrives.
    #[inline]
    pub(super) fn send_answer(&mut self, data: u64, now: SimTime) -> SimTime {
        self.to_host.send(u64::from(self.sizes.completion_bytes) + data, now)
    }

    /// The host says how far it has read the completion ring. Returns when the drive knows.
    #[inline]
    pub(super) fn send_doorbell(&mut self, now: SimTime) -> SimTime {
        self.to_drive.send(u64::from(self.sizes.doorbell_bytes), now)
    }
}
