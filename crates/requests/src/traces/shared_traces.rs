//! Store of traces that are decoded once and shared by several readers.
//!
//! # How
//! The first reader that needs a part of a trace decodes it for all readers, in chunks that are kept in
//! memory. Each reader returns the same requests and counters as if it read the file alone.
//!
//! # What is left out
//! Requests beyond the memory limit, and requests after a damaged row, are not shared. Each reader opens the
//! file again, skips the requests that it has already returned, and decodes the rest. Traces that are not
//! regular files are not shared.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{TraceOptions, open_trace};
use crate::request::{BoxedSource, FormatChoice, HostRequest, RequestSource, SourceCounters, SourceError};

/// Number of requests per chunk. A reader waits until a whole chunk is decoded.
const CHUNK: usize = 4_096;

/// Store of shared traces, for readers on any number of threads.
pub struct SharedTraces {
    most_requests: usize,
    /// Traces in memory, the least recently used one first.
    kept: Mutex<Vec<Arc<SharedTrace>>>,
}

/// Trace whose decoded part is in memory.
struct SharedTrace {
    cause: TraceKey,
    label: String,
    format_choice: FormatChoice,
    /// Number of decoded requests in memory.
    requests: AtomicUsize,
    decoded: Mutex<DecodedTrace>,
}

/// Identity of a trace, which consists of all inputs that determine its requests.
#[derive(Clone, Debug, PartialEq)]
struct TraceKey {
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
    options: TraceOptions,
}

struct DecodedTrace {
    chunks: Vec<Arc<Chunk>>,
    rest: TraceRest,
}

/// State of the part of a trace after its decoded chunks.
enum TraceRest {
    /// The rest has not been decoded.
    Undecoded(BoxedSource),
    /// The whole trace has been decoded. The counters are those of the whole file.
    Nothing(SourceCounters),
    /// Each reader decodes the rest separately.
    Unshared,
}

#[derive(Default)]
struct Chunk {
    requests: Vec<HostRequest>,
    /// Counters at each change, with the number of requests in the chunk before the change.
    counters: Vec<(usize, SourceCounters)>,
}

/// Next part of a trace that a reader receives.
enum NextPart {
    Chunk(Arc<Chunk>),
    End(SourceCounters),
    /// Requests are not shared from this position on. Only the first reader receives an opened source.
    Own(Option<BoxedSource>),
}

impl SharedTraces {
    /// Creates an empty store with a limit of about `most_bytes` bytes. Above the limit, the least recently
    /// used traces are dropped.
    pub fn new(most_bytes: u64) -> Self {
        let most_requests = usize::try_from(most_bytes).unwrap_or(usize::MAX) / size_of::<HostRequest>();
        Self { most_requests, kept: Mutex::default() }
    }

    /// Opens a trace and returns its requests, as [`open_trace`] does, but decodes shared parts only once.
    ///
    /// # Errors
    /// Errors of [`open_trace`].
    pub fn open(self: &Arc<Self>, path: &Path, options: &TraceOptions) -> Result<BoxedSource, SourceError> {
        match TraceKey::of(path, options) {
            Some(cause) if self.most_requests > 0 => Ok(Box::new(self.reader(cause)?)),
            _ => open_trace(path, options),
        }
    }

    /// Returns the number of requests in memory, over all traces.
    pub fn requests(&self) -> usize {
        locked(&self.kept).iter().map(|trace| trace.size()).sum()
    }

    fn reader(self: &Arc<Self>, cause: TraceKey) -> Result<SharedTraceReader, SourceError> {
        let trace = self.trace(cause)?;
        let (traces, counters) = (Arc::clone(self), SourceCounters::default());
        Ok(SharedTraceReader {
            traces,
            trace,
            number: 0,
            chunk: None,
            within: 0,
            counters,
            own: None,
            spent: false,
        })
    }

    fn trace(&self, cause: TraceKey) -> Result<Arc<SharedTrace>, SourceError> {
        let mut kept = locked(&self.kept);
        let trace = match kept.iter().position(|trace| trace.cause == cause) {
            Some(place) => kept.remove(place),
            None => Arc::new(SharedTrace::open(cause)?),
        };
        kept.push(Arc::clone(&trace));
        Ok(trace)
    }

    /// Drops the least recently used traces while the memory limit is exceeded. Returns true if `trace` stays
    /// in memory.
    fn keeps(&self, trace: &Arc<SharedTrace>) -> bool {
        let mut kept = locked(&self.kept);
        let mut requests: usize = kept.iter().map(|trace| trace.size()).sum();
        while requests > self.most_requests && !Arc::ptr_eq(&kept[0], trace) {
            requests -= kept.remove(0).size();
        }
        requests <= self.most_requests && kept.iter().any(|one| Arc::ptr_eq(one, trace))
    }
}

impl TraceKey {
    /// Returns the identity of a trace; `None` if it is not a regular file.
    fn of(path: &Path, options: &TraceOptions) -> Option<Self> {
        let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let (bytes, modified) = (about.len(), about.modified().ok());
        Some(Self { path: path.to_owned(), bytes, modified, options: options.clone() })
    }

    fn source(&self) -> Result<BoxedSource, SourceError> {
        open_trace(&self.path, &self.options)
    }
}

impl SharedTrace {
    fn open(cause: TraceKey) -> Result<Self, SourceError> {
        let source = cause.source()?;
        let (label, format_choice) = (source.label().to_owned(), source.format_choice());
        let decoded = Mutex::new(DecodedTrace { chunks: Vec::new(), rest: TraceRest::Undecoded(source) });
        Ok(Self { cause, label, format_choice, requests: AtomicUsize::new(0), decoded })
    }

    /// Returns the number of this trace's requests in memory.
    fn size(&self) -> usize {
        self.requests.load(Relaxed)
    }

    /// Returns the part of the trace with chunk number `number`. `keeps` frees memory, and returns true if
    /// further chunks may be stored.
    fn next(&self, number: usize, keeps: impl Fn() -> bool) -> NextPart {
        let mut decoded = locked(&self.decoded);
        if let Some(chunk) = decoded.chunks.get(number) {
            return NextPart::Chunk(Arc::clone(chunk));
        }
        match mem::replace(&mut decoded.rest, TraceRest::Unshared) {
            TraceRest::Nothing(counters) => {
                decoded.rest = TraceRest::Nothing(counters);
                NextPart::End(counters)
            }
            TraceRest::Undecoded(source) if keeps() => {
                let next = self.decode(&mut decoded, source);
                keeps();
                next
            }
            TraceRest::Undecoded(source) => {
                decoded.chunks.clear();
                self.requests.store(0, Relaxed);
                NextPart::Own(Some(source))
            }
            TraceRest::Unshared => NextPart::Own(None),
        }
    }

    fn decode(&self, decoded: &mut DecodedTrace, mut source: BoxedSource) -> NextPart {
        let mut chunk = Chunk::default();
        let is_whole = chunk.fill(&mut *source);
        self.requests.fetch_add(chunk.requests.len(), Relaxed);
        decoded.rest = match is_whole {
            Ok(true) => TraceRest::Undecoded(source),
            Ok(false) => TraceRest::Nothing(source.counters()),
            Err(_) => TraceRest::Unshared,
        };
        let chunk = Arc::new(chunk);
        decoded.chunks.push(Arc::clone(&chunk));
        NextPart::Chunk(chunk)
    }
}

impl Chunk {
    /// Fills the chunk with requests of `source`. Returns true if the source may have more.
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

    /// Returns the counters of the source after `requests` requests of the chunk.
    fn counters(&self, requests: usize) -> Option<SourceCounters> {
        let known = self.counters.partition_point(|&(after, _)| after <= requests);
        Some(self.counters.get(known.checked_sub(1)?)?.1)
    }
}

/// Reader of a shared trace.
struct SharedTraceReader {
    traces: Arc<SharedTraces>,
    trace: Arc<SharedTrace>,
    /// Number of the next chunk.
    number: usize,
    /// Current chunk, with the number of its requests that were returned.
    chunk: Option<Arc<Chunk>>,
    within: usize,
    counters: SourceCounters,
    /// Source that only this reader uses, for the part of the trace that is not shared.
    own: Option<BoxedSource>,
    spent: bool,
}

impl SharedTraceReader {
    /// Appends requests of the current chunk to `into` and returns their number.
    fn take(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> usize {
        let Some(chunk) = &self.chunk else { return 0 };
        let end = chunk.requests.len().min(self.within + at_most);
        let taken = &chunk.requests[self.within..end];
        into.extend_from_slice(taken);
        self.counters = chunk.counters(end).unwrap_or(self.counters);
        self.within = end;
        taken.len()
    }

    /// Advances to the next part of the trace.
    fn advance(&mut self) -> Result<(), SourceError> {
        match self.trace.next(self.number, || self.traces.keeps(&self.trace)) {
            NextPart::Chunk(chunk) => {
                (self.chunk, self.within) = (Some(chunk), 0);
                self.number += 1;
            }
            NextPart::End(counters) => (self.counters, self.spent) = (counters, true),
            NextPart::Own(source) => self.own = Some(source.map_or_else(|| self.reopened(), Ok)?),
        }
        Ok(())
    }

    /// Opens the file again and skips the requests that were already returned. All chunks before the last one
    /// are full.
    fn reopened(&self) -> Result<BoxedSource, SourceError> {
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

impl RequestSource for SharedTraceReader {
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

/// Locks a mutex. A poisoned mutex is usable, since every update completes.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
