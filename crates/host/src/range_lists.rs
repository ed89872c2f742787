//! Range lists of the trims in flight that have several ranges.
//!
//! # How
//! A request contains its first range. The further ranges of a trim are stored in this module, so that
//! requests stay small. The memory of a list is reused by later trims.

use std::num::NonZeroU32;

use venice_requests::SectorRange;

use super::request::Request;

/// Index of a range list, plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RangeListId(NonZeroU32);

impl RangeListId {
    const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Further ranges of trims, after the first range of each.
#[derive(Clone, Debug, Default)]
pub struct RangeLists {
    lists: Vec<Vec<SectorRange>>,
    free: Vec<RangeListId>,
}

impl RangeLists {
    /// Stores the further ranges of a trim, and links them to its request.
    #[cold]
    pub(super) fn attach(&mut self, request: &mut Request, ranges: impl Iterator<Item = SectorRange>) {
        let id = self.free.pop().unwrap_or_else(|| self.add());
        let list = &mut self.lists[id.index()];
        list.extend(ranges);
        request.further_sectors = list.iter().map(|range| range.sectors).sum();
        request.ranges = Some(id);
    }

    fn add(&mut self) -> RangeListId {
        self.lists.push(Vec::new());
        let number = u32::try_from(self.lists.len()).ok().and_then(NonZeroU32::new);
        RangeListId(number.expect("fewer trims are in flight than requests can be numbered"))
    }

    /// Returns the ranges of a trim after its first range; none for other requests.
    #[inline]
    pub fn further(&self, request: &Request) -> &[SectorRange] {
        request.ranges.map_or(&[], |id| &self.lists[id.index()])
    }

    /// Returns the ranges of a request. Requests other than trims have a single one.
    #[inline]
    pub fn all(&self, request: &Request) -> impl Iterator<Item = SectorRange> {
        std::iter::once(request.host.range()).chain(self.further(request).iter().copied())
    }

    /// Removes the range list of a completed request, if it has one.
    #[inline]
    pub(super) fn release(&mut self, request: &Request) {
        if let Some(id) = request.ranges {
            self.lists[id.index()].clear();
            self.free.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;
    use venice_requests::Op;

    use super::*;
    use crate::request::{FlowId, IssuedRequest};
    use crate::testkit::pages;

    fn trim() -> Request {
        let host = pages(Op::Trim, 3, 1, SimTime::ZERO);
        Request::new(IssuedRequest { host, flow: FlowId(0), number: 0, pair: 0 }, SimTime::ZERO)
    }

    #[test]
    fn lists_are_kept_apart_and_reused() {
        let mut lists = RangeLists::default();
        let range = |start_sector| SectorRange { start_sector, sectors: 8 };
        let mut trims = [trim(), trim(), trim()];
        lists.attach(&mut trims[0], [range(80), range(160)].into_iter());
        lists.attach(&mut trims[1], [range(8)].into_iter());
        let all = |lists: &RangeLists, trim: &Request| -> Vec<_> {
            lists.all(trim).map(|range| range.start_sector).collect()
        };
        assert_eq!(all(&lists, &trims[0]), [24, 80, 160]);
        assert_eq!((all(&lists, &trims[1]), all(&lists, &trims[2])), (vec![24, 8], vec![24]));
        assert_eq!(trims.map(|trim| trim.sectors()), [24, 16, 8]);
        lists.release(&trims[0]);
        lists.attach(&mut trims[2], [range(0)].into_iter());
        assert_eq!((all(&lists, &trims[2]), lists.lists.len()), (vec![24, 0], 2));
    }
}
