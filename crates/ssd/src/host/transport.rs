//! The way of commands, data and completions between host and drive.
//!
//! # What it models
//! A request's queue number says on which pair of rings it travels (see [`QueuePair`]); what does not fit waits in the host. The
//! drive takes commands as [`Fetcher`] has it. Commands, data and completions cross the link as the protocol has it (see
//! [`Protocol`]). With SATA there is one pair of rings, and an [`Adapter`] in front of it.
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.1; MQSim (Tavakkol et al., FAST 2018), `Host_Interface_NVMe.cpp`, `SATA_HBA.cpp`.
//!
//! # Parameters
//! `host.protocol`; those of its parts are named in their files.

use venice_kernel::SimTime;
use venice_requests::{HostRequest, Op};

use crate::accounting::Stage;
use crate::geometry::RequestId;

use super::adapter::Adapter;
use super::agenda::{HostAgenda, HostEvent};
use super::fetcher::Fetcher;
use super::queue_pair::QueuePair;
use super::request::{InFlight, PageResult, data_of};
use super::wires::Wires;
use super::{HostSettings, Protocol};

/// Rings, link and what is on its way over them.
pub struct Transport {
    protocol: Protocol,
    queue_entries: u32,
    /// Requests that have a place of their own; those that wait for an entry of a ring, or for the drive, have none.
    pub requests: InFlight,
    /// By queue number; with SATA only the first.
    pairs: Vec<QueuePair>,
    /// The drive's side of the queues.
    pub(super) fetcher: Fetcher,
    wires: Wires,
    into_adapter: Adapter,
    out_of_adapter: Adapter,
    /// Whether the host is sent what a gather gives, rather than told that it is done.
    pub gathers_send_results: bool,
}

impl Transport {
    /// Nothing is on its way.
    pub(super) fn new(settings: &HostSettings) -> Self {
        let adapter = Adapter::new(settings.adapter_delay);
        Self {
            protocol: settings.protocol,
            queue_entries: settings.queue_entries,
            requests: InFlight::new(),
            pairs: Vec::new(),
            fetcher: Fetcher::new(settings),
            wires: Wires::new(settings),
            into_adapter: adapter,
            out_of_adapter: adapter,
            gathers_send_results: true,
        }
    }

    /// Bytes on the link by now, both ways, packets' headers included.
    pub fn link_bytes(&self, now: SimTime) -> u64 {
        self.wires.bytes(now).into_iter().sum()
    }

    /// The pair of rings on which requests of a queue travel.
    pub(super) fn pair(&mut self, queue: u16) -> u16 {
        let pair = if self.protocol == Protocol::Sata { 0 } else { queue };
        let pairs = usize::from(pair) + 1;
        if pairs > self.pairs.len() {
            open(self, pairs);
        }
        pair
    }

    /// A request that was issued now goes on its way to the drive, on this pair of rings.
    pub(super) fn enter(&mut self, id: RequestId, pair: u16, now: SimTime, agenda: &mut impl HostAgenda) {
        if self.protocol == Protocol::Nvme && self.pairs[usize::from(pair)].take_submission_entry() {
            agenda.post(self.wires.send_doorbell(now), HostEvent::Announced(id));
        } else {
            self.send(id, now, agenda);
        }
    }

    /// A request goes on its way to the drive. If it can only wait, it gives its place up, so that it is not in the way of those that are
    /// on theirs.
    pub(super) fn send(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id];
        match self.protocol {
            Protocol::Direct if self.fetcher.take(usize::from(request.pair)) => {
                request.enter(now);
                let host = request.host;
                self.send_directly(id, &host, now, agenda);
            }
            Protocol::Direct => self.put_off(id),
            Protocol::Nvme => self.enter_ring(id, now, agenda),
            Protocol::Sata => agenda.post(self.into_adapter.pass(now), HostEvent::Passed(id)),
        }
    }

    /// A request takes an entry of its submission ring, or waits for one.
    #[inline]
    fn enter_ring(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id];
        let pair = &mut self.pairs[usize::from(request.pair)];
        if pair.take_submission_entry() {
            request.enter(now);
            agenda.post(self.wires.send_doorbell(now), HostEvent::Announced(id));
        } else {
            pair.put_off(self.requests.take(id));
        }
    }

    /// Without rings: the host sends a command, with its data if it is a write.
    fn send_directly(
        &mut self,
        id: RequestId,
        host: &HostRequest,
        now: SimTime,
        agenda: &mut impl HostAgenda,
    ) {
        let at = match host.op {
            Op::Write => self.wires.send_command_and_data(data_of(host), now),
            Op::Read | Op::Gather => self.wires.send_command(now),
        };
        agenda.post(at, HostEvent::Fetched(id));
    }

    /// A command that the drive knows of waits until the drive takes it.
    fn put_off(&mut self, id: RequestId) {
        let request = self.requests.take(id);
        self.fetcher.put_off(usize::from(request.pair), request);
    }

    /// The drive learns of a command, and fetches it if it may.
    pub fn announced(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id];
        if self.fetcher.take(usize::from(request.pair)) {
            // What it has spent on the link so far is charged with what is still to come.
            agenda.post(self.wires.read_command(now), HostEvent::EntryDue(id));
        } else {
            request.clock.charge(Stage::HostLink, now);
            self.put_off(id);
        }
    }

    /// The drive has a submission entry that it has asked for, unless something went before it on the link: then it will
    /// [have](Self::fetched) it. Says whether it has all of the command.
    pub fn entry_due(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let at = self.wires.take_read();
        if at > now {
            agenda.post(at, HostEvent::Fetched(id));
            return false;
        }
        self.fetched(id, now, agenda)
    }

    /// The drive has a command. Says whether it has all of it; else it has asked for the data of a write. What follows then is the time
    /// of its pages.
    pub fn fetched(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let request = &mut self.requests[id];
        if self.protocol.has_rings() {
            self.pairs[usize::from(request.pair)].entry_arrived();
            if request.host.op == Op::Write {
                agenda.post(self.wires.read_data(request.data(), now), HostEvent::DataDue(id));
                return false;
            }
        }
        request.clock.charge(Stage::HostLink, now);
        true
    }

    /// The drive has a write's data that it has asked for, unless something went before them on the link: then it will
    /// [have](Self::data_fetched) them. Says whether it has.
    pub fn data_due(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let at = self.wires.take_read();
        if at > now {
            agenda.post(at, HostEvent::DataFetched(id));
            return false;
        }
        self.data_fetched(id, now);
        true
    }

    /// The drive has a write's data, and so all of the command.
    #[inline]
    pub fn data_fetched(&mut self, id: RequestId, now: SimTime) {
        self.requests[id].clock.charge(Stage::HostLink, now);
    }

    /// How many pages a command turned out to need. If none, it is answered at once.
    #[inline]
    pub fn set_outstanding(&mut self, id: RequestId, pages: u32, now: SimTime, agenda: &mut impl HostAgenda) {
        self.requests[id].outstanding = pages;
        if pages == 0 {
            self.answer_at_once(id, now, agenda);
        }
    }

    /// A command is answered that has no page.
    #[cold]
    fn answer_at_once(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        self.answer(id, None, now, agenda);
    }

    /// A page of a command is finished. If it was the last, the command is answered.
    pub fn page_finished(
        &mut self,
        id: RequestId,
        page: &PageResult<'_>,
        now: SimTime,
        agenda: &mut impl HostAgenda,
    ) {
        self.answer(id, Some(page), now, agenda);
    }

    /// Sends a command's data, if it is a read, and its completion, unless a page that is finished is not its last.
    fn answer(
        &mut self,
        id: RequestId,
        page: Option<&PageResult<'_>>,
        now: SimTime,
        agenda: &mut impl HostAgenda,
    ) {
        let request = &mut self.requests[id];
        if page.is_some_and(|page| !request.end_page(page, now)) {
            return;
        }
        let data = match request.host.op {
            Op::Read => request.data(),
            Op::Gather if self.gathers_send_results => request.data(),
            Op::Write | Op::Gather => 0,
        };
        if !self.protocol.has_rings() {
            return agenda.post(self.wires.send_answer(data, now), HostEvent::Completed(id));
        }
        self.wires.send_data_out(data, now);
        let place = usize::from(request.pair);
        let pair = &mut self.pairs[place];
        let has_entry = pair.take_completion_entry(now);
        request.submission_head = pair.submission_head();
        self.make_room(place, now, agenda);
        if has_entry {
            agenda.post(self.wires.send_completion(now), HostEvent::Completed(id));
        } else {
            self.hold_back(id, place, agenda);
        }
    }

    /// The drive has a command less to work on, and takes another, if one waits.
    fn make_room(&mut self, pair: usize, now: SimTime, agenda: &mut impl HostAgenda) {
        self.fetcher.end(pair);
        if self.fetcher.waiting() > 0 {
            self.fetch(now, agenda);
        }
    }

    /// The drive takes a command that waited for it, if it may take one.
    fn fetch(&mut self, now: SimTime, agenda: &mut impl HostAgenda) {
        let Some(request) = self.fetcher.take_waiting() else { return };
        let id = self.requests.put(request);
        let request = &mut self.requests[id];
        if self.protocol.has_rings() {
            request.clock.charge(Stage::Queue, now);
            agenda.post(self.wires.read_command(now), HostEvent::EntryDue(id));
        } else {
            request.enter(now);
            let host = request.host;
            self.send_directly(id, &host, now, agenda);
        }
    }

    /// A completion waits for a doorbell. If none is on its way, the next one that is sent asks for it.
    #[cold]
    fn hold_back(&mut self, id: RequestId, pair: usize, agenda: &mut impl HostAgenda) {
        if let Some(at) = self.pairs[pair].hold_back(id) {
            agenda.post(at, HostEvent::CompletionRoom(pair as u16));
        }
    }

    /// Entries of a completion ring are free again: completions that were held back take them.
    #[cold]
    pub fn completion_room(&mut self, queue: u16, now: SimTime, agenda: &mut impl HostAgenda) {
        let pair = usize::from(queue);
        while let Some(id) = self.pairs[pair].release_held(now) {
            self.requests[id].submission_head = self.pairs[pair].submission_head();
            agenda.post(self.wires.send_completion(now), HostEvent::Completed(id));
        }
        if let Some(at) = self.pairs[pair].next_room() {
            agenda.post(at, HostEvent::CompletionRoom(queue));
        }
    }

    /// A completion has reached the host. Says whether the request is complete, as it is without an adapter.
    pub(super) fn came_back(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        if self.protocol == Protocol::Sata {
            self.requests[id].at_adapter = true;
            agenda.post(self.out_of_adapter.pass(now), HostEvent::Passed(id));
            return false;
        }
        self.finish(id, now, agenda);
        true
    }

    /// The adapter has passed something on: a request into the queue, or a completion. Says whether the request is
    /// complete.
    #[cold]
    pub(super) fn passed(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let is_complete = self.requests[id].at_adapter;
        if is_complete {
            self.finish(id, now, agenda);
        } else {
            self.requests[id].clock.charge(Stage::HostLink, now);
            self.enter_ring(id, now, agenda);
        }
        is_complete
    }

    /// The host knows that a request is complete: who waited for its entry, or for the drive, goes on.
    fn finish(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id];
        request.clock.charge(Stage::HostLink, now);
        let place = usize::from(request.pair);
        if !self.protocol.has_rings() {
            return self.make_room(place, now, agenda);
        }
        let pair = &mut self.pairs[place];
        pair.learn_head(request.submission_head);
        if pair.has_waiting() {
            self.enter_waiting(place, now, agenda);
        }
        // The host says how far it has read the completion ring.
        let at = self.wires.send_doorbell(now);
        if self.pairs[place].give_completion_entry_back(now, at) {
            agenda.post(at, HostEvent::CompletionRoom(place as u16));
        }
    }

    /// The host has read a completion: requests that waited take the entries that it now knows to be free.
    #[cold]
    fn enter_waiting(&mut self, pair: usize, now: SimTime, agenda: &mut impl HostAgenda) {
        while let Some(request) = self.pairs[pair].next_waiting() {
            let id = self.requests.put(request);
            self.enter_ring(id, now, agenda);
        }
    }
}

/// Requests travel on so many pairs of rings from now on.
#[cold]
fn open(transport: &mut Transport, pairs: usize) {
    transport.pairs.resize_with(pairs, || QueuePair::new(transport.queue_entries));
    transport.fetcher.open(pairs);
}

#[cfg(test)]
mod tests {
    use super::*;

    use venice_kernel::{Rate, SimSpan};

    use crate::accounting::StageClock;
    use crate::geometry::Priority;
    use crate::registry::FabricKind;
    use crate::testkit::drive::{pages, small_drive};

    use super::super::request::{Issued, Request};
    use super::super::{FlowId, MessageSizes};

    /// Which way a message goes: from the host to the drive, or back.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Way {
        In,
        Out,
    }

    /// What will happen, the earliest first.
    #[derive(Default)]
    struct Agenda(Vec<(SimTime, HostEvent)>);

    impl HostAgenda for Agenda {
        fn post(&mut self, at: SimTime, event: HostEvent) {
            self.0.push((at, event));
            self.0.sort_by_key(|&(at, _)| at);
        }
    }

    fn settings(protocol: Protocol) -> HostSettings {
        let mut settings = small_drive(FabricKind::Bus, 1, 1).host;
        (settings.protocol, settings.adapter_delay) = (protocol, SimSpan::from_ps(10));
        settings.priorities = vec![Priority::High, Priority::Low];
        settings
    }

    fn enter(transport: &mut Transport, op: Op, queue: u16, number: u64, agenda: &mut Agenda) {
        let host = HostRequest { queue, ..pages(op, number, 1, SimTime::ZERO) };
        let pair = transport.pair(queue);
        let id = transport
            .requests
            .put(Request::new(Issued { host, flow: FlowId(0), number, pair }, SimTime::ZERO));
        transport.enter(id, pair, SimTime::ZERO, agenda);
    }

    /// A command that is in the drive needs one page, which takes no time.
    fn serve(transport: &mut Transport, id: RequestId, now: SimTime, agenda: &mut Agenda) {
        let clock = StageClock::start(now);
        let page = PageResult { clock: &clock, conflicted: false, has_failed: false };
        transport.set_outstanding(id, 1, now, agenda);
        transport.page_finished(id, &page, now, agenda);
    }

    /// One of the messages before a command is in the drive has crossed the link. Says whether the drive has all that it needs now.
    fn message(transport: &mut Transport, event: HostEvent, now: SimTime, agenda: &mut Agenda) -> bool {
        match event {
            HostEvent::Announced(id) => transport.announced(id, now, agenda),
            HostEvent::EntryDue(id) => return transport.entry_due(id, now, agenda),
            HostEvent::Fetched(id) => return transport.fetched(id, now, agenda),
            HostEvent::DataDue(id) => return transport.data_due(id, now, agenda),
            HostEvent::DataFetched(id) => {
                transport.data_fetched(id, now);
                return true;
            }
            HostEvent::Passed(id) => assert!(!transport.passed(id, now, agenda)),
            _ => unreachable!("{event:?} brings nothing to the drive"),
        }
        false
    }

    /// Each command needs one page, which takes no time: what arrives in the drive, and when which request is complete.
    fn all(transport: &mut Transport, agenda: &mut Agenda) -> (Vec<Priority>, Vec<(u64, u64)>) {
        let (mut classes, mut complete) = (Vec::new(), Vec::new());
        while !agenda.0.is_empty() {
            let (now, event) = agenda.0.remove(0);
            let done = match event {
                HostEvent::EntryDue(id) | HostEvent::Fetched(id) => {
                    if message(transport, event, now, agenda) {
                        classes.push(transport.fetcher.priority(transport.requests[id].pair.into()));
                        serve(transport, id, now, agenda);
                    }
                    None
                }
                HostEvent::Completed(id) => transport.came_back(id, now, agenda).then_some(id),
                HostEvent::Passed(id) => transport.passed(id, now, agenda).then_some(id),
                _ => {
                    assert!(!message(transport, event, now, agenda), "it is announced");
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
        let (mut transport, mut agenda) = (Transport::new(&settings), Agenda::default());
        enter(&mut transport, Op::Read, 1, 0, &mut agenda);
        assert_eq!(all(&mut transport, &mut agenda), (vec![Priority::Low], vec![(0, 4096)]));
        assert_eq!(transport.link_bytes(SimTime::MAX), 4096);
    }

    #[test]
    fn who_finds_the_ring_full_goes_when_the_host_has_read_a_completion() {
        let mut settings = settings(Protocol::Nvme);
        (settings.queue_entries, settings.link.latency) = (2, SimSpan::from_ps(1));
        let (mut transport, mut agenda) = (Transport::new(&settings), Agenda::default());
        for (number, queue) in [(0, 0), (1, 0), (2, 1)] {
            enter(&mut transport, Op::Read, queue, number, &mut agenda);
        }
        // Doorbell, fetch and entry, data and completion take four hops.
        let (_, complete) = all(&mut transport, &mut agenda);
        assert_eq!(complete, [(0, 4), (2, 4), (1, 8)]);
    }

    #[test]
    fn with_sata_all_queues_share_a_ring_and_pass_the_adapter_one_by_one_both_ways() {
        let (mut transport, mut agenda) = (Transport::new(&settings(Protocol::Sata)), Agenda::default());
        for number in 0..2 {
            enter(&mut transport, Op::Read, number, u64::from(number), &mut agenda);
        }
        let (classes, complete) = all(&mut transport, &mut agenda);
        assert_eq!(classes, [Priority::High; 2], "those of the one queue");
        assert_eq!(complete, [(0, 20), (1, 30)]);
    }

    /// The bytes of each message until a command, and a write's data, are in the drive.
    fn messages(protocol: Protocol, op: Op) -> Vec<(Way, u64)> {
        let sizes = MessageSizes {
            command_bytes: 64,
            completion_bytes: 16,
            doorbell_bytes: 4,
            read_request_bytes: 8,
        };
        let mut settings = HostSettings { sizes, ..settings(protocol) };
        settings.link.rate = Rate::from_bytes_per_s(1_000_000_000);
        let (mut transport, mut agenda) = (Transport::new(&settings), Agenda::default());
        let (mut messages, mut before, mut at) = (Vec::new(), [0; 2], SimTime::ZERO);
        let mut is_whole = false;
        enter(&mut transport, op, 0, 0, &mut agenda);
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
            let (now, event) = agenda.0.remove(0);
            (before, at) = (bytes, now);
            is_whole = message(&mut transport, event, now, &mut agenda);
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
