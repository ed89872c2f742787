//! Both directions of the link, and the messages of the protocol on them.

use venice_kernel::SimTime;

use super::way_in::WayIn;
use super::{HostLink, HostSettings, MessageSizes, Passage};

/// The link at work.
#[derive(Clone, Debug)]
pub(super) struct Wires {
    sizes: MessageSizes,
    doorbell: Passage,
    read_request: Passage,
    /// Of a command, and of a completion, that takes no data along.
    command: Passage,
    completion: Passage,
    to_drive: WayIn,
    to_host: HostLink,
}

impl Wires {
    pub(super) fn new(settings: &HostSettings) -> Self {
        let HostSettings { sizes, link, .. } = settings;
        Self {
            sizes: *sizes,
            doorbell: link.passage(sizes.doorbell_bytes.into()),
            read_request: link.passage(sizes.read_request_bytes.into()),
            command: link.passage(sizes.command_bytes.into()),
            completion: link.passage(sizes.completion_bytes.into()),
            to_drive: WayIn::new(*link),
            to_host: HostLink::new(*link),
        }
    }

    /// Bytes that have crossed the link by now, in each direction: to the drive, and to the host.
    pub(super) fn bytes(&self, now: SimTime) -> [u64; 2] {
        [self.to_drive.bytes(now), self.to_host.bytes()]
    }

    /// The host rings a doorbell. Returns when the drive knows.
    #[inline]
    pub(super) fn send_doorbell(&mut self, now: SimTime) -> SimTime {
        self.to_drive.pass(self.doorbell, now)
    }

    /// The drive reads a command from the host's memory. Returns when it arrives at the earliest.
    #[inline]
    pub(super) fn read_command(&mut self, now: SimTime) -> SimTime {
        let asked = self.to_host.pass(self.read_request, now);
        self.to_drive.answer(self.command, asked)
    }

    /// The drive reads so many bytes of data from the host's memory. Returns when they arrive at the earliest.
    #[inline]
    pub(super) fn read_data(&mut self, bytes: u64, now: SimTime) -> SimTime {
        let asked = self.to_host.pass(self.read_request, now);
        self.to_drive.answer_bytes(bytes, asked)
    }

    /// What was read, and not taken, first may have arrived: says when it does, or did. It is taken.
    #[inline]
    pub(super) fn take_read(&mut self) -> SimTime {
        self.to_drive.take_answer()
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
