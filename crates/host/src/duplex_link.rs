//! Both directions of the host link, and the messages of the host protocol.

use venice_kernel::SimTime;

use super::inbound_link::InboundLink;
use super::{HostLink, HostSettings, MessageCost, MessageSizes};

/// State of both directions of the host link.
#[derive(Clone, Debug)]
pub(super) struct DuplexLink {
    sizes: MessageSizes,
    doorbell: MessageCost,
    read_request: MessageCost,
    /// Link cost of a command without data.
    command: MessageCost,
    completion: MessageCost,
    to_drive: InboundLink,
    to_host: HostLink,
}

impl DuplexLink {
    pub(super) fn new(settings: &HostSettings) -> Self {
        let HostSettings { sizes, link, .. } = settings;
        Self {
            sizes: *sizes,
            doorbell: link.passage(sizes.doorbell_bytes.into()),
            read_request: link.passage(sizes.read_request_bytes.into()),
            command: link.passage(sizes.command_bytes.into()),
            completion: link.passage(sizes.completion_bytes.into()),
            to_drive: InboundLink::new(*link),
            to_host: HostLink::new(*link),
        }
    }

    /// Returns the bytes sent up to `now` to the drive and to the host.
    pub(super) fn bytes(&self, now: SimTime) -> [u64; 2] {
        [self.to_drive.bytes(now), self.to_host.bytes()]
    }

    /// Sends a doorbell. Returns its arrival time in the drive.
    #[inline]
    pub(super) fn send_doorbell(&mut self, now: SimTime) -> SimTime {
        self.to_drive.pass(self.doorbell, now)
    }

    /// Starts a read of a command from host memory. Returns the earliest time at which the command arrives in
    /// the drive.
    #[inline]
    pub(super) fn read_command(&mut self, now: SimTime) -> SimTime {
        let read_arrival = self.to_host.pass(self.read_request, now);
        self.to_drive.answer(self.command, read_arrival)
    }

    /// Starts a read of `bytes` bytes of data from host memory. Returns the earliest time at which the data
    /// arrives in the drive.
    #[inline]
    pub(super) fn read_data(&mut self, bytes: u64, now: SimTime) -> SimTime {
        let read_arrival = self.to_host.pass(self.read_request, now);
        self.to_drive.answer_bytes(bytes, read_arrival)
    }

    /// Removes the oldest pending read of host memory. Returns the arrival time of its response.
    #[inline]
    pub(super) fn take_read(&mut self) -> SimTime {
        self.to_drive.take_answer()
    }

    /// Sends a command. Returns its arrival time.
    #[inline]
    pub(super) fn send_command(&mut self, now: SimTime) -> SimTime {
        self.to_drive.pass(self.command, now)
    }

    /// Sends a command and `data` bytes of data as one message. Returns its arrival time.
    #[inline]
    pub(super) fn send_command_and_data(&mut self, data: u64, now: SimTime) -> SimTime {
        self.to_drive.send(u64::from(self.sizes.command_bytes) + data, now)
    }

    /// Sends `bytes` bytes of read data to the host as a separate message; no message if `bytes` is zero.
    #[inline]
    pub(super) fn send_data_out(&mut self, bytes: u64, now: SimTime) {
        if bytes > 0 {
            self.to_host.send(bytes, now);
        }
    }

    /// Sends `bytes` bytes of data to the host as a separate message. Returns its arrival time.
    pub(super) fn send_data(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.to_host.send(bytes, now)
    }

    /// Sends a completion. Returns its arrival time.
    #[inline]
    pub(super) fn send_completion(&mut self, now: SimTime) -> SimTime {
        self.to_host.pass(self.completion, now)
    }

    /// Sends a completion and `data` bytes of data as one message. Returns its arrival time.
    #[inline]
    pub(super) fn send_answer(&mut self, data: u64, now: SimTime) -> SimTime {
        self.to_host.send(u64::from(self.sizes.completion_bytes) + data, now)
    }
}
