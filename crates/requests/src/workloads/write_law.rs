//! Distribution of the start addresses of a workload's writes.

use super::spec::{AddressPattern, SizeMix, Trims, WorkloadSpec};
use crate::request::{UniformWrites, WriteLaw};

impl WorkloadSpec {
    /// Returns the distribution of write addresses in a footprint of this size.
    pub(super) fn write_law(&self, footprint_sectors: u64) -> WriteLaw {
        if self.read_ratio >= 1.0 {
            return WriteLaw::NoWrites;
        }
        if self.trims != Trims::NONE || self.writes.zeroes_deallocate {
            return WriteLaw::Other;
        }
        match self.write_sizes.as_ref().unwrap_or(&self.sizes) {
            SizeMix::Fixed(length) if self.starts_are_uniform() => WriteLaw::Uniform(UniformWrites {
                start_sector: 0,
                range_sectors: footprint_sectors,
                align_sectors: self.places.write_align_sectors.unwrap_or(self.places.align_sectors),
                length_sectors: *length,
            }),
            _ => WriteLaw::Other,
        }
    }

    fn starts_are_uniform(&self) -> bool {
        let places = &self.places;
        let run_requests = places.write_run_requests.unwrap_or(places.run_requests);
        places.pattern == AddressPattern::Uniform && places.offset_sectors == 0 && run_requests <= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::load_workload;
    use super::*;

    const SECTORS: u64 = 1 << 20;

    fn law(name: &str) -> WriteLaw {
        let workload = load_workload(name).expect("a built-in workload");
        workload.open(SECTORS, 1).expect("it fits").remove(0).source.write_law()
    }

    #[test]
    fn uniform_random_writes_cover_the_pages_of_their_footprint() {
        let WriteLaw::Uniform(writes) = law("random-write") else { panic!("{:?}", law("random-write")) };
        assert_eq!(writes.pages(8), Some(SECTORS / 8));
        assert_eq!(writes.pages(32), Some(SECTORS / 32), "four writes of 4 KiB share a page of 16");
        assert_eq!(writes.pages(4), None, "each touches two pages");
    }

    #[test]
    fn other_workloads_do_not_claim_to_write_uniformly() {
        assert_eq!(law("random-read"), WriteLaw::NoWrites);
        assert_eq!(law("zipf-mixed"), WriteLaw::Other);
    }
}
