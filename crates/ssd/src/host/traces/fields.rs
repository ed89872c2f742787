//! Columns of a line, read from bytes without an allocation: this runs once per column of every request.

use super::Fault;
use crate::host::request::{Op, SECTOR_BYTES};

/// Addresses end here: 2^51 sectors, an exbibyte. Beyond it a number is damage, not an address.
pub(super) const MAX_SECTOR: u64 = 1 << 51;

/// Takes the column up to the next comma off the front of `rest`; empty when there is none left.
#[inline]
pub(super) fn comma_field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let end = rest.iter().position(|&byte| byte == b',');
    let (field, after) = end.map_or((*rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
    *rest = after;
    field.trim_ascii()
}

/// Takes the column up to the next blanks or tabs off the front of `rest`; empty when there is none left.
#[inline]
pub(super) fn blank_field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = rest.iter().position(is_blank).unwrap_or(rest.len());
    let (field, after) = rest.split_at(end);
    let blanks = after.iter().take_while(|byte| is_blank(byte)).count();
    *rest = &after[blanks..];
    field
}

/// A whole number of decimal digits and nothing else.
#[inline]
pub(super) fn whole(field: &[u8]) -> Option<u64> {
    append_digits(0, field).filter(|_| !field.is_empty())
}

/// A decimal number in units of 10^-`decimals`; digits beyond those are cut off, not rounded.
#[inline]
pub(super) fn fixed_point(field: &[u8], decimals: u32) -> Option<u64> {
    let point = field.iter().position(|&byte| byte == b'.').unwrap_or(field.len());
    let fraction = field.get(point + 1..).unwrap_or_default();
    let (kept, cut) = fraction.split_at(fraction.len().min(decimals as usize));
    if !cut.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let scaled = append_digits(whole(&field[..point])?, kept)?;
    scaled.checked_mul(10_u64.pow(decimals - kept.len() as u32))
}

/// The number whose decimal digits are those of `head` followed by `digits`.
#[inline]
fn append_digits(head: u64, digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(head, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A device number, kept as the queue.
#[inline]
pub(super) fn device(field: &[u8], name: &'static str) -> Result<u16, Fault> {
    let number = whole(field).and_then(|number| u16::try_from(number).ok());
    number.ok_or(Fault { field: name, expected: "a whole number from 0 to 65535" })
}

/// 1 = read, 0 = write: the convention of `DiskSim` and all who followed it.
#[inline]
pub(super) fn op_1_reads(field: &[u8]) -> Result<Op, Fault> {
    match field {
        b"1" => Ok(Op::Read),
        b"0" => Ok(Op::Write),
        _ => Err(Fault { field: "op", expected: "1 (read) or 0 (write)" }),
    }
}

/// First sector and number of sectors of an extent given in sectors.
#[inline]
pub(super) fn extent_of_sectors(lba: &[u8], size: &[u8]) -> Result<(u64, u32), Fault> {
    let start = whole(lba).ok_or(Fault { field: "lba", expected: "a whole number of sectors" })?;
    let sectors = whole(size).filter(|&sectors| sectors > 0);
    let sectors =
        sectors.ok_or(Fault { field: "size", expected: "a whole number of sectors, at least 1" })?;
    bounded(start, sectors, "lba")
}

/// First sector and number of sectors of an extent given in bytes, rounded outwards to whole sectors.
#[inline]
pub(super) fn extent_of_bytes(offset: &[u8], size: &[u8]) -> Result<(u64, u32), Fault> {
    let offset = whole(offset).ok_or(Fault { field: "offset", expected: "a whole number of bytes" })?;
    let size = whole(size).filter(|&bytes| bytes > 0);
    let size = size.ok_or(Fault { field: "size", expected: "a whole number of bytes, at least 1" })?;
    let start = offset / u64::from(SECTOR_BYTES);
    let end = offset.saturating_add(size).div_ceil(u64::from(SECTOR_BYTES));
    bounded(start, end - start, "offset")
}

#[inline]
fn bounded(start: u64, sectors: u64, address: &'static str) -> Result<(u64, u32), Fault> {
    let Ok(short) = u32::try_from(sectors) else {
        return Err(Fault { field: "size", expected: "less than 2 TiB" });
    };
    if start.saturating_add(sectors) > MAX_SECTOR {
        return Err(Fault { field: address, expected: "an address below 1 EiB" });
    }
    Ok((start, short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_are_digits_and_fit_64_bits() {
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        for bad in ["", "-1", "+1", "1.0", "1e3", " 1", "18446744073709551616", "/", ":"] {
            assert_eq!(whole(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn decimals_are_kept_exactly_and_the_rest_is_cut_off() {
        assert_eq!(fixed_point(b"223.412", 6), Some(223_412_000));
        assert_eq!(fixed_point(b"0.0000019", 6), Some(1));
        assert_eq!(fixed_point(b"5", 6), Some(5_000_000));
        assert_eq!(fixed_point(b"5.", 6), Some(5_000_000));
        for bad in ["", ".5", "1.2.3", "1.x", "1.1234567x", "1e3", "99999999999999.0"] {
            assert_eq!(fixed_point(bad.as_bytes(), 6), None, "{bad:?}");
        }
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
