//! Host memory buffer of the map: share of hits and latency, compared with closed forms.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    CachedMapping, HostBufferSettings, Mapping, MappingWriteBack, TableSharing, UnwrittenData,
};
use venice_fabric::FabricKind;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ROUND_TRIP: SimSpan = SimSpan::from_us(3);
/// Entries of 4 bytes in a sector of a translation page.
const SEGMENT: u32 = 128;

/// Returns a drive of 4-KiB units with some 26,000 of them, whose cached table has one entry.
fn drive(segments: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    (settings.geometry.blocks_per_plane, settings.geometry.pages_per_block) = (64, 68);
    settings.flash.array.read = vec![SimSpan::from_us(40)];
    let ftl = &mut settings.ftl;
    ftl.unwritten_data = UnwrittenData::Present;
    ftl.mapping = Mapping::Cached(CachedMapping {
        table_entries: 1,
        entries_per_page: 1024,
        page_entry_bytes: 4,
        write_back: MappingWriteBack::Flash,
        sharing: TableSharing::Shared,
    });
    let buffer = HostBufferSettings { segments, entries_per_segment: SEGMENT, round_trip: ROUND_TRIP };
    ftl.host_buffer = (segments > 0).then_some(buffer);
    settings
}

fn page(op: Op, page: u64) -> HostRequest {
    venice_host::testkit::pages(op, page, 1, SimTime::ZERO)
}

/// Reads random pages of the first `range` ones, one at a time.
fn read(settings: &DriveSettings, range: u64, count: u64) -> RunOutcome {
    let mut random = RandomStream::new(5, "pages");
    let requests = (0..count).map(|_| page(Op::Read, random.below(range))).collect();
    run(settings, LoopMode::Closed { depth: 1 }, requests)
}

/// A buffer of C bytes holds the entries of C / 4 units of 4 KiB, so that the share of hits is 1,024 C / R for
/// random reads in a range of R bytes.
#[test]
fn share_of_hits_is_the_covered_share_of_the_range() {
    let range = 160 * u64::from(SEGMENT);
    for segments in [0, 40, 80, 160] {
        let mapping = read(&drive(segments), range, 20_000).report.mapping;
        let expected = (f64::from(segments) * 512.0 * 1024.0 / (range * 4096) as f64).min(1.0);
        let (Some(hits), Some(misses)) = (mapping.host_buffer_hits, mapping.host_buffer_misses) else {
            assert_eq!(segments, 0);
            continue;
        };
        let measured = hits as f64 / (hits + misses) as f64;
        assert!((measured - expected).abs() < 0.03 * expected, "{measured}, expected {expected}");
    }
}

/// The first read of a page misses the table. It takes a round trip more than a drive with the map in memory.
#[test]
fn hit_delays_a_read_by_the_round_trip() {
    let mut ideal = drive(0);
    ideal.ftl.mapping = Mapping::Ideal;
    let latency = |settings: &DriveSettings| read(settings, 1, 1).latencies()[0];
    let (hit, map_in_memory, miss) = (latency(&drive(8)), latency(&ideal), latency(&drive(0)));
    assert_eq!(hit - map_in_memory, ROUND_TRIP);
    assert!(miss > hit + ROUND_TRIP, "a miss reads flash");
}

/// Requests that miss concurrently on one translation page wait for one read of the host's memory.
#[test]
fn concurrent_misses_of_a_page_share_a_round_trip() {
    let requests = [0, 300].map(|number| page(Op::Read, number)).to_vec();
    let outcome = run(&drive(8), LoopMode::Closed { depth: 2 }, requests);
    assert_eq!(outcome.report.mapping.host_buffer_hits, Some(1));
    assert_eq!(outcome.report.flash.mapping_reads, 0);
}
