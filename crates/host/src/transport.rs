//! Transport of commands, data and completions between host and drive.
//!
//! # What it models
//! A request's queue number determines its queue pair ([`QueuePair`]); if no entry is free, the request waits
//! in the host. The [`Fetcher`] determines when the drive fetches a command, and the [`Protocol`] which
//! messages it causes on the link. With SATA there is a single pair of rings, behind an [`HostBusAdapter`].
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.1; MQSim (Tavakkol et al., FAST 2018), `Host_Interface_NVMe.cpp`,
//! `SATA_HBA.cpp`.
//!
//! # Parameters
//! `host.protocol`; the modules named above list further parameters.

use venice_kernel::SimTime;
use venice_nand::geometry::RequestId;
use venice_nand::latency::Stage;
use venice_requests::{HostRequest, Op};

use super::collection_notice::CollectionNotice;
use super::duplex_link::DuplexLink;
use super::event_sink::{HostEvent, HostEventSink};
use super::fetcher::Fetcher;
use super::host_bus_adapter::HostBusAdapter;
use super::queue_pair::QueuePair;
use super::range_lists::RangeLists;
use super::request::{InFlight, PageResult, data_of};
use super::{HostSettings, Protocol};

/// State of the path between host and drive: rings, link, and requests in transit.
pub struct Transport {
    protocol: Protocol,
    queue_entries: u32,
    /// Slots of the requests in flight. Requests that wait for a ring entry or for the drive are not in flight and
    /// have no slot.
    pub requests: InFlight,
    /// Range lists of the trims in flight.
    pub ranges: RangeLists,
    /// Queue pair of each queue; with SATA a single one.
    pairs: Vec<QueuePair>,
    /// Drive-side state of the queues.
    pub(super) fetcher: Fetcher,
    wires: DuplexLink,
    into_adapter: HostBusAdapter,
    out_of_adapter: HostBusAdapter,
    /// True if the result of a gather is sent to the host; false if only a completion is sent.
    pub gathers_send_results: bool,
    /// Size of the result that a search sends to the host after its last page, in bytes.
    pub search_result_bytes: u32,
}

impl Transport {
    /// Creates the transport without requests.
    pub(super) fn new(settings: &HostSettings) -> Self {
        let adapter = HostBusAdapter::new(settings.adapter_delay);
        Self {
            protocol: settings.protocol,
            queue_entries: settings.queue_entries,
            requests: InFlight::new(),
            ranges: RangeLists::default(),
            pairs: Vec::new(),
            fetcher: Fetcher::new(settings),
            wires: DuplexLink::new(settings),
            into_adapter: adapter,
            out_of_adapter: adapter,
            gathers_send_results: true,
            search_result_bytes: 0,
        }
    }

    /// Sends a notice of garbage collection to the host.
    pub fn send_collection_notice(
        &mut self,
        notice: CollectionNotice,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        event_sink.post(self.wires.send_completion(now), HostEvent::CollectionNotice(notice));
    }

    /// Returns the bytes sent on the link up to `now` in both directions, including packet headers.
    pub fn link_bytes(&self, now: SimTime) -> u64 {
        self.wires.bytes(now).into_iter().sum()
    }

    /// Sends a page of a search to the host. Returns its arrival time.
    pub fn send_page(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.wires.send_data(bytes, now)
    }

    /// Returns the index of the queue pair for requests of `queue`.
    pub(super) fn pair(&mut self, queue: u16) -> u16 {
        let pair = if self.protocol == Protocol::Sata { 0 } else { queue };
        let pairs = usize::from(pair) + 1;
        if pairs > self.pairs.len() {
            open(self, pairs);
        }
        pair
    }

    /// Sends a newly issued request to the drive, using the queue pair with index `pair`.
    pub(super) fn enter(
        &mut self,
        id: RequestId,
        pair: u16,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        if self.protocol == Protocol::Nvme && self.pairs[usize::from(pair)].take_submission_entry() {
            event_sink.post(self.wires.send_doorbell(now), HostEvent::Announced(id));
        } else {
            self.send(id, now, event_sink);
        }
    }

    /// Sends a request to the drive. A request that must wait for a command slot of the drive frees its slot
    /// in [`InFlight`].
    pub(super) fn send(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let request = &mut self.requests[id];
        match self.protocol {
            Protocol::Direct if self.fetcher.take(usize::from(request.pair)) => {
                request.enter(now);
                let host = request.host;
                self.send_directly(id, &host, now, event_sink);
            }
            Protocol::Direct => self.put_off(id),
            Protocol::Nvme => self.enter_ring(id, now, event_sink),
            Protocol::Sata => event_sink.post(self.into_adapter.pass(now), HostEvent::Passed(id)),
        }
    }

    /// Places a request in its submission ring, or queues it until an entry is free.
    #[inline]
    fn enter_ring(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let request = &mut self.requests[id];
        let pair = &mut self.pairs[usize::from(request.pair)];
        if pair.take_submission_entry() {
            request.enter(now);
            event_sink.post(self.wires.send_doorbell(now), HostEvent::Announced(id));
        } else {
            pair.put_off(self.requests.take(id));
        }
    }

    /// Sends a command without rings; a write is sent with its data.
    fn send_directly(
        &mut self,
        id: RequestId,
        host: &HostRequest,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        let at = match host.op {
            Op::Write | Op::FuaWrite => self.wires.send_command_and_data(data_of(host), now),
            Op::Trim => self.wires.send_command_and_data(self.range_list_bytes(id), now),
            _ => self.wires.send_command(now),
        };
        event_sink.post(at, HostEvent::Fetched(id));
    }

    /// Queues an announced command until the drive fetches it.
    fn put_off(&mut self, id: RequestId) {
        let request = self.requests.take(id);
        self.fetcher.put_off(usize::from(request.pair), request);
    }

    /// Processes the doorbell of a command: the drive fetches the command if its limits allow.
    pub fn announced(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let request = &mut self.requests[id];
        if self.fetcher.take(usize::from(request.pair)) {
            // The link time so far is charged to the request together with that of the fetch.
            event_sink.post(self.wires.read_command(now), HostEvent::EntryDue(id));
        } else {
            request.clock.charge(Stage::HostLink, now);
            self.put_off(id);
        }
    }

    /// Processes the earliest possible arrival of a fetched submission entry. Returns true if the command is
    /// complete in the drive. If other messages delayed the entry on the link, schedules [`Self::fetched`]
    /// and returns false.
    pub fn entry_due(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) -> bool {
        let at = self.wires.take_read();
        if at > now {
            event_sink.post(at, HostEvent::Fetched(id));
            return false;
        }
        self.fetched(id, now, event_sink)
    }

    /// Processes the arrival of a command. Returns true if the command is complete, and false if the data of
    /// a write has been requested. For a complete command, later stages of latency are recorded by page.
    pub fn fetched(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) -> bool {
        let request = &mut self.requests[id];
        if self.protocol.has_rings() {
            self.pairs[usize::from(request.pair)].entry_arrived();
            let data = match request.host.op {
                Op::Write | Op::FuaWrite => request.data(),
                Op::Trim => self.range_list_bytes(id),
                _ => 0,
            };
            if data > 0 {
                event_sink.post(self.wires.read_data(data, now), HostEvent::DataDue(id));
                return false;
            }
        }
        self.requests[id].clock.charge(Stage::HostLink, now);
        true
    }

    /// Returns the size of the range list of a trim in bytes.
    fn range_list_bytes(&self, id: RequestId) -> u64 {
        let further = self.ranges.further(&self.requests[id]).len();
        self.protocol.range_list_bytes(further as u64 + 1)
    }

    /// Removes a completed request.
    #[inline]
    pub fn forget(&mut self, id: RequestId) {
        self.ranges.release(&self.requests[id]);
        self.requests.forget(id);
    }

    /// Processes the earliest possible arrival of a write's data. If other messages delayed the data on the
    /// link, schedules [`Self::data_fetched`] and returns false.
    pub fn data_due(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) -> bool {
        let at = self.wires.take_read();
        if at > now {
            event_sink.post(at, HostEvent::DataFetched(id));
            return false;
        }
        self.data_fetched(id, now);
        true
    }

    /// Processes the arrival of a write's data, which completes the command in the drive.
    #[inline]
    pub fn data_fetched(&mut self, id: RequestId, now: SimTime) {
        self.requests[id].clock.charge(Stage::HostLink, now);
    }

    /// Sets the number of pages of a command; a command without pages completes at once.
    #[inline]
    pub fn set_outstanding(
        &mut self,
        id: RequestId,
        pages: u32,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        self.requests[id].outstanding = pages;
        if pages == 0 {
            self.answer_at_once(id, now, event_sink);
        }
    }

    /// Completes a command with an error, without accessing data.
    pub fn refuse(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        self.requests[id].has_failed = true;
        self.set_outstanding(id, 0, now, event_sink);
    }

    /// Completes a command that has no pages.
    #[cold]
    fn answer_at_once(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        self.answer(id, None, now, event_sink);
    }

    /// Processes the end of a page; the last page completes the command.
    pub fn page_finished(
        &mut self,
        id: RequestId,
        page: &PageResult<'_>,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        self.answer(id, Some(page), now, event_sink);
    }

    /// Records that a page of a command has ended, if `page` is given. After the last page, sends the read
    /// data and the completion.
    fn answer(
        &mut self,
        id: RequestId,
        page: Option<&PageResult<'_>>,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        let request = &mut self.requests[id];
        if page.is_some_and(|page| !request.end_page(page, now)) {
            return;
        }
        let data = match request.host.op {
            // A read without pages has been refused.
            Op::Read if page.is_some() => request.data(),
            Op::Gather if self.gathers_send_results => request.data(),
            Op::Search => u64::from(self.search_result_bytes),
            _ => 0,
        };
        if !self.protocol.has_rings() {
            return event_sink.post(self.wires.send_answer(data, now), HostEvent::Completed(id));
        }
        self.wires.send_data_out(data, now);
        let place = usize::from(request.pair);
        let pair = &mut self.pairs[place];
        let has_entry = pair.take_completion_entry(now);
        request.submission_head = pair.submission_head();
        self.make_room(place, now, event_sink);
        if has_entry {
            event_sink.post(self.wires.send_completion(now), HostEvent::Completed(id));
        } else {
            self.hold_back(id, place, event_sink);
        }
    }

    /// Records the end of a command in the drive, and fetches a waiting command.
    fn make_room(&mut self, pair: usize, now: SimTime, event_sink: &mut impl HostEventSink) {
        self.fetcher.end(pair);
        if self.fetcher.waiting() > 0 {
            self.fetch(now, event_sink);
        }
    }

    /// Fetches a waiting command if the limits allow.
    fn fetch(&mut self, now: SimTime, event_sink: &mut impl HostEventSink) {
        let Some(request) = self.fetcher.take_waiting() else { return };
        let id = self.requests.put(request);
        let request = &mut self.requests[id];
        if self.protocol.has_rings() {
            request.clock.charge(Stage::Queue, now);
            event_sink.post(self.wires.read_command(now), HostEvent::EntryDue(id));
        } else {
            request.enter(now);
            let host = request.host;
            self.send_directly(id, &host, now, event_sink);
        }
    }

    /// Queues a completion that waits for an entry. Schedules its wake-up if a doorbell is in flight;
    /// otherwise the next doorbell sent does so.
    #[cold]
    fn hold_back(&mut self, id: RequestId, pair: usize, event_sink: &mut impl HostEventSink) {
        if let Some(at) = self.pairs[pair].hold_back(id) {
            event_sink.post(at, HostEvent::CompletionRoom(pair as u16));
        }
    }

    /// Sends waiting completions when completion entries have become free.
    #[cold]
    pub fn completion_room(&mut self, queue: u16, now: SimTime, event_sink: &mut impl HostEventSink) {
        let pair = usize::from(queue);
        while let Some(id) = self.pairs[pair].release_held(now) {
            self.requests[id].submission_head = self.pairs[pair].submission_head();
            event_sink.post(self.wires.send_completion(now), HostEvent::Completed(id));
        }
        if let Some(at) = self.pairs[pair].next_room() {
            event_sink.post(at, HostEvent::CompletionRoom(queue));
        }
    }

    /// Processes a completion that reached the host. Returns true if the request is complete; with an
    /// adapter, it first passes the adapter.
    pub(super) fn came_back(
        &mut self,
        id: RequestId,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> bool {
        if self.protocol == Protocol::Sata {
            self.requests[id].at_adapter = true;
            event_sink.post(self.out_of_adapter.pass(now), HostEvent::Passed(id));
            return false;
        }
        self.finish(id, now, event_sink);
        true
    }

    /// Processes a request or completion that leaves the adapter. Returns true if the request is complete.
    #[cold]
    pub(super) fn passed(
        &mut self,
        id: RequestId,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) -> bool {
        let is_complete = self.requests[id].at_adapter;
        if is_complete {
            self.finish(id, now, event_sink);
        } else {
            self.requests[id].clock.charge(Stage::HostLink, now);
            self.enter_ring(id, now, event_sink);
        }
        is_complete
    }

    /// Completes a request in the host. Requests that waited for its submission entry or, without rings, for
    /// its command slot are sent.
    fn finish(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let request = &mut self.requests[id];
        request.clock.charge(Stage::HostLink, now);
        let place = usize::from(request.pair);
        if !self.protocol.has_rings() {
            return self.make_room(place, now, event_sink);
        }
        let pair = &mut self.pairs[place];
        pair.learn_head(request.submission_head);
        if pair.has_waiting() {
            self.enter_waiting(place, now, event_sink);
        }
        // The doorbell reports the completion queue head.
        let at = self.wires.send_doorbell(now);
        if self.pairs[place].give_completion_entry_back(now, at) {
            event_sink.post(at, HostEvent::CompletionRoom(place as u16));
        }
    }

    /// Places waiting requests in submission entries that a completion has reported free.
    #[cold]
    fn enter_waiting(&mut self, pair: usize, now: SimTime, event_sink: &mut impl HostEventSink) {
        while let Some(request) = self.pairs[pair].next_waiting() {
            let id = self.requests.put(request);
            self.enter_ring(id, now, event_sink);
        }
    }
}

/// Sets the number of queue pairs.
#[cold]
fn open(transport: &mut Transport, pairs: usize) {
    transport.pairs.resize_with(pairs, || QueuePair::new(transport.queue_entries));
    transport.fetcher.open(pairs);
}

#[cfg(test)]
mod tests {
    use super::*;

    use venice_kernel::{Rate, SimSpan};
    use venice_nand::geometry::Priority;
    use venice_nand::latency::StageClock;

    use crate::testkit::{free_host, pages};

    use super::super::request::{IssuedRequest, Request};
    use super::super::{FlowId, MessageSizes};

    /// Direction of a message on the link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Way {
        In,
        Out,
    }

    /// Event sink that lists the scheduled events.
    #[derive(Default)]
    struct EventSink(Vec<(SimTime, HostEvent)>);

    impl HostEventSink for EventSink {
        fn post(&mut self, at: SimTime, event: HostEvent) {
            self.0.push((at, event));
            self.0.sort_by_key(|&(at, _)| at);
        }
    }

    fn settings(protocol: Protocol) -> HostSettings {
        let mut settings = free_host();
        (settings.protocol, settings.adapter_delay) = (protocol, SimSpan::from_ps(10));
        settings.priorities = vec![Priority::High, Priority::Low];
        settings
    }

    fn enter(transport: &mut Transport, op: Op, queue: u16, number: u64, event_sink: &mut EventSink) {
        let host = HostRequest { queue, ..pages(op, number, 1, SimTime::ZERO) };
        let pair = transport.pair(queue);
        let id = transport
            .requests
            .put(Request::new(IssuedRequest { host, flow: FlowId(0), number, pair }, SimTime::ZERO));
        transport.enter(id, pair, SimTime::ZERO, event_sink);
    }

    /// Completes a command of one page at `now`.
    fn serve(transport: &mut Transport, id: RequestId, now: SimTime, event_sink: &mut EventSink) {
        let clock = StageClock::start(now);
        let page = PageResult { clock: &clock, conflicted: false, has_failed: false };
        transport.set_outstanding(id, 1, now, event_sink);
        transport.page_finished(id, &page, now, event_sink);
    }

    /// Processes an event that precedes the arrival of a command. Returns true if the command is complete in
    /// the drive.
    fn message(
        transport: &mut Transport,
        event: HostEvent,
        now: SimTime,
        event_sink: &mut EventSink,
    ) -> bool {
        match event {
            HostEvent::Announced(id) => transport.announced(id, now, event_sink),
            HostEvent::EntryDue(id) => return transport.entry_due(id, now, event_sink),
            HostEvent::Fetched(id) => return transport.fetched(id, now, event_sink),
            HostEvent::DataDue(id) => return transport.data_due(id, now, event_sink),
            HostEvent::DataFetched(id) => {
                transport.data_fetched(id, now);
                return true;
            }
            HostEvent::Passed(id) => assert!(!transport.passed(id, now, event_sink)),
            _ => unreachable!("{event:?} brings nothing to the drive"),
        }
        false
    }

    /// Handles all events of a drive that serves each command in no time. Returns the priority classes of commands in
    /// order of arrival in the drive, and the number and the time (in ps) of each completed request.
    fn all(transport: &mut Transport, event_sink: &mut EventSink) -> (Vec<Priority>, Vec<(u64, u64)>) {
        let (mut classes, mut complete) = (Vec::new(), Vec::new());
        while !event_sink.0.is_empty() {
            let (now, event) = event_sink.0.remove(0);
            let done = match event {
                HostEvent::EntryDue(id) | HostEvent::Fetched(id) => {
                    if message(transport, event, now, event_sink) {
                        classes.push(transport.fetcher.priority(transport.requests[id].pair.into()));
                        serve(transport, id, now, event_sink);
                    }
                    None
                }
                HostEvent::Completed(id) => transport.came_back(id, now, event_sink).then_some(id),
                HostEvent::Passed(id) => transport.passed(id, now, event_sink).then_some(id),
                _ => {
                    assert!(!message(transport, event, now, event_sink), "it is announced");
                    None
                }
            };
            if let Some(id) = done {
                complete.push((transport.requests[id].number, now.as_ps()));
                transport.requests.forget(id);
            }
        }
        (classes, complete)
    }

    #[test]
    fn a_command_has_the_class_of_its_queue_and_is_complete_after_its_data_has_crossed() {
        let mut settings = settings(Protocol::Direct);
        settings.link.rate = Rate::from_bytes_per_s(1_000_000_000_000);
        let (mut transport, mut event_sink) = (Transport::new(&settings), EventSink::default());
        enter(&mut transport, Op::Read, 1, 0, &mut event_sink);
        assert_eq!(all(&mut transport, &mut event_sink), (vec![Priority::Low], vec![(0, 4096)]));
        assert_eq!(transport.link_bytes(SimTime::MAX), 4096);
    }

    #[test]
    fn who_finds_the_ring_full_goes_when_the_host_has_read_a_completion() {
        let mut settings = settings(Protocol::Nvme);
        (settings.queue_entries, settings.link.latency) = (2, SimSpan::from_ps(1));
        let (mut transport, mut event_sink) = (Transport::new(&settings), EventSink::default());
        for (number, queue) in [(0, 0), (1, 0), (2, 1)] {
            enter(&mut transport, Op::Read, queue, number, &mut event_sink);
        }
        // Doorbell, fetch and entry, data, and completion cross the link four times.
        let (_, complete) = all(&mut transport, &mut event_sink);
        assert_eq!(complete, [(0, 4), (2, 4), (1, 8)]);
    }

    #[test]
    fn with_sata_all_queues_share_a_ring_and_pass_the_adapter_one_by_one_both_ways() {
        let (mut transport, mut event_sink) =
            (Transport::new(&settings(Protocol::Sata)), EventSink::default());
        for number in 0..2 {
            enter(&mut transport, Op::Read, number, u64::from(number), &mut event_sink);
        }
        let (classes, complete) = all(&mut transport, &mut event_sink);
        assert_eq!(classes, [Priority::High; 2], "those of the one queue");
        assert_eq!(complete, [(0, 20), (1, 30)]);
    }

    /// Returns the direction and size of each message that is sent until a command, including a write's data,
    /// is in the drive.
    fn messages(protocol: Protocol, op: Op) -> Vec<(Way, u64)> {
        let sizes = MessageSizes {
            command_bytes: 64,
            completion_bytes: 16,
            doorbell_bytes: 4,
            read_request_bytes: 8,
        };
        let mut settings = HostSettings { sizes, ..settings(protocol) };
        settings.link.rate = Rate::from_bytes_per_s(1_000_000_000);
        let (mut transport, mut event_sink) = (Transport::new(&settings), EventSink::default());
        let (mut messages, mut before, mut at) = (Vec::new(), [0; 2], SimTime::ZERO);
        let mut is_whole = false;
        enter(&mut transport, op, 0, 0, &mut event_sink);
        loop {
            let bytes = transport.wires.bytes(at);
            for (way, place) in [(Way::In, 0), (Way::Out, 1)] {
                if bytes[place] > before[place] {
                    messages.push((way, bytes[place] - before[place]));
                }
            }
            if is_whole {
                return messages;
            }
            let (now, event) = event_sink.0.remove(0);
            (before, at) = (bytes, now);
            is_whole = message(&mut transport, event, now, &mut event_sink);
        }
    }

    #[test]
    fn a_direct_command_is_one_message() {
        assert_eq!(messages(Protocol::Direct, Op::Read), [(Way::In, 64)]);
        assert_eq!(messages(Protocol::Direct, Op::Write), [(Way::In, 64 + 4096)]);
    }

    #[test]
    fn a_command_in_a_ring_is_announced_fetched_and_its_data_fetched() {
        for protocol in [Protocol::Nvme, Protocol::Sata] {
            let fetched = [(Way::In, 4), (Way::Out, 8), (Way::In, 64)];
            assert_eq!(messages(protocol, Op::Read), fetched);
            assert_eq!(messages(protocol, Op::Gather), fetched, "it brings nothing along");
            let data = [(Way::Out, 8), (Way::In, 4096)];
            assert_eq!(messages(protocol, Op::Write), [&fetched[..], &data[..]].concat());
        }
    }
}
