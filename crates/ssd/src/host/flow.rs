//! A stream of requests with a rhythm of its own.

use super::request::{HostRequest, RequestSource, SourceError};

/// Requests taken from the source at a time.
const BATCH: usize = 4096;

/// When requests are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// At their arrival times.
    Open,
    /// As soon as fewer than this many of the flow are outstanding.
    Closed {
        /// Requests kept outstanding.
        depth: u32,
    },
}

/// A source of requests and when they are issued.
pub struct Flow {
    source: Box<dyn RequestSource + Send>,
    mode: LoopMode,
    queue: Option<u16>,
    batch: Vec<HostRequest>,
    next_in_batch: usize,
    error: Option<SourceError>,
}

impl Flow {
    /// The requests of `source`, on the queues that the source gives them.
    pub fn new(source: Box<dyn RequestSource + Send>, mode: LoopMode) -> Self {
        Self { source, mode, queue: None, batch: Vec::with_capacity(BATCH), next_in_batch: 0, error: None }
    }

    /// The same flow with all its requests on one queue.
    #[must_use]
    pub fn on_queue(self, queue: u16) -> Self {
        Self { queue: Some(queue), ..self }
    }

    /// When its requests are issued.
    pub fn mode(&self) -> LoopMode {
        self.mode
    }

    /// Where its requests come from.
    pub fn source(&self) -> &dyn RequestSource {
        &*self.source
    }

    /// The error that ended the source early, if one did.
    pub fn take_error(&mut self) -> Option<SourceError> {
        self.error.take()
    }

    /// The next request; none when the source is exhausted or failed.
    #[inline]
    pub fn next_request(&mut self) -> Option<HostRequest> {
        if self.next_in_batch == self.batch.len() {
            self.refill();
        }
        let request = self.batch.get(self.next_in_batch).copied()?;
        self.next_in_batch += 1;
        Some(HostRequest { queue: self.queue.unwrap_or(request.queue), ..request })
    }

    fn refill(&mut self) {
        self.batch.clear();
        self.next_in_batch = 0;
        if self.error.is_none() {
            self.error = self.source.fill(&mut self.batch, BATCH).err();
        }
    }
}
