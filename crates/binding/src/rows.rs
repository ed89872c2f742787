//! Rows of the request log on their way to who wants them: put into columns by a thread of its own while the run goes on.
//!
//! What takes time there is memory that is touched for the first time; the run only copies its rows into blocks, whose memory is used
//! again and again.

use std::io;
use std::mem;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use venice_ssd::observe::RequestRow;

use crate::columns::Columns;
use crate::guard::{Crash, guarded};

/// Rows of a block: less than a megabyte.
const BLOCK: usize = 1 << 12;
/// Full blocks that wait: the run goes on while one is taken.
const WAITING: usize = 4;

type Block = Vec<RequestRow>;

/// Rows that come and batches that go.
pub struct Rows {
    block: Block,
    full: SyncSender<Block>,
    empty: Receiver<Block>,
    ready: Receiver<RecordBatch>,
    thread: JoinHandle<Result<io::Result<()>, Crash>>,
}

/// Why there are no further batches.
pub enum Failure {
    Memory(io::Error),
    Crash(Crash),
}

impl Rows {
    /// No rows yet, of these columns.
    ///
    /// # Errors
    /// If the system has no further thread.
    pub fn begin(columns: Columns) -> io::Result<Self> {
        let (full, blocks) = mpsc::sync_channel(WAITING);
        let (back, empty) = mpsc::channel();
        let (batches, ready) = mpsc::channel();
        let work = move || guarded(|| fill(columns, &blocks, &back, &batches));
        let thread = thread::Builder::new().name("venice-rows".to_owned()).spawn(work)?;
        Ok(Self { block: Vec::with_capacity(BLOCK), full, empty, ready, thread })
    }

    /// Further rows, and whether they are taken: after a failure they are not, and [`Self::finish`] says which it was.
    #[must_use]
    pub fn extend(&mut self, mut rows: &[RequestRow]) -> bool {
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK && !self.hand_over() {
                return false;
            }
            rows = later;
        }
        true
    }

    fn hand_over(&mut self) -> bool {
        let next = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK));
        self.full.send(mem::replace(&mut self.block, next)).is_ok()
    }

    /// A batch that is full, if one is.
    pub fn batch(&self) -> Option<RecordBatch> {
        self.ready.try_recv().ok()
    }

    /// What is left when no further rows come: full batches, and one that is not.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, Failure> {
        // If nobody receives it any more, the thread says why.
        self.hand_over();
        let Self { full, ready, thread, .. } = self;
        drop(full);
        let batches = ready.iter().collect();
        thread.join().expect("a panic is caught").map_err(Failure::Crash)?.map_err(Failure::Memory)?;
        Ok(batches)
    }
}

/// Puts all that is received into batches; blocks go back empty. Nobody may want batches or blocks any more: an interrupted run.
fn fill(
    mut columns: Columns,
    blocks: &Receiver<Block>,
    back: &Sender<Block>,
    ready: &Sender<RecordBatch>,
) -> io::Result<()> {
    for mut block in blocks {
        let mut rows = &block[..];
        while rows.len() >= columns.room() {
            let (last, later) = rows.split_at(columns.room());
            columns.extend(last)?;
            let _ = ready.send(columns.finish());
            rows = later;
        }
        columns.extend(rows)?;
        block.clear();
        let _ = back.send(block);
    }
    let _ = ready.send(columns.finish());
    Ok(())
}
