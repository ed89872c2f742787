//! Thread that passes request rows to their consumers during the run.
//!
//! The consumers are slow, since they write new memory and encode rows. The run only fills blocks of rows,
//! whose memory is reused. The thread polls for full blocks, and sleeps briefly if there is none. If the run
//! had to wake the thread, each block would cost a system call.

use std::io;
use std::iter;
use std::mem;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use venice_drive::observe::RequestRow;

use crate::arrays::RequestLogBuilder;
use crate::columns::BLOCK;
use crate::guard::{CaughtPanic, guarded};
use crate::request_sink::RequestSink;

/// Spare capacity of a block, in rows. A run usually adds at most this number of rows to a full block before
/// the block is sent.
const MORE: usize = 1 << 10;
/// Capacity of the queue of full blocks, in blocks. The run can continue while the consumers write a batch or
/// a row group.
const WAITING: usize = 64;
/// Sleep time of the consumers' thread if no block is full. A fast run fills a block in about this time.
const PAUSE: Duration = Duration::from_micros(250);

/// Channels that pass request rows to the thread of the consumers, and completed batches back to the run.
pub struct RowTransport {
    full: SyncSender<Vec<RequestRow>>,
    empty: Receiver<Vec<RequestRow>>,
    /// Empty blocks for reuse.
    unused: Vec<Vec<RequestRow>>,
    ready: Receiver<RecordBatch>,
    thread: JoinHandle<Result<Result<(), TransportFailure>, CaughtPanic>>,
}

/// Reason for the failure of the transport.
pub enum TransportFailure {
    /// Memory is insufficient.
    Memory(io::Error),
    /// A sink raised an exception.
    Raised(PyErr),
    /// The thread panicked, which is an internal error.
    Crash(CaughtPanic),
}

/// Consumers of request rows.
pub struct RowConsumers {
    /// Builder of the request log in memory, if it is requested.
    pub arrays: Option<RequestLogBuilder>,
    /// Sinks that write the rows to files.
    pub files: Vec<Py<RequestSink>>,
}

impl RowTransport {
    /// Starts the thread that passes request rows to the consumers `takers`.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a thread.
    pub fn begin(takers: RowConsumers) -> io::Result<Self> {
        let (full, blocks) = mpsc::sync_channel(WAITING);
        let (back, empty) = mpsc::channel();
        let (batches, ready) = mpsc::channel();
        let work = move || guarded(|| fill(takers, &blocks, &back, &batches));
        let thread = thread::Builder::new().name("venice-rows".to_owned()).spawn(work)?;
        Ok(Self { full, empty, unused: Vec::new(), ready, thread })
    }

    /// Sends the rows in `made` if they fill a block. Returns false if the thread has failed.
    /// [`Self::finish`] then returns the reason.
    #[must_use]
    pub fn take(&mut self, made: &mut Vec<RequestRow>) -> bool {
        made.len() < BLOCK || {
            let next = self.next();
            self.full.send(mem::replace(made, next)).is_ok()
        }
    }

    /// Returns an empty block for the run, preferably a used one. Blocks are never freed, because writing to
    /// new memory takes longer than all other work on a block.
    fn next(&mut self) -> Vec<RequestRow> {
        self.unused.extend(self.empty.try_iter());
        self.unused.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK + MORE))
    }

    /// Returns a complete batch, if there is one.
    pub fn batch(&self) -> Option<RecordBatch> {
        self.ready.try_recv().ok()
    }

    /// Sends the last rows and waits for the thread. Returns the remaining batches.
    ///
    /// # Errors
    /// Returns the [`TransportFailure`] of the thread.
    pub fn finish(self, last: Vec<RequestRow>) -> Result<Vec<RecordBatch>, TransportFailure> {
        let Self { full, ready, thread, .. } = self;
        // If the thread has ended, its result states the reason.
        let _ = full.send(last);
        drop(full);
        let batches = ready.iter().collect();
        thread.join().expect("a panic is caught").map_err(TransportFailure::Crash)??;
        Ok(batches)
    }
}

/// Passes received blocks to the consumers, and returns the emptied blocks to the run. Errors of sending are
/// ignored, because they mean that the run was interrupted.
fn fill(
    mut takers: RowConsumers,
    blocks: &Receiver<Vec<RequestRow>>,
    back: &Sender<Vec<RequestRow>>,
    ready: &Sender<RecordBatch>,
) -> Result<(), TransportFailure> {
    for mut block in iter::from_fn(|| next_full(blocks)) {
        if let Some(arrays) = &mut takers.arrays {
            batch(arrays, &block, ready).map_err(TransportFailure::Memory)?;
        }
        if !block.is_empty() {
            takers
                .files
                .iter()
                .try_for_each(|file| file.get().extend(&block))
                .map_err(TransportFailure::Raised)?;
        }
        block.clear();
        let _ = back.send(block);
    }
    if let Some(arrays) = &mut takers.arrays {
        let _ = ready.send(arrays.finish());
    }
    Ok(())
}

/// Waits for the next full block. Returns `None` when the sender is closed.
fn next_full(blocks: &Receiver<Vec<RequestRow>>) -> Option<Vec<RequestRow>> {
    loop {
        match blocks.try_recv() {
            Ok(block) => return Some(block),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => thread::sleep(PAUSE),
        }
    }
}

fn batch(arrays: &mut RequestLogBuilder, rows: &[RequestRow], ready: &Sender<RecordBatch>) -> io::Result<()> {
    let mut from = 0;
    while rows.len() - from >= arrays.room() {
        let to = from + arrays.room();
        arrays.extend(&rows[from..to])?;
        let _ = ready.send(arrays.finish());
        from = to;
    }
    arrays.extend(&rows[from..])
}
