//! Tests of column memory without Python. The source file is included directly, since a test cannot link an
//! extension module.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../src/region.rs"]
mod region;

use region::MappedMemory;

const KIB: usize = 1 << 10;

fn written(region: &mut MappedMemory, byte: u8, bytes: usize) {
    region.further(bytes).unwrap().fill(byte);
}

#[test]
fn a_growing_region_keeps_its_content() {
    let mut region = MappedMemory::default();
    for byte in 1..=200 {
        written(&mut region, byte, KIB);
    }
    let bytes = region.finish();
    assert!(bytes.chunks(KIB).zip(1..=200).all(|(chunk, byte)| chunk == [byte; KIB]));
    assert_eq!(bytes.len(), 200 * KIB);
}

#[test]
fn zeros_are_zero_also_where_memory_is_used_again() {
    let mut region = MappedMemory::default();
    written(&mut region, 7, KIB);
    let first = region.finish();
    let place = first.as_ptr();
    drop(first);
    region.zeros(KIB).unwrap();
    let second = region.finish();
    assert_eq!(second.as_ptr(), place, "the memory of the first is used again");
    assert_eq!(second.as_slice(), [0; KIB]);
}

#[test]
fn a_region_with_readers_is_not_reused() {
    let mut region = MappedMemory::default();
    written(&mut region, 7, KIB);
    let first = region.finish();
    written(&mut region, 9, KIB);
    let second = region.finish();
    assert_eq!((first.as_slice(), second.as_slice()), (&[7; KIB][..], &[9; KIB][..]));
}

#[test]
fn what_was_lent_outlives_the_region() {
    let mut region = MappedMemory::default();
    written(&mut region, 7, KIB);
    let bytes = region.finish();
    drop(region);
    assert_eq!(bytes.as_slice(), [7; KIB]);
}

#[test]
fn an_empty_region_is_aligned_for_wide_numbers() {
    let bytes = MappedMemory::default().finish();
    assert_eq!((bytes.len(), bytes.as_ptr().addr() % 8), (0, 0));
}

#[test]
fn a_region_reserves_the_expected_size_and_grows_beyond_it() {
    let mut region = MappedMemory::default();
    region.expect(KIB);
    written(&mut region, 3, 100 * KIB);
    let first = region.after(0).as_ptr();
    written(&mut region, 4, KIB);
    assert_ne!(region.after(0).as_ptr(), first, "it was moved");
    assert!(region.finish()[..100 * KIB].iter().all(|&byte| byte == 3));
}
