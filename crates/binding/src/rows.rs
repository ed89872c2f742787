//! Rows of the request log on their way to who wants them: put into columns by a thread of its own while the run goes on.
//!
//! What takes time there is memory that is touched for the first time, and encoding; the run only fills blocks, whose memory is used
//! again and again. The thread looks whether a full one is there and sleeps a little if none is: to be woken would take the run a call of the
//! system for each.

use std::io;
use std::iter;
use std::mem;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use venice_ssd::observe::RequestRow;

use crate::arrays::Arrays;
use crate::columns::BLOCK;
use crate::guard::{Crash, guarded};
use crate::request_sink::RequestSink;

/// Those that may come before a full block is taken, as a rule.
const MORE: usize = 1 << 10;
/// Full blocks that wait: the run goes on while some are taken, or while a row group is written.
const WAITING: usize = 64;
/// How long the thread sleeps when no block is full: about as long as a fast run takes for one.
const PAUSE: Duration = Duration::from_micros(250);

/// Rows that come and batches that go.
pub struct Rows {
    full: SyncSender<Vec<RequestRow>>,
    empty: Receiver<Vec<RequestRow>>,
    /// Those that are used next.
    unused: Vec<Vec<RequestRow>>,
    ready: Receiver<RecordBatch>,
    thread: JoinHandle<Result<Result<(), Failure>, Crash>>,
}

/// Why there are no further batches.
pub enum Failure {
    /// There is no memory for them.
    Memory(io::Error),
    /// Whoever writes the file has raised this.
    Raised(PyErr),
    /// A bug of ours.
    Crash(Crash),
}

/// Who gets rows.
pub struct Takers {
    /// Batches in memory.
    pub arrays: Option<Arrays>,
    /// Sinks that write files.
    pub files: Vec<Py<RequestSink>>,
}

impl Rows {
    /// No rows yet.
    ///
    /// # Errors
    /// If the system has no further thread.
    pub fn begin(takers: Takers) -> io::Result<Self> {
        let (full, blocks) = mpsc::sync_channel(WAITING);
        let (back, empty) = mpsc::channel();
        let (batches, ready) = mpsc::channel();
        let work = move || guarded(|| fill(takers, &blocks, &back, &batches));
        let thread = thread::Builder::new().name("venice-rows".to_owned()).spawn(work)?;
        Ok(Self { full, empty, unused: Vec::new(), ready, thread })
    }

    /// Takes rows that make a block, and whether such ones are taken: after a failure they are not, and [`Self::finish`] says which it was.
    #[must_use]
    pub fn take(&mut self, made: &mut Vec<RequestRow>) -> bool {
        made.len() < BLOCK || {
            let next = self.next();
            self.full.send(mem::replace(made, next)).is_ok()
        }
    }

    /// A block that was used before, if one has come back: none is given up, since new memory takes longer than all that is done with it.
    fn next(&mut self) -> Vec<RequestRow> {
        self.unused.extend(self.empty.try_iter());
        self.unused.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK + MORE))
    }

    /// A batch that is full, if one is.
    pub fn batch(&self) -> Option<RecordBatch> {
        self.ready.try_recv().ok()
    }

    /// What is left when no rows come but the last ones: full batches, and one that is not.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn finish(self, last: Vec<RequestRow>) -> Result<Vec<RecordBatch>, Failure> {
        let Self { full, ready, thread, .. } = self;
        // If nobody receives it any more, the thread says why.
        let _ = full.send(last);
        drop(full);
        let batches = ready.iter().collect();
        thread.join().expect("a panic is caught").map_err(Failure::Crash)??;
        Ok(batches)
    }
}

/// Hands all that is received to its takers; blocks go back empty. Nobody may want batches or blocks any more: an interrupted run.
fn fill(
    mut takers: Takers,
    blocks: &Receiver<Vec<RequestRow>>,
    back: &Sender<Vec<RequestRow>>,
    ready: &Sender<RecordBatch>,
) -> Result<(), Failure> {
    for mut block in iter::from_fn(|| next_full(blocks)) {
        if let Some(arrays) = &mut takers.arrays {
            batch(arrays, &block, ready).map_err(Failure::Memory)?;
        }
        if !block.is_empty() {
            takers.files.iter().try_for_each(|file| file.get().extend(&block)).map_err(Failure::Raised)?;
        }
        block.clear();
        let _ = back.send(block);
    }
    if let Some(arrays) = &mut takers.arrays {
        let _ = ready.send(arrays.finish());
    }
    Ok(())
}

/// The next full block, when it is there; none when no more come.
fn next_full(blocks: &Receiver<Vec<RequestRow>>) -> Option<Vec<RequestRow>> {
    loop {
        match blocks.try_recv() {
            Ok(block) => return Some(block),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => thread::sleep(PAUSE),
        }
    }
}

fn batch(arrays: &mut Arrays, rows: &[RequestRow], ready: &Sender<RecordBatch>) -> io::Result<()> {
    let mut from = 0;
    while rows.len() - from >= arrays.room() {
        let to = from + arrays.room();
        arrays.extend(&rows[from..to])?;
        let _ = ready.send(arrays.finish());
        from = to;
    }
    arrays.extend(&rows[from..])
}
