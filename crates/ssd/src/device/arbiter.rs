//! Who is offered to the fabric next, in each domain of chips that compete for paths.
//!
//! # How
//! Data that waits in a page register goes before new commands: it keeps a die occupied. Or, where the drive says so,
//! commands without data go before it: they keep arrays at work. Data for
//! look-ups of the map come first, those of collection last, else first come first served; where chips of several rows share a
//! domain, those of the page that was asked for first. By the instant at which data is ready, near chips would be served first again and
//! again, since their commands arrive some nanoseconds sooner, and be back for their next command before far ones. Then chips with a command to send, in turn, starting behind the chip that was
//! served last. Where chips of several rows share a domain, most of them are refused most of the time, and whoever comes first
//! behind the last one would be the first column again and again: there a chip that was served waits until the others with a
//! command have been, refused ones included, unless nobody else can be served. And since a bus or a controller that becomes free suits a whole row, the
//! search within each row begins at the column whose turn it is: begun at column 0, low columns would be served twice as often as high ones. A domain or chip that was refused is not offered again before the fabric wakes it.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: its channel serves waiting data before commands, in that order,
//! and chips in turn.

use std::ops::Range;

use crate::fabric::DomainId;
use crate::geometry::{ChipId, DieId, remainder};

/// A domain's waiting work.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// Its chips.
    pub(super) chips: Range<u32>,
    /// Dies whose data waits for a path, in the order of their turns.
    pub(super) data_ready: Vec<DieId>,
    /// The chip at which the next turn starts.
    pub(super) next_chip: u32,
    /// The fabric said that no offer can succeed.
    pub(super) refused: bool,
    listed: bool,
    /// Where its chips are in a set of chips, if one word has them all.
    word: Option<Word>,
}

/// Chips whose bits are in one word of a set.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Which word.
    number: u32,
    /// Their bits in it.
    mask: u64,
}

impl Word {
    fn of(chips: &Range<u32>) -> Option<Self> {
        let (number, first, count) = (chips.start / 64, chips.start % 64, chips.end - chips.start);
        let are_in_one = count > 0 && first + count <= 64;
        are_in_one.then(|| Self { number, mask: (u64::MAX >> (64 - count)) << first })
    }
}

/// All domains, and which chips have a command to send.
#[derive(Clone, Debug)]
pub(super) struct Arbiter {
    pub(super) domains: Vec<Domain>,
    /// Chips that may have a command to send.
    pub(super) eager: ChipSet,
    /// Chips whose last offer was refused.
    pub(super) refused: ChipSet,
    /// Chips whose next command carries data, while commands without data are looked for.
    put_off: ChipSet,
    /// Chips whose command was served while others still waited for their turn; empty where turns alone are fair.
    served: ChipSet,
    /// Chips of a row.
    cols: u32,
    /// Whether the domains have more than a row of chips.
    rows_are_joined: bool,
    /// Whether data goes by the age of its page.
    by_age: bool,
    /// From a chip to the one whose turn is next: the next of its row, or where rows are joined the next one's neighbour in the
    /// next row, since its own row's path is likely to be in use and every column shall be the first to be asked as often.
    stride: u32,
    /// Whether commands without data go before data.
    pub(super) commands_first: bool,
    to_serve: Vec<DomainId>,
}

impl Arbiter {
    /// For domains of chips in rows of so many.
    pub(super) fn new(domains: Vec<Range<u32>>, cols: u32, commands_first: bool) -> Self {
        let chips = domains.last().map_or(0, |last| last.end);
        let rows_are_joined = domains.iter().any(|chips| chips.end - chips.start > cols);
        let domain = |chips: Range<u32>| Domain {
            next_chip: chips.start,
            word: Word::of(&chips),
            chips,
            data_ready: Vec::new(),
            refused: false,
            listed: false,
        };
        Self {
            domains: domains.into_iter().map(domain).collect(),
            eager: ChipSet::new(chips),
            refused: ChipSet::new(chips),
            put_off: ChipSet::new(chips),
            served: ChipSet::new(chips),
            cols,
            rows_are_joined,
            by_age: false,
            stride: if rows_are_joined { cols + 1 } else { 1 },
            commands_first,
            to_serve: Vec::new(),
        }
    }

    /// Whether the domains have more than a row of chips.
    pub(super) const fn joins_rows(&self) -> bool {
        self.rows_are_joined
    }

    /// Whether data goes in the order in which its pages were asked for, rather than in that in which it became ready.
    #[inline]
    pub(super) const fn goes_by_age(&self) -> bool {
        self.by_age
    }

    /// Data goes by age where rows are joined, if the fabric `takes` it so.
    pub(super) const fn with_data_by_age(mut self, takes: bool) -> Self {
        self.by_age = takes && self.rows_are_joined;
        self
    }

    /// Refused offers of this domain may succeed now.
    #[inline]
    pub(super) fn wake(&mut self, id: DomainId) {
        let domain = &mut self.domains[id.0 as usize];
        domain.refused = false;
        self.refused.clear_range(domain.chips.clone());
        self.touch(id);
    }

    /// This chip's next command carries data: it is passed over until [`Self::end_passing_over`].
    pub(super) fn pass_over(&mut self, chip: ChipId) {
        self.put_off.insert(chip);
        self.refused.insert(chip);
    }

    /// Who was passed over is offered like the others from now on.
    pub(super) fn end_passing_over(&mut self) {
        self.refused.take_out(&mut self.put_off);
    }

    /// Something in this domain has new work; what was refused stays refused.
    #[inline]
    pub(super) fn touch(&mut self, id: DomainId) {
        let domain = &mut self.domains[id.0 as usize];
        if !domain.listed {
            domain.listed = true;
            self.to_serve.push(id);
        }
    }

    /// All domains are served anew.
    pub(super) fn touch_all(&mut self) {
        for domain in 0..self.domains.len() as u32 {
            self.touch(DomainId(domain));
        }
    }

    /// Every chip of a domain is asked for a command, whether it is known to have one or not.
    pub(super) fn ask_all(&mut self, id: DomainId) {
        for chip in self.domains[id.0 as usize].chips.clone() {
            self.eager.insert(ChipId(chip));
        }
    }

    /// Whether something changed in any domain.
    #[inline]
    pub(super) const fn has_to_serve(&self) -> bool {
        !self.to_serve.is_empty()
    }

    /// The next domain in which something changed.
    #[inline]
    pub(super) fn next_to_serve(&mut self) -> Option<DomainId> {
        let id = self.to_serve.pop()?;
        self.domains[id.0 as usize].listed = false;
        Some(id)
    }

    /// The chip whose turn it is: the first from the domain's turn mark on, around to it, that may
    /// have a command to send and was not refused.
    #[inline]
    pub(super) fn next_in_turn(&self, id: DomainId) -> Option<ChipId> {
        let Domain { chips, next_chip, word, .. } = &self.domains[id.0 as usize];
        if let Some(word) = *word {
            let members = self.eager.without(&self.refused, word);
            if members == 0 {
                return None;
            }
            return Some(self.next_of_word(members, word, chips, *next_chip));
        }
        if self.rows_are_joined {
            return self.next_by_row(chips, *next_chip);
        }
        [*next_chip..chips.end, chips.start..*next_chip].into_iter().find_map(|part| self.next_eager(part))
    }

    /// The same of some chips of a domain that is in one word, given by their bits there: there is one at least.
    #[inline]
    fn next_of_word(&self, members: u64, word: Word, chips: &Range<u32>, mark: u32) -> ChipId {
        let base = word.number * 64;
        if self.rows_are_joined {
            let unserved = members & !self.served.0[word.number as usize];
            let members = if unserved == 0 { members } else { unserved };
            let first = chips.start - base;
            return ChipId(chips.start + self.first_by_row(members >> first, mark - chips.start));
        }
        // In the usual case without a branch that depends on whose turn it is.
        let from_the_mark = members & u64::MAX.checked_shl(mark - base).unwrap_or(0);
        let in_turn = if from_the_mark == 0 { members } else { from_the_mark };
        ChipId(base + in_turn.trailing_zeros())
    }

    /// Of some places of a domain of several rows, that whose turn is next: the first row from that of the mark on that has any,
    /// and of its columns the first from that of the mark on.
    #[inline]
    fn first_by_row(&self, members: u64, mark: u32) -> u32 {
        let column = remainder(mark, self.cols);
        let from_the_mark = members & u64::MAX.checked_shl(mark - column).unwrap_or(0);
        let first = if from_the_mark == 0 { members } else { from_the_mark };
        let row = first.trailing_zeros();
        let row = row - remainder(row, self.cols);
        let in_row = members >> row & (u64::MAX >> (64 - self.cols));
        let behind = in_row & (u64::MAX << column);
        row + if behind == 0 { in_row } else { behind }.trailing_zeros()
    }

    /// The same in a domain of any size, of who was not served before others, or if there is nobody of all.
    fn next_by_row(&self, chips: &Range<u32>, mark: u32) -> Option<ChipId> {
        let may = |word: usize| self.eager.0[word] & !self.refused.0[word];
        self.first_of_rows(chips, mark, |word| may(word) & !self.served.0[word])
            .or_else(|| self.first_of_rows(chips, mark, may))
    }

    /// Of the members of a set, given by its words: of each row, from that of the mark on, the columns from that of the mark on,
    /// and then those before it.
    #[inline]
    fn first_of_rows(&self, chips: &Range<u32>, mark: u32, members: impl Fn(usize) -> u64) -> Option<ChipId> {
        first_member(chips.clone(), &members)?;
        let (first, cols) = (chips.start, self.cols);
        let column = (mark - first) % cols;
        let row = mark - column;
        let mut starts = (row..chips.end).step_by(cols as usize).chain((first..row).step_by(cols as usize));
        starts.find_map(|start| {
            first_member(start..start + cols, &members)?;
            let [behind, before] = [start + column..start + cols, start..start + column];
            first_member(behind, &members).or_else(|| first_member(before, &members)).map(ChipId)
        })
    }

    /// The chip was served: the next turn is the next one's. Its pins are busy until it has work anew.
    #[inline]
    pub(super) fn accepted(&mut self, id: DomainId, chip: ChipId) {
        let Domain { chips, next_chip, .. } = &mut self.domains[id.0 as usize];
        let next = chip.0 + self.stride;
        *next_chip = if next > chips.end { next - (chips.end - chips.start) } else { next };
        self.eager.remove(chip);
        if self.rows_are_joined {
            self.served.insert(chip);
            let chips = self.domains[id.0 as usize].chips.clone();
            if self.eager.first_without(&self.served, chips.clone()).is_none() {
                self.served.clear_range(chips);
            }
        }
    }

    /// Puts a die whose data waits in its place: before those that `is_later` says.
    pub(super) fn data_is_ready(&mut self, id: DomainId, die: DieId, is_later: impl Fn(DieId) -> bool) {
        let queue = &mut self.domains[id.0 as usize].data_ready;
        let place = queue.iter().position(|&other| is_later(other)).unwrap_or(queue.len());
        queue.insert(place, die);
    }

    /// The first chip of `within` that may have a command to send and was not refused.
    #[inline]
    fn next_eager(&self, within: Range<u32>) -> Option<ChipId> {
        self.eager.first_without(&self.refused, within).map(ChipId)
    }
}

/// A set of chips, one bit each.
#[derive(Clone, Debug)]
pub(super) struct ChipSet(Vec<u64>);

impl ChipSet {
    fn new(chips: u32) -> Self {
        Self(vec![0; (chips as usize).div_ceil(64)])
    }

    #[inline]
    pub(super) fn insert(&mut self, chip: ChipId) {
        self.0[chip.index() / 64] |= 1 << (chip.0 % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, chip: ChipId) {
        self.0[chip.index() / 64] &= !(1 << (chip.0 % 64));
    }

    #[inline]
    pub(super) fn contains(&self, chip: ChipId) -> bool {
        self.0[chip.index() / 64] & (1 << (chip.0 % 64)) != 0
    }

    /// Loses the members of another set, which becomes empty.
    fn take_out(&mut self, other: &mut Self) {
        for (mine, others) in self.0.iter_mut().zip(&mut other.0) {
            *mine &= !std::mem::take(others);
        }
    }

    fn clear_range(&mut self, chips: Range<u32>) {
        for_words(chips, |word, mask| {
            self.0[word] &= !mask;
            None::<()>
        });
    }

    /// The members within a word that are not in `other`, as its bits.
    #[inline]
    fn without(&self, other: &Self, Word { number, mask }: Word) -> u64 {
        self.0[number as usize] & !other.0[number as usize] & mask
    }

    /// The lowest member of `within` that is not in `other`.
    fn first_without(&self, other: &Self, within: Range<u32>) -> Option<u32> {
        first_member(within, |word| self.0[word] & !other.0[word])
    }
}

/// The lowest member within a range of bits of a set, given by its words.
#[inline]
fn first_member(within: Range<u32>, members: impl Fn(usize) -> u64) -> Option<u32> {
    for_words(within, |word, mask| {
        let members = members(word) & mask;
        (members != 0).then(|| word as u32 * 64 + members.trailing_zeros())
    })
}

/// Visits the words of a range of bits with the mask of the range in each, until one gives an answer.
#[inline]
fn for_words<T>(bits: Range<u32>, mut visit: impl FnMut(usize, u64) -> Option<T>) -> Option<T> {
    let mut start = bits.start;
    while start < bits.end {
        let word = start / 64;
        let end = bits.end.min((word + 1) * 64);
        let mask = (u64::MAX >> (64 - (end - start))) << (start % 64);
        if let Some(answer) = visit(word as usize, mask) {
            return Some(answer);
        }
        start = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round_a_domain_of_any_size_and_place() {
        for (chips, eager) in [(0..4, [1, 3]), (60..64, [60, 62]), (60..70, [63, 64]), (3..200, [100, 199])] {
            let mut arbiter = Arbiter::new(vec![0..chips.start, chips.clone()], 200, false);
            for chip in eager {
                arbiter.eager.insert(ChipId(chip));
            }
            for mark in chips.start..=chips.end {
                arbiter.domains[1].next_chip = mark;
                let expected = if mark > eager[0] && mark <= eager[1] { eager[1] } else { eager[0] };
                assert_eq!(arbiter.next_in_turn(DomainId(1)), Some(ChipId(expected)), "{chips:?} {mark}");
            }
            for chip in eager {
                arbiter.refused.insert(ChipId(chip));
            }
            assert_eq!(arbiter.next_in_turn(DomainId(1)), None);
        }
    }

    #[test]
    fn where_rows_are_joined_a_chip_that_was_served_waits_for_those_that_were_refused() {
        for cols in [4, 40] {
            let mut arbiter = Arbiter::new(std::iter::once(0..2 * cols).collect(), cols, false);
            let (all, row) = (DomainId(0), ChipId(cols));
            for chip in [ChipId(0), ChipId(1), row] {
                arbiter.eager.insert(chip);
            }
            arbiter.accepted(all, ChipId(0));
            arbiter.eager.insert(ChipId(0));
            arbiter.accepted(all, row);
            assert_eq!(arbiter.next_in_turn(all), Some(ChipId(1)), "chip 0 has had its turn");
            arbiter.refused.insert(ChipId(1));
            assert_eq!(arbiter.next_in_turn(all), Some(ChipId(0)), "nobody else can be served");
            arbiter.wake(all);
            arbiter.accepted(all, ChipId(1));
            arbiter.eager.insert(ChipId(1));
            assert_eq!(arbiter.next_in_turn(all), Some(ChipId(0)), "everybody was served, turns go on");
        }
    }

    #[test]
    fn a_search_stays_within_its_range_and_skips_the_refused() {
        let mut arbiter = Arbiter::new(vec![0..70, 70..200], 200, false);
        for chip in [3, 69, 70, 130] {
            arbiter.eager.insert(ChipId(chip));
        }
        assert_eq!(arbiter.next_eager(4..70), Some(ChipId(69)));
        assert_eq!(arbiter.next_eager(71..130), None);
        arbiter.refused.insert(ChipId(70));
        assert_eq!(arbiter.next_eager(70..200), Some(ChipId(130)));
        arbiter.wake(DomainId(1));
        assert_eq!(arbiter.next_eager(70..200), Some(ChipId(70)));
        assert_eq!((arbiter.next_to_serve(), arbiter.next_to_serve()), (Some(DomainId(1)), None));
    }
}
