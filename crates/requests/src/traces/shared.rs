//! Traces that are decoded once for several readers.
//!
//! # How
//! What a reader is the first to need is decoded for all, in chunks that stay in memory. Each reader gives the requests, and
//! the counters after each request, that it would give if it read the file alone.
//!
//! # What is left out
//! Requests that memory is not enough for, and what follows a damaged row, each reader decodes itself: it opens the file
//! again and passes over what it has given. What is no regular file is not shared.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{TraceOptions, open_trace};
use crate::request::{FormatChoice, HostRequest, RequestSource, SourceCounters, SourceError};

/// Requests that are decoded together; whoever needs one of them waits for all.
const CHUNK: usize = 4_096;

type Source = Box<dyn RequestSource + Send>;

/// Traces, for readers on any number of threads.
pub struct SharedTraces {
    most_requests: usize,
    /// The last one that was asked for comes last.
    kept: Mutex<Vec<Arc<Trace>>>,
}

/// A trace as far as it was decoded.
struct Trace {
    cause: Cause,
    label: String,
    format_choice: FormatChoice,
    /// How many of its requests are in memory.
    requests: AtomicUsize,
    decoded: Mutex<Decoded>,
}

/// All that the requests of a trace follow from.
#[derive(Clone, Debug, PartialEq)]
struct Cause {
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
    options: TraceOptions,
}

struct Decoded {
    chunks: Vec<Arc<Chunk>>,
    rest: Rest,
}

/// What follows the chunks.
enum Rest {
    /// More, in the file.
    Undecoded(Source),
    /// Nothing; these counters are those of the whole file.
    Nothing(SourceCounters),
    /// What each reader decodes itself.
    Unshared,
}

#[derive(Default)]
struct Chunk {
    requests: Vec<HostRequest>,
    /// Counters where they change: after so many requests of the chunk.
    counters: Vec<(usize, SourceCounters)>,
}

/// What a reader finds at its place.
enum Next {
    Chunk(Arc<Chunk>),
    End(SourceCounters),
    /// Nothing that is shared; the file from here on, for the reader that finds this first.
    Own(Option<Source>),
}

impl SharedTraces {
    /// Keeps about so many bytes of decoded requests, of the traces that were asked for last.
    pub fn new(most_bytes: u64) -> Self {
        let most_requests = usize::try_from(most_bytes).unwrap_or(usize::MAX) / size_of::<HostRequest>();
        Self { most_requests, kept: Mutex::default() }
    }

    /// The requests of a trace, as [`open_trace`] gives them.
    ///
    /// # Errors
    /// As [`open_trace`].
    pub fn open(self: &Arc<Self>, path: &Path, options: &TraceOptions) -> Result<Source, SourceError> {
        match Cause::of(path, options) {
            Some(cause) if self.most_requests > 0 => Ok(Box::new(self.reader(cause)?)),
            _ => open_trace(path, options),
        }
    }

    /// How many requests are kept.
    pub fn requests(&self) -> usize {
        locked(&self.kept).iter().map(|trace| trace.size()).sum()
    }

    fn reader(self: &Arc<Self>, cause: Cause) -> Result<Reader, SourceError> {
        let trace = self.trace(cause)?;
        let (traces, counters) = (Arc::clone(self), SourceCounters::default());
        Ok(Reader { traces, trace, number: 0, chunk: None, within: 0, counters, own: None, spent: false })
    }

    fn trace(&self, cause: Cause) -> Result<Arc<Trace>, SourceError> {
        let mut kept = locked(&self.kept);
        let trace = match kept.iter().position(|trace| trace.cause == cause) {
            Some(place) => kept.remove(place),
            None => Arc::new(Trace::open(cause)?),
        };
        kept.push(Arc::clone(&trace));
        Ok(trace)
    }

    /// Whether a trace may go on being kept: those that were asked for longest ago make room for it.
    fn keeps(&self, trace: &Arc<Trace>) -> bool {
        let mut kept = locked(&self.kept);
        let mut requests: usize = kept.iter().map(|trace| trace.size()).sum();
        while requests > self.most_requests && !Arc::ptr_eq(&kept[0], trace) {
            requests -= kept.remove(0).size();
        }
        requests <= self.most_requests && kept.iter().any(|one| Arc::ptr_eq(one, trace))
    }
}

impl Cause {
    /// None for what can be read once only.
    fn of(path: &Path, options: &TraceOptions) -> Option<Self> {
        let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let (bytes, modified) = (about.len(), about.modified().ok());
        Some(Self { path: path.to_owned(), bytes, modified, options: options.clone() })
    }

    fn source(&self) -> Result<Source, SourceError> {
        open_trace(&self.path, &self.options)
    }
}

impl Trace {
    fn open(cause: Cause) -> Result<Self, SourceError> {
        let source = cause.source()?;
        let (label, format_choice) = (source.label().to_owned(), source.format_choice());
        let decoded = Mutex::new(Decoded { chunks: Vec::new(), rest: Rest::Undecoded(source) });
        Ok(Self { cause, label, format_choice, requests: AtomicUsize::new(0), decoded })
    }

    /// How many of its requests are in memory.
    fn size(&self) -> usize {
        self.requests.load(Relaxed)
    }

    /// What comes at a chunk's number; `keeps` makes room and says whether more may be kept.
    fn next(&self, number: usize, keeps: impl Fn() -> bool) -> Next {
        let mut decoded = locked(&self.decoded);
        if let Some(chunk) = decoded.chunks.get(number) {
            return Next::Chunk(Arc::clone(chunk));
        }
        match mem::replace(&mut decoded.rest, Rest::Unshared) {
            Rest::Nothing(counters) => {
                decoded.rest = Rest::Nothing(counters);
                Next::End(counters)
            }
            Rest::Undecoded(source) if keeps() => {
                let next = self.decode(&mut decoded, source);
                keeps();
                next
            }
            Rest::Undecoded(source) => {
                decoded.chunks.clear();
                self.requests.store(0, Relaxed);
                Next::Own(Some(source))
            }
            Rest::Unshared => Next::Own(None),
        }
    }

    fn decode(&self, decoded: &mut Decoded, mut source: Source) -> Next {
        let mut chunk = Chunk::default();
        let is_whole = chunk.fill(&mut *source);
        self.requests.fetch_add(chunk.requests.len(), Relaxed);
        decoded.rest = match is_whole {
            Ok(true) => Rest::Undecoded(source),
            Ok(false) => Rest::Nothing(source.counters()),
            Err(_) => Rest::Unshared,
        };
        let chunk = Arc::new(chunk);
        decoded.chunks.push(Arc::clone(&chunk));
        Next::Chunk(chunk)
    }
}

impl Chunk {
    /// Whether there may be more in the source than the chunk holds.
    fn fill(&mut self, source: &mut dyn RequestSource) -> Result<bool, SourceError> {
        self.requests.reserve_exact(CHUNK);
        while self.requests.len() < CHUNK {
            if source.fill(&mut self.requests, 1)? == 0 {
                return Ok(false);
            }
            let counters = source.counters();
            if self.counters.last().is_none_or(|&(_, last)| last != counters) {
                self.counters.push((self.requests.len(), counters));
            }
        }
        Ok(true)
    }

    /// The counters after so many of its requests.
    fn counters(&self, requests: usize) -> Option<SourceCounters> {
        let known = self.counters.partition_point(|&(after, _)| after <= requests);
        Some(self.counters.get(known.checked_sub(1)?)?.1)
    }
}

/// Gives the requests of a trace that others read, too.
struct Reader {
    traces: Arc<SharedTraces>,
    trace: Arc<Trace>,
    /// Of the next chunk.
    number: usize,
    /// What it is in, and how far.
    chunk: Option<Arc<Chunk>>,
    within: usize,
    counters: SourceCounters,
    /// Where it reads alone.
    own: Option<Source>,
    spent: bool,
}

impl Reader {
    /// Appends what is left of the chunk, and says how much that was.
    fn take(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> usize {
        let Some(chunk) = &self.chunk else { return 0 };
        let end = chunk.requests.len().min(self.within + at_most);
        let taken = &chunk.requests[self.within..end];
        into.extend_from_slice(taken);
        self.counters = chunk.counters(end).unwrap_or(self.counters);
        self.within = end;
        taken.len()
    }

    /// Goes to what follows the chunk.
    fn advance(&mut self) -> Result<(), SourceError> {
        match self.trace.next(self.number, || self.traces.keeps(&self.trace)) {
            Next::Chunk(chunk) => {
                (self.chunk, self.within) = (Some(chunk), 0);
                self.number += 1;
            }
            Next::End(counters) => (self.counters, self.spent) = (counters, true),
            Next::Own(source) => self.own = Some(source.map_or_else(|| self.reopened(), Ok)?),
        }
        Ok(())
    }

    /// The file once more, less what was given. Chunks before the last one are full.
    fn reopened(&self) -> Result<Source, SourceError> {
        let given = self.number.saturating_sub(1) * CHUNK + self.within;
        let (mut source, mut passed) = (self.trace.cause.source()?, Vec::with_capacity(CHUNK));
        let mut left = given;
        while left > 0 {
            passed.clear();
            match source.fill(&mut passed, left.min(CHUNK))? {
                0 => break,
                passed => left -= passed,
            }
        }
        Ok(source)
    }

    fn fill_from_all(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let mut given = 0;
        while given < at_most && !self.spent {
            if let Some(own) = &mut self.own {
                return Ok(given + own.fill(into, at_most - given)?);
            }
            match self.take(into, at_most - given) {
                0 => self.advance()?,
                taken => given += taken,
            }
        }
        Ok(given)
    }
}

impl RequestSource for Reader {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let given = self.fill_from_all(into, at_most);
        self.spent |= given.is_err();
        given
    }

    fn label(&self) -> &str {
        &self.trace.label
    }

    fn is_synthetic(&self) -> bool {
        false
    }

    fn format_choice(&self) -> FormatChoice {
        self.trace.format_choice.clone()
    }

    fn counters(&self) -> SourceCounters {
        self.own.as_ref().map_or(self.counters, RequestSource::counters)
    }
}

/// No thread leaves anything half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
