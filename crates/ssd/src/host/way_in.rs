//! The link's direction to the drive: what the host sends of itself, and its answers to the drive's reads of its memory.
//!
//! # How
//! An answer is sent when the drive's request has crossed the other direction. When that is, is known when the request is sent, since a
//! direction is first come, first served. When the answer arrives is not: what the host sends in between goes before it. So whoever asks
//! is told when it arrives at the earliest, and looks again then. That is one event for an answer, seldom two, where one for the request
//! and one for the answer would be two always. Of messages of one instant, an answer goes first.

use venice_kernel::SimTime;

use super::{HostLink, LinkSettings, Passage};

/// How many answers there is room for at first.
const ROOM: usize = 16;

/// An answer that is on its way, or will be.
#[derive(Clone, Copy, Debug)]
struct Answer {
    /// When the host has the request; once the answer is sent, when it arrives.
    at: SimTime,
    passage: Passage,
}

/// The direction to the drive, at work.
#[derive(Clone, Debug)]
pub(super) struct WayIn {
    link: HostLink,
    /// By number, in the order in which they are asked for and arrive; as many as there is room for, a power of two.
    answers: Vec<Answer>,
    /// The first that was not taken, the first that was not sent, and the one behind the last.
    first: u32,
    unsent: u32,
    end: u32,
    /// When the host has the first request that it has not answered.
    due: SimTime,
    /// When the last answer will have left the link, unless something goes before it.
    expected: SimTime,
}

impl WayIn {
    /// An idle direction.
    pub(super) fn new(settings: LinkSettings) -> Self {
        let blank = Answer { at: SimTime::MAX, passage: settings.passage(0) };
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

    /// The link as it is now.
    fn link(&mut self, now: SimTime) -> &mut HostLink {
        if self.due <= now {
            self.send_answers(now);
        }
        &mut self.link
    }

    /// The host sends a message of `bytes`. Returns when it arrives.
    #[inline]
    pub(super) fn send(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.link(now).send(bytes, now)
    }

    /// The same of a message whose passage is known.
    pub(super) fn pass(&mut self, passage: Passage, now: SimTime) -> SimTime {
        self.link(now).pass(passage, now)
    }

    /// The host will have a request at `asked`, later than those before, and answer with a message that takes this. Returns when that
    /// arrives at the earliest.
    pub(super) fn answer(&mut self, passage: Passage, asked: SimTime) -> SimTime {
        if self.end.wrapping_sub(self.first) as usize == self.answers.len() {
            self.grow();
        }
        *self.at_mut(self.end) = Answer { at: asked, passage };
        self.end = self.end.wrapping_add(1);
        self.due = self.due.min(asked);
        let (end, arrival) = self.link.after(passage, asked.max(self.expected));
        self.expected = end;
        arrival
    }

    /// The same with an answer of so many bytes.
    #[inline]
    pub(super) fn answer_bytes(&mut self, bytes: u64, asked: SimTime) -> SimTime {
        let passage = self.link.passage(bytes);
        self.answer(passage, asked)
    }

    /// The first answer may have arrived, so that the host has been asked: says when it does, or did. It is taken.
    pub(super) fn take_answer(&mut self) -> SimTime {
        let arrival = if self.first == self.unsent { self.send_answer() } else { self.at_mut(self.first).at };
        self.first = self.first.wrapping_add(1);
        arrival
    }

    /// The host answers what it has been asked by now.
    fn send_answers(&mut self, now: SimTime) {
        while self.unsent != self.end && self.due <= now {
            let number = self.unsent;
            self.at_mut(number).at = self.send_answer();
        }
    }

    /// It answers the next request. Returns when the answer arrives.
    fn send_answer(&mut self) -> SimTime {
        let Answer { at, passage } = *self.at_mut(self.unsent);
        self.unsent = self.unsent.wrapping_add(1);
        self.due = if self.unsent == self.end { SimTime::MAX } else { self.at_mut(self.unsent).at };
        self.link.pass(passage, at)
    }

    #[inline]
    fn at_mut(&mut self, number: u32) -> &mut Answer {
        let place = number as usize & (self.answers.len() - 1);
        &mut self.answers[place]
    }

    /// Twice as many have room.
    #[cold]
    fn grow(&mut self) {
        let from = self.first as usize & (self.answers.len() - 1);
        self.answers.rotate_left(from);
        self.answers.resize(2 * self.answers.len(), self.answers[0]);
        (self.unsent, self.end) = (self.unsent.wrapping_sub(self.first), self.end.wrapping_sub(self.first));
        self.first = 0;
    }

    /// Bytes that it has taken by now, packets' headers included.
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

    /// A byte a nanosecond, and five more until it is there.
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
    fn an_answer_that_nothing_goes_before_arrives_when_it_is_expected() {
        let mut way = WayIn::new(LINK);
        assert_eq!(way.answer_bytes(10, at(100)), at(115));
        assert_eq!(way.answer_bytes(10, at(101)), at(125), "behind the first one");
        assert_eq!(way.take_answer(), at(115));
        assert_eq!(way.send(20, at(116)), at(145), "behind the second one, which was sent before it");
        assert_eq!(way.take_answer(), at(125));
        assert_eq!(way.bytes(at(125)), 40);
    }

    #[test]
    fn what_is_sent_before_the_host_is_asked_goes_before_the_answer() {
        let mut way = WayIn::new(LINK);
        assert_eq!(way.answer_bytes(10, at(100)), at(115));
        assert_eq!(way.answer_bytes(10, at(112)), at(127));
        assert_eq!(way.send(20, at(90)), at(115));
        assert_eq!(way.bytes(at(99)), 20, "the host has not been asked");
        assert_eq!(way.take_answer(), at(125));
        assert_eq!(way.take_answer(), at(135));
        assert_eq!(way.send(1, at(200)), at(206));
    }

    proptest! {
        /// Gaps between the host's own messages, and between requests of the drive, which asks `ahead` before the host knows.
        #[test]
        fn messages_arrive_as_if_each_answer_were_sent_by_an_event_of_its_own(
            own in prop::collection::vec((0..90_u64, 1..60_u64), 0..60),
            asked in prop::collection::vec((1..90_u64, 1..60_u64), 0..60),
            ahead in 0..4_000_u64,
        ) {
            let instants = |gaps: &[(u64, u64)]| -> Vec<(u64, u64)> {
                gaps.iter().scan(0, |ns, &(gap, bytes)| { *ns += gap; Some((*ns, bytes)) }).collect()
            };
            let (own, asked) = (instants(&own), instants(&asked));
            let mut all: Vec<_> = asked.iter().map(|&(ns, bytes)| (ns, false, bytes)).collect();
            all.extend(own.iter().map(|&(ns, bytes)| (ns, true, bytes)));
            all.sort_by_key(|&(ns, is_own, _)| (ns, is_own));
            let mut plain = HostLink::new(LINK);
            let expected: Vec<_> =
                all.iter().map(|&(ns, is_own, bytes)| (is_own, plain.send(bytes, at(ns)))).collect();
            let of = |wanted: bool| expected.iter().filter(move |(is_own, _)| *is_own == wanted).map(|&(_, at)| at);

            let (mut way, mut looks, mut found) = (WayIn::new(LINK), BTreeSet::new(), (Vec::new(), Vec::new()));
            let mut coming = asked.iter().enumerate().peekable();
            let mut until = |now: u64, way: &mut WayIn, answers: &mut Vec<SimTime>| {
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
