//! Parsing of a request's extent: its address and length.
//!
//! The length is parsed first, because the address of a request without data is ignored. Linux, for example,
//! writes flushes with the address 2^64 - 1.

use super::super::LineFault;
use super::number::{blank_whole, whole};
use crate::request::SECTOR_BYTES;

/// End of the accepted address range in sectors (one exbibyte). Larger addresses indicate a damaged file.
const MAX_SECTOR: u64 = 1 << 51;

/// Address and length that a request without data receives.
const NO_DATA: (u64, u32) = (0, 0);

/// Description of a valid address in sectors, for messages.
pub(in super::super) const SECTOR_NUMBER: &str = "a whole number of sectors";
const BYTES: &str = "a whole number of bytes";

/// Parses an extent in sectors, whose length may be 0.
#[inline]
pub(in super::super) fn extent_of_sectors(lba: &[u8], size: &[u8]) -> Result<(u64, u32), LineFault> {
    sectors_of(whole(lba), whole(size))
}

/// Parses an extent in sectors from the next two blank-separated columns. The length may be 0.
#[inline]
pub(in super::super) fn blank_extent_of_sectors(rest: &mut &[u8]) -> Result<(u64, u32), LineFault> {
    sectors_of(blank_whole(rest), blank_whole(rest))
}

#[inline]
fn sectors_of(lba: Option<u64>, size: Option<u64>) -> Result<(u64, u32), LineFault> {
    let sectors = size.ok_or(LineFault { field: "size", expected: SECTOR_NUMBER })?;
    bounded(lba.filter(|_| sectors > 0), sectors, LineFault { field: "lba", expected: SECTOR_NUMBER })
}

/// Parses an extent whose address is in sectors and whose length is in bytes. The length is rounded up to
/// whole sectors.
#[inline]
pub(in super::super) fn extent_of_sector_and_bytes(
    lba: &[u8],
    size: &[u8],
    field: &'static str,
) -> Result<(u64, u32), LineFault> {
    let bytes = whole(size).ok_or(LineFault { field: "size", expected: BYTES })?;
    bounded(whole(lba), bytes.div_ceil(u64::from(SECTOR_BYTES)), LineFault { field, expected: SECTOR_NUMBER })
}

/// Parses an extent in bytes and rounds it outwards to whole sectors. A length of zero bytes is zero sectors.
#[inline]
pub(in super::super) fn extent_of_bytes(offset: &[u8], size: &[u8]) -> Result<(u64, u32), LineFault> {
    let size = whole(size).ok_or(LineFault { field: "size", expected: BYTES })?;
    covering(whole(offset), size, LineFault { field: "offset", expected: BYTES })
}

/// Returns the smallest range of sectors that covers `size` bytes from `offset`. `fault` is the error for an
/// invalid offset.
#[inline]
pub(in super::super) fn covering(
    offset: Option<u64>,
    size: u64,
    fault: LineFault,
) -> Result<(u64, u32), LineFault> {
    if size == 0 {
        return Ok(NO_DATA);
    }
    let offset = offset.ok_or(fault)?;
    let start = offset / u64::from(SECTOR_BYTES);
    let end = offset.saturating_add(size).div_ceil(u64::from(SECTOR_BYTES));
    bounded(Some(start), end - start, fault)
}

/// Returns an extent if it is within the accepted address range. `fault` is the error for an invalid start.
#[inline]
pub(in super::super) fn bounded(
    start: Option<u64>,
    sectors: u64,
    fault: LineFault,
) -> Result<(u64, u32), LineFault> {
    if sectors == 0 {
        return Ok(NO_DATA);
    }
    let Ok(short) = u32::try_from(sectors) else {
        return Err(LineFault { field: "size", expected: "less than 2 TiB" });
    };
    let start = start.ok_or(fault)?;
    if start.saturating_add(sectors) > MAX_SECTOR {
        return Err(LineFault { expected: "an address below 1 EiB", ..fault });
    }
    Ok((start, short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_bytes_are_no_sectors_whatever_the_address() {
        for address in ["100", "18446744073709551615", "-1", "99999999999999999999", ""] {
            let address = address.as_bytes();
            assert_eq!(extent_of_bytes(address, b"0"), Ok(NO_DATA));
            assert_eq!(extent_of_sectors(address, b"0"), Ok(NO_DATA));
            assert_eq!(extent_of_sector_and_bytes(address, b"0", "lbn"), Ok(NO_DATA));
        }
        assert_eq!(blank_extent_of_sectors(&mut &b"18446744073709551615 0"[..]), Ok(NO_DATA));
    }

    #[test]
    fn the_last_sector_is_an_address_and_the_next_is_not() {
        assert!(extent_of_sectors(b"2251799813685240", b"8").is_ok());
        assert!(extent_of_sectors(b"2251799813685241", b"8").is_err());
        assert!(extent_of_bytes(b"18446744073709551615", b"1").is_err());
        assert!(extent_of_bytes(b"0", b"2199023255552").is_err());
    }

    proptest! {
        #[test]
        fn an_extent_of_bytes_is_the_least_run_of_sectors_that_covers_it(offset in 0_u64..1 << 50, size in 1_u64..1 << 30) {
            let (start, sectors) =
                extent_of_bytes(offset.to_string().as_bytes(), size.to_string().as_bytes()).unwrap();
            let end = start + u64::from(sectors);
            prop_assert!(start * 512 <= offset && (start + 1) * 512 > offset);
            prop_assert!(end * 512 >= offset + size && (end - 1) * 512 < offset + size);
        }
    }
}
