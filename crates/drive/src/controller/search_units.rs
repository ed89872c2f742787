//! Searches in the chips: matchers, output registers, and the transfer of results.
//!
//! # What it models
//! A die that has sensed a page of a search moves it to the chip's matcher, which decodes and matches it. For
//! a search outside the chip, the page moves to the output register instead. The die is then free, and can
//! sense the next page. Matcher and output register are shared by the dies of a chip. If they are full, the
//! page stays in the register of its die.
//!
//! The result leaves the chip by one of its [search outputs](SearchOutput): a short answer, or the page.
//! Results use a path only if no other data or command can, except those of scrub. Answers precede pages,
//! and pages are sent in the order of their addresses.
//!
//! # How
//! If only pages of searches wait for a die, it starts the next one as soon as the last one has left its
//! register. The command of the next page has been sent while the last one was sensed, in no extra time.

use std::collections::VecDeque;

use venice_fabric::{Delivery, Fabric};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{DataConsumer, Operation, OutputKind, SearchOutput};
use venice_nand::geometry::{ChipId, DieId, Geometry, TransactionId};
use venice_nand::latency::Stage;

use crate::observe::{CommandStart, Probe};

use super::dies::{Dies, NextStep, becomes_free};
use super::transfers::charge_new_one;
use super::{CommandSource, FlashEvent, FlashEventSink, UpperLayer};

/// Next step of a chip with a sensed page of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensedPage {
    /// Time of the chip's matcher for the page; `None` if the chip does not search.
    pub matching: Option<SimSpan>,
    /// True if the chip sends a short answer, false if it sends the page.
    pub is_answer: bool,
    /// Capacity of the chip's output register, in pages.
    pub output_pages: u32,
}

impl SensedPage {
    /// Step of a search page on a lost chip, to which no command was sent. The chip seems to have a short
    /// answer, whose transfer fails.
    const NOTHING: Self = Self { matching: None, is_answer: true, output_pages: 0 };
}

/// Page of a search that a chip has sensed, with its next step.
#[derive(Clone, Copy, Debug)]
struct ChipPage {
    id: TransactionId,
    sensed: SensedPage,
}

/// Matcher and outputs of one chip.
#[derive(Clone, Debug, Default)]
struct SearchUnit {
    /// Dies whose registers hold a sensed page, in the order of sensing.
    latched: VecDeque<(DieId, ChipPage)>,
    /// Page in the matcher of the chip. The flag is true once the search of the page has ended.
    matcher: Option<(ChipPage, bool)>,
    answers: VecDeque<TransactionId>,
    pages: VecDeque<TransactionId>,
}

impl SearchUnit {
    const fn results(&mut self, kind: OutputKind) -> &mut VecDeque<TransactionId> {
        match kind {
            OutputKind::Answers => &mut self.answers,
            OutputKind::Pages => &mut self.pages,
        }
    }

    /// Adds the result of a page to its output. Returns false if the output register is full.
    fn put_out(&mut self, page: ChipPage) -> bool {
        if page.sensed.is_answer {
            self.answers.push_back(page.id);
            return true;
        }
        let has_room = self.pages.len() < page.sensed.output_pages as usize;
        if has_room {
            self.pages.push_back(page.id);
        }
        has_room
    }
}

/// Matchers and search outputs of all chips.
#[derive(Clone, Debug)]
pub(super) struct SearchUnits {
    dies: u32,
    units: Vec<SearchUnit>,
    /// Steps of dies and search outputs that the back end has yet to process.
    steps: Vec<(DieId, NextStep)>,
}

impl SearchUnits {
    /// Creates the matchers and search outputs of all chips, without pages.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let units = vec![SearchUnit::default(); geometry.array.chips() as usize];
        Self { dies: geometry.dies(), units, steps: Vec::new() }
    }

    /// Returns true if `number` is the number of a search output.
    pub(super) const fn is_output(&self, number: DieId) -> bool {
        number.0 >= self.dies
    }

    /// Adds the next step of a die or an output.
    pub(super) fn add_step(&mut self, number: DieId, step: NextStep) {
        self.steps.push((number, step));
    }

    /// Removes and returns the next step of a die or an output.
    pub(super) fn take_step(&mut self) -> Option<(DieId, NextStep)> {
        self.steps.pop()
    }
}

impl<F: Fabric + ?Sized> Dies<F> {
    /// Processes the end of sensing of a page of a search.
    #[cold]
    pub(super) fn search_page_sensed<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let (id, chip) = (self.chips.die(die).batch()[0], self.chips.die(die).chip());
        let source = upper_layer.command_source_mut();
        source.transactions_mut().get_mut(id).clock.charge(Stage::Array, now);
        let sensed = if self.paths.losses().is_lost(chip) {
            SensedPage::NOTHING
        } else {
            source.search_page_sensed(id, now)
        };
        self.chips.page_is_latched(die, now);
        self.searches.units[chip.index()].latched.push_back((die, ChipPage { id, sensed }));
        self.advance_search(chip, upper_layer, now, event_sink)
    }

    /// Processes the end of the search of a page in a chip's matcher.
    #[cold]
    pub(super) fn page_matched<A: UpperLayer>(
        &mut self,
        chip: ChipId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        if let Some((page, is_done)) = &mut self.searches.units[chip.index()].matcher {
            *is_done = true;
            let all = upper_layer.command_source_mut().transactions_mut();
            all.get_mut(page.id).clock.charge(Stage::Decoding, now);
        }
        self.advance_search(chip, upper_layer, now, event_sink)
    }

    /// Processes the arrival of a result of a search at a controller.
    #[cold]
    pub(super) fn search_result_has_come<A: UpperLayer>(
        &mut self,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let output = SearchOutput::of(delivery.die, self.searches.dies);
        let result = self.chips.result_left(delivery.die, now);
        let (Some(SearchOutput { chip, kind }), Some(id)) = (output, result) else {
            return NextStep::Nothing;
        };
        self.searches.units[chip.index()].results(kind).pop_front();
        let all = upper_layer.command_source_mut().transactions_mut();
        all.get_mut(id).charge_transfer(delivery.path_wait, now);
        upper_layer.search_result_arrived(id, now, event_sink);
        self.advance_search(chip, upper_layer, now, event_sink)
    }

    /// Advances the pages of a chip through registers, matcher and outputs as far as possible.
    fn advance_search<A: UpperLayer>(
        &mut self,
        chip: ChipId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        self.leave_matcher(chip);
        while self.leave_register(chip, upper_layer, now, event_sink) {}
        for kind in [OutputKind::Answers, OutputKind::Pages] {
            self.offer_result(SearchOutput { chip, kind }, upper_layer.command_source(), now);
        }
        NextStep::Search
    }

    fn leave_matcher(&mut self, chip: ChipId) {
        let unit = &mut self.searches.units[chip.index()];
        if let Some((page, true)) = unit.matcher
            && unit.put_out(page)
        {
            unit.matcher = None;
        }
    }

    /// Moves the oldest sensed page of a chip out of the register of its die. Returns false if there is none, or
    /// if the matcher or the output register is full.
    fn leave_register<A: UpperLayer>(
        &mut self,
        chip: ChipId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> bool {
        let unit = &mut self.searches.units[chip.index()];
        let Some(&(die, page)) = unit.latched.front() else { return false };
        match page.sensed.matching {
            Some(_) if unit.matcher.is_some() => return false,
            Some(matching) => {
                unit.matcher = Some((page, false));
                event_sink.post(now + matching, FlashEvent::Matched(chip));
            }
            None if !unit.put_out(page) => return false,
            None => {}
        }
        unit.latched.pop_front();
        let all = upper_layer.command_source_mut().transactions_mut();
        all.get_mut(page.id).clock.charge(Stage::ChipWait, now);
        if !self.next_page_begins(die, chip, upper_layer, now, event_sink) {
            let step = becomes_free(&mut self.chips.at(die), die, upper_layer, now);
            self.searches.add_step(die, step);
        }
        true
    }

    /// Starts the sensing of the next page of a search on a die whose register is empty. Returns false if the
    /// die becomes free instead.
    fn next_page_begins<A: UpperLayer>(
        &mut self,
        die: DieId,
        chip: ChipId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> bool {
        if self.paths.losses().is_lost(chip) || self.chips.package(chip).works_one_at_a_time() {
            return false;
        }
        let next = upper_layer.command_source_mut().next_search_page(die, now);
        let Some((id, operation)) = next else { return false };
        charge_new_one(die, id, now, upper_layer, now);
        let work = self.chips.settings().array.work(operation);
        let ends = self.chips.next_page_begins(die, id, work, now);
        let (operation, batch) = (Operation::Search, &[id]);
        let start = CommandStart { die, chip, operation, batch, work, is_interleaved: false, is_next: true };
        let (probes, reasons) = upper_layer.observed();
        probes.on_next_page(&start, reasons, now);
        probes.on_array_begin(die, now);
        event_sink.post(ends, FlashEvent::ArrayDone(die));
        true
    }

    /// Offers the oldest result of a search output for transfer, unless the output is sending another result.
    fn offer_result(&mut self, output: SearchOutput, source: &impl CommandSource, now: SimTime) {
        let number = output.number(self.searches.dies);
        let unit = &mut self.searches.units[output.chip.index()];
        let Some(&id) = unit.results(output.kind).front() else { return };
        if self.chips.has_no_result(number) {
            let consumer = match output.kind {
                OutputKind::Answers => DataConsumer::SearchAnswer,
                OutputKind::Pages => DataConsumer::SearchPage,
            };
            // In the order of arrival, chips with many matches would fall behind, and finish last.
            let lpn = source.transactions().get(id).lpn.map_or(0, |lpn| lpn.0);
            let turn = SimTime::from_ps(u64::from(lpn));
            self.chips.result_waits(number, id, (consumer, turn), now);
            self.searches.add_step(number, NextStep::Data { is_served: false });
        }
    }
}
