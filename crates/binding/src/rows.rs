//! Rows of the request log on their way to who wants them: put into columns by a thread of its own while the run goes on.
//!
//! What takes time there is memory that is touched for the first time, and encoding; the run only fills blocks, whose memory is used
//! again and again.

use std::io;
use std::mem;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use venice_ssd::observe::RequestRow;

use crate::arrays::Arrays;
use crate::columns::BLOCK;
use crate::guard::{Crash, guarded};
use crate::request_file::RequestFile;

/// Those that may come before a full block is taken, as a rule.
const MORE: usize = 1 << 10;
/// Full blocks that wait: the run goes on while some are taken, or while a row group is written.
const WAITING: usize = 16;

type Block = Vec<RequestRow>;

/// Rows that come and batches that go.
pub struct Rows {
    full: SyncSender<Block>,
    empty: Receiver<Block>,
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
    /// Files.
    pub files: Vec<Py<RequestFile>>,
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
        Ok(Self { full, empty, ready, thread })
    }

    /// Takes rows that make a block, and whether such ones are taken: after a failure they are not, and [`Self::finish`] says which it was.
    #[must_use]
    pub fn take(&self, made: &mut Block) -> bool {
        made.len() < BLOCK || self.full.send(mem::replace(made, self.unused())).is_ok()
    }

    /// The block that was used last is the likeliest to be in a cache.
    fn unused(&self) -> Block {
        self.empty.try_iter().last().unwrap_or_else(|| Vec::with_capacity(BLOCK + MORE))
    }

    /// A batch that is full, if one is.
    pub fn batch(&self) -> Option<RecordBatch> {
        self.ready.try_recv().ok()
    }

    /// What is left when no rows come but the last ones: full batches, and one that is not.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn finish(self, last: Block) -> Result<Vec<RecordBatch>, Failure> {
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
    blocks: &Receiver<Block>,
    back: &Sender<Block>,
    ready: &Sender<RecordBatch>,
) -> Result<(), Failure> {
    for mut block in blocks {
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

fn batch(arrays: &mut Arrays, mut rows: &[RequestRow], ready: &Sender<RecordBatch>) -> io::Result<()> {
    while rows.len() >= arrays.room() {
        let (last, later) = rows.split_at(arrays.room());
        arrays.extend(last)?;
        let _ = ready.send(arrays.finish());
        rows = later;
    }
    arrays.extend(rows)
}
