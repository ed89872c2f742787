//! Plan of a search: the search commands that execute it, with the pages of each.

use venice_drive::ftl::{ChipWork, FurtherPasses, KnownCorrection, SearchLocation, SearchedPage};
use venice_kernel::SimSpan;
use venice_nand::geometry::Lpn;

use super::{PifSettings, SearchPage, SearchPhase};

/// Number of sub-pages per page. For a page head, only the first sub-page is decoded.
const SUB_PAGES: u64 = 16;

/// Returns the pages of each search command that the search of `phases` needs at `location`.
pub(super) fn searches(
    settings: &PifSettings,
    location: SearchLocation,
    phases: &[SearchPhase],
) -> Vec<Vec<SearchedPage>> {
    let of_phase = |phase| {
        let plan = PhasePlan { settings, location, phase };
        (0..plan.commands()).map(move |pass| plan.pages(pass))
    };
    phases.iter().flat_map(of_phase).filter(|pages| !pages.is_empty()).collect()
}

/// Phase of a search at a location.
#[derive(Clone, Copy)]
struct PhasePlan<'a> {
    settings: &'a PifSettings,
    location: SearchLocation,
    phase: &'a SearchPhase,
}

impl PhasePlan<'_> {
    /// Returns true if chips search the pages.
    fn is_in_chips(&self) -> bool {
        self.location == SearchLocation::Chips && self.phase.passes > 0
    }

    /// Returns the number of search commands. Outside the chips, a page is loaded once for all passes.
    fn commands(&self) -> u16 {
        if self.is_in_chips() { self.phase.passes } else { 1 }
    }

    /// Returns the pages of the search command of a pass: those to be searched and, in the last pass, those that are
    /// read for context.
    fn pages(&self, pass: u16) -> Vec<SearchedPage> {
        let in_chips = self.is_in_chips();
        let all = || self.phase.pages.iter().enumerate();
        let wanted = all().filter(|(_, page)| !in_chips || page.passes > pass);
        let searched = wanted.map(|(index, page)| {
            if in_chips { self.searched_in_chip(index, page, pass) } else { self.searched_outside(page) }
        });
        let has_context = self.location != SearchLocation::Host && pass + 1 == self.commands();
        let context = all().filter(|(_, page)| has_context && page.is_context);
        searched.chain(context.map(|(_, page)| self.context(page))).collect()
    }

    fn searched_in_chip(&self, index: usize, page: &SearchPage, pass: u16) -> SearchedPage {
        SearchedPage {
            lpn: Lpn(page.number),
            chip_work: ChipWork::Search,
            matches: page.matched && page.passes == pass + 1,
            further: FurtherPasses::default(),
            is_for_host: page.matched,
            matching: self.time_in_chip(page),
            controller_passes: 1,
            correction: Some(correction(page)),
            next_head: self.next_head(index, pass),
        }
    }

    fn searched_outside(&self, page: &SearchPage) -> SearchedPage {
        SearchedPage {
            lpn: Lpn(page.number),
            chip_work: ChipWork::Transfer,
            matches: page.matched,
            further: FurtherPasses::default(),
            is_for_host: self.location == SearchLocation::Host || self.phase.passes == 0 || page.matched,
            matching: SimSpan::ZERO,
            controller_passes: self.controller_passes(),
            correction: Some(correction(page)),
            next_head: None,
        }
    }

    /// Returns a page that is read for lines around matches in other pages. It needs no repeated reads of its
    /// own, since these belong to the page's search.
    fn context(&self, page: &SearchPage) -> SearchedPage {
        let correction = KnownCorrection::default();
        SearchedPage { is_for_host: true, correction: Some(correction), ..self.searched_outside(page) }
    }

    /// Returns the number of times that a matcher of the controller processes a page.
    fn controller_passes(&self) -> u16 {
        if self.location == SearchLocation::Controller { self.phase.passes.max(1) } else { 1 }
    }

    /// Returns the time that the chip's decoder and matcher take for a page. A page that cannot be decoded is
    /// sent at once, without waiting for the matcher.
    fn time_in_chip(&self, page: &SearchPage) -> SimSpan {
        let decoding = self.decoding(page);
        if page.fails_in_chip && page.iterations > 0 { decoding } else { self.matching().max(decoding) }
    }

    fn decoding(&self, page: &SearchPage) -> SimSpan {
        self.settings.iteration * u64::from(page.iterations)
    }

    fn matching(&self) -> SimSpan {
        self.settings.drive.ftl.search.matching
    }

    /// Returns the time of the chip for the head of the page that follows the page `index`, if the controller
    /// requests this head.
    fn next_head(&self, index: usize, pass: u16) -> Option<SimSpan> {
        let (page, next) = (&self.phase.pages[index], self.phase.pages.get(index + 1)?);
        let is_sent = next.fails_in_chip || (next.matched && next.passes == pass + 1);
        let is_asked = page.asks_for_next_head && next.number == page.number + 1 && !is_sent;
        is_asked.then(|| SimSpan::from_ps(self.matching().max(self.decoding(next)).as_ps() / SUB_PAGES))
    }
}

fn correction(page: &SearchPage) -> KnownCorrection {
    KnownCorrection { fails_in_chip: page.fails_in_chip, extra_reads: page.extra_reads }
}
