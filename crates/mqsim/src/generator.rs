//! MQSim's synthetic flows, reproduced request by request.
//!
//! # What it models
//! The generator reproduces arrivals by queue depth or by bandwidth, the share of reads, the three address
//! distributions, fixed and normally distributed sizes, the working set and the alignment. All random numbers
//! are drawn with MQSim's generators and seeds.
//!
//! # How
//! Each kind of choice has its own random number generator. The generators are seeded from the flow's seed in
//! this order: operation, address, hot address and hot or cold (`RANDOM_HOTCOLD`), size (`NORMAL`), gap
//! (`BANDWIDTH`). The requests do not depend on completion times, except that their number does for a flow
//! with a stop time.
//!
//! - `QUEUE_DEPTH` is a closed loop. `BANDWIDTH` has exponential gaps in whole nanoseconds, whose mean is the
//!   size divided by the bandwidth, in integer arithmetic.
//! - `RANDOM_HOTCOLD` with a hot region of H %: 100 - H % of the requests start in the first H % of the
//!   addresses.
//! - `STREAMING` starts at an address from the address generator and continues sequentially. A request that
//!   would cross the end starts at the first sector instead, and the stream continues from the end of the
//!   original request.
//! - The working set is the first part of the flow's space.
//!
//! # What is left out
//! A normally distributed size below one sector becomes one sector; in MQSim a negative size becomes a size
//! near 65,536 sectors. A file with frequent negative sizes causes a warning. A mean gap that is zero in
//! MQSim's integer division, with which MQSim stops, is computed exactly.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `IO_Flow_Synthetic.cpp`, `Host_System.cpp`.

use venice_drive::ftl::MqsimRandom;
use venice_kernel::SimTime;
use venice_nand::geometry::long_quotient;
use venice_requests::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceError};

use super::partition::FlowSpace;
use super::workload::{AddressDistribution, Generator, SizeDistribution, SyntheticParameters};

const PS_PER_NS: u64 = 1_000;
const NS_PER_S: u32 = 1_000_000_000;

/// Request source that reproduces a flow of MQSim, in sectors of the device.
pub(super) struct MqsimRequests {
    label: String,
    /// Number of requests; `None` for a flow that ends at a given time.
    total: Option<u64>,
    given: u64,
    operations: Operations,
    /// Number of sectors of which each start sector is a multiple.
    alignment: u32,
    addresses: MqsimAddresses,
    sizes: MqsimSizes,
    gaps: Option<MqsimGaps>,
}

enum Operations {
    /// All requests have this operation, so no random number is drawn for the operation.
    Only(Op),
    Mixed {
        read_ratio: f64,
        random: MqsimRandom,
    },
}

struct MqsimAddresses {
    distribution: AddressDistribution,
    /// First and last sector of the address range.
    range: (u64, u64),
    random: MqsimRandom,
    hot: Option<HotRegion>,
    stream: u64,
}

struct HotRegion {
    ratio: f64,
    end: u64,
    address: MqsimRandom,
    choice: MqsimRandom,
}

enum MqsimSizes {
    Fixed(u64),
    Normal { mean: f64, deviation: f64, random: MqsimRandom },
}

struct MqsimGaps {
    mean_ns: f64,
    random: MqsimRandom,
    now_ns: u64,
}

impl MqsimRequests {
    pub(super) fn new(flow: &SyntheticParameters, space: &FlowSpace, label: String) -> Self {
        let mut seed = flow.seed.value.unsigned_abs();
        let mut generator = || {
            seed += 1;
            MqsimRandom::new(seed - 1)
        };
        let operations = Operations::new(flow.read_percentage.value, generator());
        let alignment = if flow.aligned.value { flow.alignment_unit.value.max(1) } else { 1 };
        let addresses = MqsimAddresses::new(flow, working_set(flow, space), alignment, &mut generator);
        let mean = flow.average_request_size.value;
        let sizes = match flow.size_distribution.value {
            SizeDistribution::Fixed => MqsimSizes::Fixed(mean.into()),
            SizeDistribution::Normal => MqsimSizes::Normal {
                mean: mean.into(),
                deviation: flow.variance_request_size.value.into(),
                random: generator(),
            },
        };
        let gaps = mean_gap_ns(flow).map(|mean_ns| MqsimGaps { mean_ns, random: generator(), now_ns: 0 });
        let total = (flow.stop_time.value == 0).then(|| u64::from(flow.total_requests.value));
        Self { label, total, given: 0, operations, alignment, addresses, sizes, gaps }
    }

    fn next(&mut self) -> HostRequest {
        let op = self.operations.draw();
        let sectors = self.sizes.draw();
        let start = self.addresses.draw(sectors, self.alignment);
        let start_sector = long_quotient(start, self.alignment) * u64::from(self.alignment);
        let arrival =
            SimTime::from_ps(self.gaps.as_mut().map_or(0, MqsimGaps::next_ns).saturating_mul(PS_PER_NS));
        self.given += 1;
        HostRequest { arrival, start_sector, sectors: sectors as u32, queue: 0, op, pattern_set: 0 }
    }
}

impl RequestSource for MqsimRequests {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let left = self.total.map_or(at_most as u64, |total| total - self.given);
        let count = left.min(at_most as u64) as usize;
        into.extend((0..count).map(|_| self.next()));
        Ok(count)
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        true
    }

    fn total(&self) -> Option<u64> {
        self.total
    }
}

impl Operations {
    fn new(read_pct: u32, random: MqsimRandom) -> Self {
        match read_pct {
            0 => Self::Only(Op::Write),
            100.. => Self::Only(Op::Read),
            _ => Self::Mixed { read_ratio: f64::from(read_pct) / 100.0, random },
        }
    }

    fn draw(&mut self) -> Op {
        match self {
            Self::Only(op) => *op,
            Self::Mixed { read_ratio, random } => {
                if random.unit() <= *read_ratio {
                    Op::Read
                } else {
                    Op::Write
                }
            }
        }
    }
}

impl MqsimAddresses {
    fn new(
        flow: &SyntheticParameters,
        range: (u64, u64),
        alignment: u32,
        generator: &mut impl FnMut() -> MqsimRandom,
    ) -> Self {
        let distribution = flow.address_distribution.value;
        let mut random = generator();
        let hot = (distribution == AddressDistribution::RandomHotcold).then(|| {
            let ratio = f64::from(flow.percentage_of_hot_region.value) / 100.0;
            let end = range.0 + ((range.1 - range.0) as f64 * ratio) as u64;
            HotRegion { ratio, end, address: generator(), choice: generator() }
        });
        let stream = match distribution {
            AddressDistribution::Streaming => random.within(range.0, range.1),
            _ => 0,
        };
        let stream = stream - stream % u64::from(alignment);
        Self { distribution, range, random, hot, stream }
    }

    fn draw(&mut self, sectors: u64, alignment: u32) -> u64 {
        let (first, last) = self.range;
        match (self.distribution, &mut self.hot) {
            (AddressDistribution::Streaming, _) => self.follow(sectors, alignment),
            (_, Some(hot)) => hot.draw((first, last)),
            _ => {
                let start = self.random.within(first, last);
                if start + sectors > last { first } else { start }
            }
        }
    }

    fn follow(&mut self, sectors: u64, alignment: u32) -> u64 {
        let (first, last) = self.range;
        let end = self.stream + sectors;
        let is_past = end > last;
        let start = if is_past { first } else { self.stream };
        let next = if is_past { first } else { end };
        self.stream = next.next_multiple_of(alignment.into());
        start
    }
}

impl HotRegion {
    fn draw(&mut self, (first, last): (u64, u64)) -> u64 {
        let is_cold = self.choice.unit() < self.ratio;
        let (first, last) = if is_cold { (self.end + 1, last) } else { (first, self.end) };
        self.address.within(first, last)
    }
}

impl MqsimSizes {
    fn draw(&mut self) -> u64 {
        match self {
            Self::Fixed(sectors) => *sectors,
            Self::Normal { mean, deviation, random } => {
                (random.normal(*mean, *deviation).ceil() as u64).max(1)
            }
        }
    }
}

impl MqsimGaps {
    fn next_ns(&mut self) -> u64 {
        self.now_ns += self.random.exponential(self.mean_ns) as u64;
        self.now_ns
    }
}

/// Returns the first and the last sector of a flow's working set.
fn working_set(flow: &SyntheticParameters, space: &FlowSpace) -> (u64, u64) {
    let pct = flow.working_set_percentage.value;
    let ratio = if (1..=100).contains(&pct) { f64::from(pct) / 100.0 } else { 1.0 };
    let first = space.mqsim_start_sector;
    (first, (first as f64 + space.sectors.saturating_sub(1) as f64 * ratio) as u64)
}

fn mean_gap_ns(flow: &SyntheticParameters) -> Option<f64> {
    let bandwidth = flow.bandwidth.as_ref().filter(|_| flow.generator.value == Generator::Bandwidth)?;
    let sectors = flow.average_request_size.value;
    let per_second = bandwidth.value / SECTOR_BYTES / sectors;
    if per_second > 0 && per_second <= NS_PER_S {
        return Some(f64::from(NS_PER_S / per_second));
    }
    Some(f64::from(sectors) * f64::from(SECTOR_BYTES) / f64::from(bandwidth.value) * f64::from(NS_PER_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: FlowSpace =
        FlowSpace { mqsim_start_sector: 100, sectors: 901, start_sector: 0, capacity_sectors: 901 };

    fn addresses(distribution: AddressDistribution, stream: u64) -> MqsimAddresses {
        let range = (SPACE.mqsim_start_sector, SPACE.mqsim_start_sector + SPACE.sectors - 1);
        MqsimAddresses { distribution, range, random: MqsimRandom::new(1), hot: None, stream }
    }

    #[test]
    fn fixed_kinds_equal_drawn_ones() {
        for (read_pct, op) in [(0, Op::Write), (100, Op::Read)] {
            let (mut random, ratio) = (MqsimRandom::new(7), f64::from(read_pct) / 100.0);
            let mut operations = Operations::new(read_pct, MqsimRandom::new(7));
            for _ in 0..1_000 {
                let drawn = if random.unit() <= ratio { Op::Read } else { Op::Write };
                assert_eq!((operations.draw(), drawn), (op, op));
            }
        }
    }

    #[test]
    fn a_stream_begins_anew_at_the_first_sector_and_its_first_two_requests_there_are_the_same() {
        let mut all = addresses(AddressDistribution::Streaming, 960);
        let starts: Vec<u64> = (0..6).map(|_| all.draw(16, 1)).collect();
        assert_eq!(starts, [960, 976, 100, 100, 116, 132], "976 + 16 = 992 is within, and 992 + 16 is not");
    }

    #[test]
    fn what_follows_in_a_stream_is_aligned_upwards() {
        let mut all = addresses(AddressDistribution::Streaming, 128);
        let starts: Vec<u64> = (0..3).map(|_| all.draw(10, 16)).collect();
        assert_eq!(starts, [128, 144, 160]);
    }
}
