//! Link direction to the drive: messages from the host, and responses to the drive's DMA reads of host
//! memory.
//!
//! # How
//! The host sends a response when the drive's read request has arrived. This time is known as soon as the
//! request is sent, since each direction is first come, first served. The arrival of the response is not
//! known yet, since host messages that are sent meanwhile precede it. The caller therefore receives the
//! earliest arrival time and queries the actual one then. A read of host memory thus needs one event, rarely
//! two, instead of one for the request and one for the response. If a response and another message are sent
//! at the same time, the response goes first.

use venice_kernel::SimTime;

use super::{HostLink, LinkSettings, MessageCost};

/// Initial capacity of the ring buffer of responses.
const ROOM: usize = 16;

/// Response to a read request of the drive, in flight or not yet sent.
#[derive(Clone, Copy, Debug)]
struct DmaResponse {
    /// Time at which the read request arrives in the host; once the response is sent, the time at which it
    /// arrives in the drive.
    at: SimTime,
    passage: MessageCost,
}

/// State of the link direction to the drive.
#[derive(Clone, Debug)]
pub(super) struct InboundLink {
    link: HostLink,
    /// Ring buffer of responses in the order of their requests and arrivals; its length is a power of two.
    answers: Vec<DmaResponse>,
    /// Ring index of the first response that the drive has not received. The field `unsent` is the index of
    /// the first response that has not been sent, and `end` is the index after the last response.
    first: u32,
    unsent: u32,
    end: u32,
    /// Time at which the first read request without a sent response arrives in the host.
    due: SimTime,
    /// Time at which the last response leaves the host if no other message precedes it.
    expected: SimTime,
}

impl InboundLink {
    /// Creates an idle direction.
    pub(super) fn new(settings: LinkSettings) -> Self {
        let blank = DmaResponse { at: SimTime::MAX, passage: settings.passage(0) };
        Self {
            link: HostLink::new(settings),
            answers: vec![blank; ROOM],
            first: 0,
            unsent: 0,
            end: 0,
            due: SimTime::MAX,
            expected: SimTime::ZERO,
        }
    }

    /// Sends the responses that are due by `now`. Returns the link, which then accepts other messages.
    fn link(&mut self, now: SimTime) -> &mut HostLink {
        if self.due <= now {
            self.send_answers(now);
        }
        &mut self.link
    }

    /// Sends a message of `bytes` bytes. Returns its arrival time.
    #[inline]
    pub(super) fn send(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.link(now).send(bytes, now)
    }

    /// Sends a message of known cost. Returns its arrival time.
    pub(super) fn pass(&mut self, passage: MessageCost, now: SimTime) -> SimTime {
        self.link(now).pass(passage, now)
    }

    /// Registers a DMA read that arrives in the host at `arrival_at_host`, after all earlier ones, and whose
    /// response has the cost `passage`. Returns the earliest time at which the response arrives in the drive.
    pub(super) fn answer(&mut self, passage: MessageCost, arrival_at_host: SimTime) -> SimTime {
        if self.end.wrapping_sub(self.first) as usize == self.answers.len() {
            self.grow();
        }
        *self.at_mut(self.end) = DmaResponse { at: arrival_at_host, passage };
        self.end = self.end.wrapping_add(1);
        self.due = self.due.min(arrival_at_host);
        let (end, arrival) = self.link.after(passage, arrival_at_host.max(self.expected));
        self.expected = end;
        arrival
    }

    /// Registers a DMA read with a response of `bytes` bytes. Returns the earliest time at which the response
    /// arrives in the drive.
    #[inline]
    pub(super) fn answer_bytes(&mut self, bytes: u64, arrival_at_host: SimTime) -> SimTime {
        let passage = self.link.passage(bytes);
        self.answer(passage, arrival_at_host)
    }

    /// Removes the first response, whose read request has arrived in the host. Returns the response's arrival
    /// time.
    pub(super) fn take_answer(&mut self) -> SimTime {
        let arrival = if self.first == self.unsent { self.send_answer() } else { self.at_mut(self.first).at };
        self.first = self.first.wrapping_add(1);
        arrival
    }

    /// Sends the responses to read requests that have arrived by `now`.
    fn send_answers(&mut self, now: SimTime) {
        while self.unsent != self.end && self.due <= now {
            let number = self.unsent;
            self.at_mut(number).at = self.send_answer();
        }
    }

    /// Sends the next response. Returns its arrival time.
    fn send_answer(&mut self) -> SimTime {
        let DmaResponse { at, passage } = *self.at_mut(self.unsent);
        self.unsent = self.unsent.wrapping_add(1);
        self.due = if self.unsent == self.end { SimTime::MAX } else { self.at_mut(self.unsent).at };
        self.link.pass(passage, at)
    }

    #[inline]
    fn at_mut(&mut self, number: u32) -> &mut DmaResponse {
        let place = number as usize & (self.answers.len() - 1);
        &mut self.answers[place]
    }

    /// Doubles the capacity of the ring buffer.
    #[cold]
    fn grow(&mut self) {
        let from = self.first as usize & (self.answers.len() - 1);
        self.answers.rotate_left(from);
        self.answers.resize(2 * self.answers.len(), self.answers[0]);
        (self.unsent, self.end) = (self.unsent.wrapping_sub(self.first), self.end.wrapping_sub(self.first));
        self.first = 0;
    }

    /// Returns the bytes sent up to `now`, including packet headers.
    pub(super) fn bytes(&self, now: SimTime) -> u64 {
        let mut sent = self.clone();
        sent.link(now).bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use venice_kernel::{Rate, SimSpan};

    /// Link settings of one byte per nanosecond, with a latency of 5 ns.
    const LINK: LinkSettings = LinkSettings {
        rate: Rate::from_bytes_per_s(1_000_000_000),
        latency: SimSpan::from_ns(5),
        packet_payload_bytes: 128,
        packet_header_bytes: 0,
    };

    fn at(ns: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_ns(ns)
    }

    #[test]
    fn a_response_without_earlier_messages_arrives_as_expected() {
        let mut way = InboundLink::new(LINK);
        assert_eq!(way.answer_bytes(10, at(100)), at(115));
        assert_eq!(way.answer_bytes(10, at(101)), at(125), "behind the first one");
        assert_eq!(way.take_answer(), at(115));
        assert_eq!(way.send(20, at(116)), at(145), "behind the second one, which was sent before it");
        assert_eq!(way.take_answer(), at(125));
        assert_eq!(way.bytes(at(125)), 40);
    }

    #[test]
    fn messages_sent_before_a_read_request_precede_its_response() {
        let mut way = InboundLink::new(LINK);
        assert_eq!(way.answer_bytes(10, at(100)), at(115));
        assert_eq!(way.answer_bytes(10, at(112)), at(127));
        assert_eq!(way.send(20, at(90)), at(115));
        assert_eq!(way.bytes(at(99)), 20, "the host has not been asked");
        assert_eq!(way.take_answer(), at(125));
        assert_eq!(way.take_answer(), at(135));
        assert_eq!(way.send(1, at(200)), at(206));
    }

    proptest! {
        /// The arguments are the gaps between the host's own messages, the gaps between the drive's DMA
        /// reads, and the time by which a DMA read is registered `ahead` of its arrival in the host.
        #[test]
        fn messages_arrive_as_if_each_answer_were_sent_by_an_event_of_its_own(
            own in prop::collection::vec((0..90_u64, 1..60_u64), 0..60),
            responses in prop::collection::vec((1..90_u64, 1..60_u64), 0..60),
            ahead in 0..4_000_u64,
        ) {
            let instants = |gaps: &[(u64, u64)]| -> Vec<(u64, u64)> {
                gaps.iter().scan(0, |ns, &(gap, bytes)| { *ns += gap; Some((*ns, bytes)) }).collect()
            };
            let (own, responses) = (instants(&own), instants(&responses));
            let mut all: Vec<_> = responses.iter().map(|&(ns, bytes)| (ns, false, bytes)).collect();
            all.extend(own.iter().map(|&(ns, bytes)| (ns, true, bytes)));
            all.sort_by_key(|&(ns, is_own, _)| (ns, is_own));
            let mut plain = HostLink::new(LINK);
            let expected: Vec<_> =
                all.iter().map(|&(ns, is_own, bytes)| (is_own, plain.send(bytes, at(ns)))).collect();
            let of = |wanted: bool| expected.iter().filter(move |(is_own, _)| *is_own == wanted).map(|&(_, at)| at);

            let (mut way, mut looks, mut found) = (InboundLink::new(LINK), BTreeSet::new(), (Vec::new(), Vec::new()));
            let mut coming = responses.iter().enumerate().peekable();
            let mut until = |now: u64, way: &mut InboundLink, answers: &mut Vec<SimTime>| {
                while let Some((number, &(ns, bytes))) = coming.next_if(|(_, (ns, _))| *ns <= now.saturating_add(ahead)) {
                    looks.insert((way.answer_bytes(bytes, at(ns)), number));
                }
                while let Some(&(look, _)) = looks.first().filter(|(look, _)| *look < at(now)) {
                    looks.pop_first();
                    let arrival = way.take_answer();
                    assert!(arrival >= look, "never before it was expected");
                    answers.push(arrival);
                }
            };
            for &(ns, bytes) in &own {
                until(ns, &mut way, &mut found.1);
                found.0.push(way.send(bytes, at(ns)));
            }
            until(1_000_000, &mut way, &mut found.1);
            prop_assert!(of(true).eq(found.0), "the host's own");
            prop_assert!(of(false).eq(found.1), "answers");
            prop_assert_eq!(way.bytes(at(1_000_000)), plain.bytes());
        }
    }
}
