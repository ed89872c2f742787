//! Columns of a line, read from bytes without an allocation: this runs once per column of every request.

use super::Fault;
use crate::request::{Op, SECTOR_BYTES};

/// Addresses end here: 2^51 sectors, an exbibyte. Beyond it a number is damage, not an address.
pub(super) const MAX_SECTOR: u64 = 1 << 51;

/// Decimal digits that fit 64 bits whatever they are.
const SAFE_DIGITS: usize = 19;

/// Powers of ten that 64 bits hold.
const MAX_EXPONENT: u32 = 19;

/// Takes the column up to the next comma off the front of `rest`; empty when there is none left.
#[inline]
pub(super) fn comma_field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let end = rest.iter().position(|&byte| byte == b',');
    let (field, after) = end.map_or((*rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
    *rest = after;
    field.trim_ascii()
}

/// The line has this many columns and no more.
#[inline]
pub(super) fn ends(rest: &[u8], expected: &'static str) -> Result<(), Fault> {
    if rest.is_empty() { Ok(()) } else { Err(Fault { field: "line", expected }) }
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

/// Takes a whole number up to the next blanks or tabs off the front of `rest`: [`blank_field`] and [`whole`] in one
/// pass over the digits.
#[inline]
pub(super) fn blank_whole(rest: &mut &[u8]) -> Option<u64> {
    let text = *rest;
    let (mut number, mut place) = (0_u64, 0);
    while let Some(digit) = text.get(place).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        // Wraps only where there are too many digits, which are counted below.
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        place += 1;
    }
    match text.get(place) {
        _ if !(1..=SAFE_DIGITS).contains(&place) => whole(blank_field(rest)),
        None => {
            *rest = &[];
            Some(number)
        }
        Some(b' ' | b'\t') => {
            let after = &text[place..];
            let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            *rest = &after[blanks..];
            Some(number)
        }
        Some(_) => None,
    }
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
    if head == 0 && digits.len() <= SAFE_DIGITS {
        return safe_digits(digits);
    }
    digits.iter().try_fold(head, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// As [`append_digits`], where nothing can overflow.
#[inline]
fn safe_digits(digits: &[u8]) -> Option<u64> {
    let mut number = 0;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number)
}

/// A whole number, also as a spreadsheet writes it: `1.82083E+11`.
#[inline]
pub(super) fn whole_or_scientific(field: &[u8]) -> Option<u64> {
    whole(field).or_else(|| scientific(field))
}

#[cold]
fn scientific(field: &[u8]) -> Option<u64> {
    let e = field.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e'))?;
    let exponent = &field[e + 1..];
    let exponent = whole(exponent.strip_prefix(b"+").unwrap_or(exponent))?;
    let exponent = u32::try_from(exponent).ok().filter(|&exponent| exponent <= MAX_EXPONENT)?;
    let decimals = field[..e].iter().position(|&byte| byte == b'.').map_or(0, |point| e - point - 1);
    // More decimals than the exponent moves would leave a fraction.
    (decimals <= exponent as usize).then(|| fixed_point(&field[..e], exponent))?
}

/// A device number, kept as the queue.
#[inline]
pub(super) fn device(field: &[u8], name: &'static str) -> Result<u16, Fault> {
    device_numbered(whole(field), name)
}

/// As [`device`], of a number that was read.
#[inline]
pub(super) fn device_numbered(number: Option<u64>, name: &'static str) -> Result<u16, Fault> {
    let number = number.and_then(|number| u16::try_from(number).ok());
    number.ok_or(Fault { field: name, expected: "a whole number from 0 to 65535" })
}

/// `R` or `W` and nothing longer.
#[inline]
pub(super) fn op_letter(field: &[u8]) -> Option<Op> {
    match field {
        b"R" | b"r" => Some(Op::Read),
        b"W" | b"w" => Some(Op::Write),
        _ => None,
    }
}

/// `Read` or `Write`, in any case.
#[inline]
pub(super) fn op_word(field: &[u8]) -> Result<Op, Fault> {
    if field.eq_ignore_ascii_case(b"read") {
        Ok(Op::Read)
    } else if field.eq_ignore_ascii_case(b"write") {
        Ok(Op::Write)
    } else {
        Err(Fault { field: "type", expected: "`Read` or `Write`" })
    }
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

/// First sector and number of sectors, which may be none, of an extent given in sectors.
#[inline]
pub(super) fn extent_of_sectors(lba: &[u8], size: &[u8]) -> Result<(u64, u32), Fault> {
    sectors_of(whole(lba), whole(size))
}

/// As [`extent_of_sectors`], in the next two of columns separated by blanks.
#[inline]
pub(super) fn blank_extent_of_sectors(rest: &mut &[u8]) -> Result<(u64, u32), Fault> {
    sectors_of(blank_whole(rest), blank_whole(rest))
}

#[inline]
fn sectors_of(lba: Option<u64>, size: Option<u64>) -> Result<(u64, u32), Fault> {
    let start = lba.ok_or(Fault { field: "lba", expected: "a whole number of sectors" })?;
    let sectors = size.ok_or(Fault { field: "size", expected: "a whole number of sectors" })?;
    bounded(start, sectors, "lba")
}

/// First sector and number of sectors of an extent given in bytes, rounded outwards to whole sectors. No bytes are
/// no sectors.
#[inline]
pub(super) fn extent_of_bytes(offset: &[u8], size: &[u8]) -> Result<(u64, u32), Fault> {
    let offset = whole(offset).ok_or(Fault { field: "offset", expected: "a whole number of bytes" })?;
    let size = whole(size).ok_or(Fault { field: "size", expected: "a whole number of bytes" })?;
    covering(offset, size)
}

/// The least run of sectors that covers these bytes.
#[inline]
pub(super) fn covering(offset: u64, size: u64) -> Result<(u64, u32), Fault> {
    let start = offset / u64::from(SECTOR_BYTES);
    let end = offset.saturating_add(size).div_ceil(u64::from(SECTOR_BYTES));
    bounded(start, if size == 0 { 0 } else { end - start }, "offset")
}

/// An extent inside the addresses there are; a column called `address` says where it begins.
#[inline]
pub(super) fn bounded(start: u64, sectors: u64, address: &'static str) -> Result<(u64, u32), Fault> {
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
    fn a_spreadsheet_s_numbers_are_whole_or_refused() {
        for (text, number) in [
            ("1.82083E+11", 182_083_000_000),
            ("1E3", 1_000),
            ("1.5e1", 15),
            ("17", 17),
            ("1.8446744073709551615E+19", u64::MAX),
        ] {
            assert_eq!(whole_or_scientific(text.as_bytes()), Some(number), "{text}");
        }
        for bad in
            ["", "E", "1E", "E5", "-1E3", "1E-3", "1.55E1", "1E20", "1E+19999999999", "2E19", "1.5", "1E3E3"]
        {
            assert_eq!(whole_or_scientific(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn no_bytes_are_no_sectors_even_inside_a_sector() {
        assert_eq!(extent_of_bytes(b"100", b"0"), Ok((0, 0)));
        assert_eq!(extent_of_sectors(b"7", b"0"), Ok((7, 0)));
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
        fn a_number_in_one_pass_is_the_number_of_its_column(line in "[0-9a. \t]{0,24}|[0-9]{18,22}[ \t]?x?") {
            let (mut once, mut twice) = (line.as_bytes(), line.as_bytes());
            let number = blank_whole(&mut once);
            prop_assert_eq!(number, whole(blank_field(&mut twice)));
            prop_assert!(number.is_none() || once == twice);
        }

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
