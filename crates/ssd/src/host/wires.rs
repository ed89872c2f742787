//! Both directions of the link, and the messages of the protocol on them.

use venice_kernel::SimTime;

use super::{HostLink, HostSettings, MessageSizes, Passage};

/// The link at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wires {
    sizes: MessageSizes,
    doorbell: Passage,
    read_request: Passage,
    /// Of a command, and of a completion, that takes no data along.
    command: Passage,
    completion: Passage,
    to_drive: HostLink,
    to_host: HostLink,
}

impl Wires {
    pub(super) fn new(settings: &HostSettings) -> Self {
        let HostSettings { sizes, link, .. } = settings;
        let direction = HostLink::new(*link);
        Self {
            sizes: *sizes,
            doorbell: link.passage(sizes.doorbell_bytes.into()),
            read_request: link.passage(sizes.read_request_bytes.into()),
            command: link.passage(sizes.command_bytes.into()),
            completion: link.passage(sizes.completion_bytes.into()),
            to_drive: direction,
            to_host: direction,
        }
    }

    /// Bytes that crossed the link so far, in both directions.
    pub(super) const fn bytes(&self) -> u64 {
        self.to_drive.bytes() + self.to_host.bytes()
    }

    /// The same of each: to the drive, and to the host.
    #[cfg(test)]
    pub(super) const fn bytes_each_way(&self) -> [u64; 2] {
        [self.to_drive.bytes(), self.to_host.bytes()]
    }

    /// The host rings a doorbell. Returns when the drive knows.
    #[inline]
    pub(super) fn send_doorbell(&mut self, now: SimTime) -> SimTime {
        self.to_drive.pass(self.doorbell, now)
    }

    /// The drive asks to read the host's memory. Returns when the host has that.
    #[inline]
    pub(super) fn ask(&mut self, now: SimTime) -> SimTime {
        self.to_host.pass(self.read_request, now)
    }

    /// The host sends a command. Returns when it arrives.
    #[inline]
    pub(super) fn send_command(&mut self, now: SimTime) -> SimTime {
        self.to_drive.pass(self.command, now)
    }

    /// The host sends a command, and so many bytes of data, as one message. Returns when it arrives.
    #[inline]
    pub(super) fn send_command_and_data(&mut self, data: u64, now: SimTime) -> SimTime {
        self.to_drive.send(u64::from(self.sizes.command_bytes) + data, now)
    }

    /// The host sends so many bytes of data. Returns when they arrive.
    #[inline]
    pub(super) fn send_data_in(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.to_drive.send(bytes, now)
    }

    /// The drive sends so many bytes of data, if any, as a message of its own.
    #[inline]
    pub(super) fn send_data_out(&mut self, bytes: u64, now: SimTime) {
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
}
