//! Processor cores of the host, on which requests are submitted.
//!
//! # What it models
//! The host's software spends processor time on every request: system call, block layer, I/O scheduler, driver,
//! interrupt, and change of process. The cores are a queueing station in front of the host's I/O queue and the
//! drive's queues, with one queue and `host.cores` equal servers. A request takes the core that is free first,
//! in order of issue, for `host.core_request_ns`. With Poisson arrivals the station is an M/D/c queue; in a
//! closed loop it limits the rate to `host.cores` / `host.core_request_ns`.
//!
//! A part of the time, `host.core_variation_pct`, is exponentially distributed, and the rest is constant. The
//! share is the coefficient of variation c of the time. With Poisson arrivals one core is then an M/G/1 queue,
//! whose mean wait is (1 + c²) / 2 times that of an M/M/1 queue (Pollaczek-Khinchine). Without a random part, two
//! closed loops that are coupled (`flow_shares`) issue their requests in lock step.
//!
//! After a write, the core is occupied for further `host.core_write_ns`, which delays only later requests.
//!
//! With `host.core_per_queue`, host queue n uses only core n modulo the number of cores. This models
//! processes that are bound to cores.
//!
//! A lock that all cores need, such as that of some I/O schedulers of Linux, is a station of one core.
//!
//! A request that waits in the host's I/O queue is sent by a thread of the kernel, which takes
//! `host.core_dispatch_ns` of a core before the requests that are issued later.
//!
//! With `host.core_slice_us`, queues are processes that share their core in time slices ([`ProcessCores`]).
//!
//! # How
//! Without time slices, requests start on the cores in order of issue. If all take the same time, they also leave in this order. With a
//! random part, a core for each queue, or threads of the kernel, requests may leave in another order.
//!
//! # What is left out
//! Separate processor time of completions: it is part of the time of the request. Without
//! `host.core_slice_us`, processes that share a core take turns for each request.
//!
//! # Source
//! Ren et al., "BFQ, Multiqueue-Deadline, or Kyber? Performance Characterization of Linux Storage Schedulers in
//! the `NVMe` Era" (ICPE 2024): one core submits some 350,000 requests a second without an I/O scheduler.
//! Linux 6.3, `kernel/sched/fair.c`, for time slices.
//!
//! # Parameters
//! `host.cores`, `host.core_request_ns`, `host.core_write_ns`, `host.core_variation_pct`,
//! `host.core_dispatch_ns`, `host.core_per_queue`, `host.core_slice_us`, `host.core_polling`, `host.core_lock`

use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::RequestId;
use venice_params::{ParameterKind, declare, number, whole};
use venice_requests::Op;

use super::event_sink::{HostEvent, HostEventSink};
use super::processes::{CoreStep, ProcessCores};

/// Maximum number of cores.
const MOST_CORES: u64 = 4_096;

declare! {
    /// Processor cores of the host, and the core time of a request.
    pub struct HostCoreParameters in "host." {
        /// Number of processor cores of the host that submit requests.
        ///
        /// 0: submission takes no time.
        cores: u32 = whole(0, MOST_CORES), unit "cores", default "0", source "ours: MQSim has none";
        /// Time for which a request occupies a core of the host before it goes to the drive.
        core_request as core_request_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Time for which a core of the host is occupied after it has sent a write.
        ///
        /// This time does not delay the write itself, but it delays requests that are issued later. With
        /// `core_slice_us`, the write is sent after this time.
        core_write as core_write_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "ours: the time of a request does not depend on its operation";
        /// Time for which a core of the host is occupied when a request that waited in the I/O queue is sent.
        ///
        /// This time does not delay the request itself, but it delays requests that are issued later.
        core_dispatch as core_dispatch_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "ours: the thread of the kernel that runs a queue (Linux, block/blk-mq.c)";
        /// Share of `core_request_ns` that varies from request to request; the rest is constant.
        ///
        /// The varying part is distributed exponentially, and the mean of the time stays `core_request_ns`. The
        /// share is thus the coefficient of variation of the time.
        variation_pct as core_variation_pct: f64 = number(0.0, 100.0), unit "%", default "0",
            source "ours: a constant time";
        /// If true, host queue n uses only core n modulo the number of cores.
        ///
        /// If false, a request takes the core that is free first.
        core_per_queue: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: processes that are bound to cores, as in the measurements of Ren et al. (ICPE 2024)";
        /// Time slice of processes that share a core, one process for each host queue.
        ///
        /// 0: cores serve requests in order of issue. With a slice, queue n uses only core n modulo the
        /// number of cores. A process runs until it has no request to submit, or until its slice has
        /// ended and another process has a request. The process with the least run time so far is next.
        core_slice as core_slice_us: SimSpan = number(0.0, 1e6), unit "µs", default "0",
            source "ours: requests in order of issue";
        /// If true, processes with time slices poll: each in turn occupies its core for a whole slice,
        /// with or without requests.
        core_polling: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: processes of SPDK poll for completions";
        /// If true, cores with time slices share a lock. A request holds the lock for its whole core time;
        /// waiting cores acquire the lock in order of arrival.
        core_lock: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: locks of I/O schedulers, as in the measurements of Ren et al. (ICPE 2024)";
    }
}

impl HostCoreParameters {
    /// Returns true if requests take time on the cores.
    pub const fn has_request_time(&self) -> bool {
        self.cores > 0 && !self.core_request.is_zero()
    }
}

/// Cores of the host.
#[derive(Clone, Debug)]
pub(super) struct HostCores {
    request: RequestTime,
    /// Time for which a core is occupied after it has sent a write.
    write: SimSpan,
    dispatch: SimSpan,
    discipline: Discipline,
}

/// Order in which cores serve requests.
#[derive(Clone, Debug)]
enum Discipline {
    /// Requests run in order of issue.
    InOrder(OrderedCores),
    /// Processes run in time slices.
    Processes(ProcessCores),
}

impl HostCores {
    /// Creates idle cores. Returns `None` for a host whose requests take no processor time. `seed` is the seed of
    /// the run.
    pub(super) fn new(parameters: HostCoreParameters, seed: u64) -> Option<Self> {
        parameters.has_request_time().then(|| Self {
            request: RequestTime::new(parameters, seed),
            write: parameters.core_write,
            dispatch: parameters.core_dispatch,
            discipline: Discipline::new(parameters),
        })
    }

    /// Accepts a request of a queue, issued at `now`. Returns the instant at which its flow can issue the next one.
    pub(super) fn accept(
        &mut self,
        queue: u16,
        id: RequestId,
        op: Op,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> SimTime {
        let span = self.request.draw();
        let after = if matches!(op, Op::Write | Op::FuaWrite) { self.write } else { SimSpan::ZERO };
        match &mut self.discipline {
            Discipline::InOrder(cores) => {
                let (sent_at, free_at) = cores.occupy(queue, span, after, now);
                event_sink.post(sent_at, HostEvent::Submitted(id));
                free_at
            }
            Discipline::Processes(cores) => {
                let step = cores.accept(queue, id, span + after, now);
                post(step, cores.core_of(queue), event_sink);
                now
            }
        }
    }

    /// Processes the instant at which a request of `queue` leaves its core.
    pub(super) fn leave(&mut self, queue: u16, now: SimTime, event_sink: &mut impl HostEventSink) {
        if let Discipline::Processes(cores) = &mut self.discipline {
            let core = cores.core_of(queue);
            post(cores.finish_request(core, now), core, event_sink);
        }
    }

    /// Processes the start of a time slice on a core.
    pub(super) fn start_slice(&mut self, core: u16, now: SimTime, event_sink: &mut impl HostEventSink) {
        if let Discipline::Processes(cores) = &mut self.discipline {
            post(cores.start_next(core, now), core, event_sink);
        }
    }

    /// Occupies a core from `now` on for the kernel thread that sends a request of `queue` from the host's
    /// I/O queue to the drive.
    pub(super) fn dispatch_waiting(&mut self, queue: u16, now: SimTime) {
        if self.dispatch.is_zero() {
            return;
        }
        match &mut self.discipline {
            Discipline::InOrder(cores) => {
                cores.occupy(queue, self.dispatch, SimSpan::ZERO, now);
            }
            Discipline::Processes(cores) => cores.occupy(queue, self.dispatch, now),
        }
    }
}

impl Discipline {
    fn new(parameters: HostCoreParameters) -> Self {
        let HostCoreParameters { cores, core_slice, core_polling, core_lock, .. } = parameters;
        if core_slice.is_zero() {
            let free_at = vec![SimTime::ZERO; cores as usize];
            Self::InOrder(OrderedCores { free_at, is_per_queue: parameters.core_per_queue })
        } else {
            Self::Processes(ProcessCores::new(cores, core_slice, core_polling, core_lock))
        }
    }
}

/// Schedules the next step of a core; does nothing for `None`.
fn post(step: Option<CoreStep>, core: u16, event_sink: &mut impl HostEventSink) {
    match step {
        Some(CoreStep::Submits(id, at)) => event_sink.post(at, HostEvent::Submitted(id)),
        Some(CoreStep::SliceStart(at)) => event_sink.post(at, HostEvent::SliceStart(core)),
        None => {}
    }
}

/// Cores that serve requests in order of issue.
#[derive(Clone, Debug)]
struct OrderedCores {
    /// Instant at which each core has submitted all requests accepted so far.
    free_at: Vec<SimTime>,
    /// True if each host queue uses only one core.
    is_per_queue: bool,
}

impl OrderedCores {
    /// Occupies the core for a queue's next work and then for the time `after`. Returns the instants at which
    /// the work ends and at which the core is free.
    fn occupy(&mut self, queue: u16, span: SimSpan, after: SimSpan, now: SimTime) -> (SimTime, SimTime) {
        let core = self.core_for(queue);
        let ends_at = now.max(self.free_at[core]) + span;
        self.free_at[core] = ends_at + after;
        (ends_at, self.free_at[core])
    }

    /// Returns the core for the next work of a queue.
    fn core_for(&self, queue: u16) -> usize {
        if self.is_per_queue { usize::from(queue) % self.free_at.len() } else { self.first_free() }
    }

    /// Returns the index of the core that is free first.
    fn first_free(&self) -> usize {
        self.free_at.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(core, _)| core)
    }
}

/// Distribution of the time that a request takes on a core.
#[derive(Clone, Debug)]
struct RequestTime {
    constant: SimSpan,
    /// Mean of the exponentially distributed part, in picoseconds.
    random_mean_ps: f64,
    draws: RandomStream,
}

impl RequestTime {
    fn new(parameters: HostCoreParameters, seed: u64) -> Self {
        let mean_ps = parameters.core_request.as_ps() as f64;
        let random_mean_ps = mean_ps * parameters.variation_pct / 100.0;
        Self {
            constant: SimSpan::from_ps((mean_ps - random_mean_ps).round() as u64),
            random_mean_ps,
            draws: RandomStream::new(seed, "host.cores"),
        }
    }

    /// Returns the time of the next request.
    fn draw(&mut self) -> SimSpan {
        if self.random_mean_ps == 0.0 {
            return self.constant;
        }
        let random_ps = -libm::log(1.0 - self.draws.unit()) * self.random_mean_ps;
        self.constant + SimSpan::from_ps(random_ps.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(cores: u32, request_ps: u64) -> HostCoreParameters {
        let core_request = SimSpan::from_ps(request_ps);
        HostCoreParameters { cores, core_request, ..HostCoreParameters::default() }
    }

    fn cores(cores: u32, request_ps: u64) -> Option<HostCores> {
        HostCores::new(parameters(cores, request_ps), 1)
    }

    /// Event sink that discards all events.
    struct NoEvents;

    impl HostEventSink for NoEvents {
        fn post(&mut self, _: SimTime, _: HostEvent) {}
    }

    fn left(cores: &mut HostCores, queue: u16, at: u64) -> u64 {
        cores.accept(queue, RequestId(0), Op::Read, SimTime::from_ps(at), &mut NoEvents).as_ps()
    }

    #[test]
    fn requests_take_the_core_that_is_free_first() {
        let mut two = cores(2, 10).expect("cores");
        let times = [0, 4, 5, 5, 40, 41].map(|at| left(&mut two, 7, at));
        assert_eq!(times, [10, 14, 20, 24, 50, 51]);
    }

    #[test]
    fn requests_of_a_queue_with_its_own_core_wait_for_that_core_only() {
        let parameters = HostCoreParameters { core_per_queue: true, ..parameters(2, 10) };
        let mut two = HostCores::new(parameters, 1).expect("cores");
        let times = [(0, 0), (0, 1), (0, 2), (1, 3), (2, 4)].map(|(queue, at)| left(&mut two, queue, at));
        // Queues 0 and 2 share a core.
        assert_eq!(times, [10, 20, 30, 13, 40]);
    }

    #[test]
    fn a_thread_that_sends_a_waiting_request_delays_requests_that_are_issued_later() {
        let core_dispatch = SimSpan::from_ps(25);
        for (core_per_queue, expected) in [(false, [10, 10, 30, 40]), (true, [10, 10, 45, 30])] {
            let parameters = HostCoreParameters { core_dispatch, core_per_queue, ..parameters(2, 10) };
            let mut two = HostCores::new(parameters, 1).expect("cores");
            let before = [left(&mut two, 0, 0), left(&mut two, 1, 0)];
            two.dispatch_waiting(0, SimTime::ZERO);
            let after = [left(&mut two, 0, 20), left(&mut two, 1, 20)];
            assert_eq!([before, after].concat(), expected, "per queue: {core_per_queue}");
        }
    }

    #[test]
    fn a_core_is_occupied_after_a_write() {
        let parameters = HostCoreParameters { core_write: SimSpan::from_ps(7), ..parameters(1, 10) };
        let mut one = HostCores::new(parameters, 1).expect("cores");
        let mut cores = OrderedCores { free_at: vec![SimTime::ZERO], is_per_queue: false };
        let (sent_at, free_at) = cores.occupy(0, SimSpan::from_ps(10), SimSpan::from_ps(7), SimTime::ZERO);
        assert_eq!((sent_at.as_ps(), free_at.as_ps()), (10, 17));
        let times = [Op::Read, Op::Write, Op::FuaWrite, Op::Trim]
            .map(|op| one.accept(0, RequestId(0), op, SimTime::ZERO, &mut NoEvents).as_ps());
        assert_eq!(times, [10, 27, 44, 54]);
    }

    #[test]
    fn requests_without_processor_time_need_no_station() {
        assert!(cores(0, 10).is_none() && cores(4, 0).is_none());
    }

    #[test]
    fn times_have_the_configured_mean_and_coefficient_of_variation() {
        for variation_pct in [0.0, 40.0, 100.0] {
            let core_request = SimSpan::from_ps(1_000_000);
            let parameters =
                HostCoreParameters { cores: 1, core_request, variation_pct, ..HostCoreParameters::default() };
            let mut times = RequestTime::new(parameters, 7);
            let drawn: Vec<f64> = (0..40_000).map(|_| times.draw().as_ps() as f64 / 1e6).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let variance = drawn.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
            assert!((mean - 1.0).abs() < 0.015, "{variation_pct}: mean {mean}");
            let expected = variation_pct / 100.0;
            assert!(
                (variance.sqrt() - expected).abs() < 0.03 * expected + 1e-9,
                "{variation_pct}: {variance}"
            );
            let least = drawn.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least >= 1.0 - expected - 1e-9, "{variation_pct}: {least}");
        }
    }
}
