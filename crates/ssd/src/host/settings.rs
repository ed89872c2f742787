//! What the host interface is told.

use super::link::LinkSettings;
use super::protocol::{MessageSizes, Protocol};

/// The link between host and drive, the messages on it, and the drive's command queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSettings {
    /// Each direction of the link.
    pub link: LinkSettings,
    /// Which messages a command exchanges.
    pub protocol: Protocol,
    /// How long those messages are.
    pub sizes: MessageSizes,
    /// Commands the drive works on at once; further ones wait in the host's queue.
    pub queue_depth: u32,
}
