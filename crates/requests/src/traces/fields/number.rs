//! Parsing of numbers from bytes. It does not allocate, because it runs for every column of every request.
//!
//! Plain digits are parsed in one pass. [`Decimal`] parses other notations of integers (`8192.0`, `1.5e9`)
//! exactly, without floating point.

use super::split::{blank_field, is_blank, skip_blanks};

/// Maximum number of decimal digits that always fit into 64 bits.
const SAFE_DIGITS: usize = 19;

/// Maximum accepted exponent. Numbers with larger exponents exceed 64 bits.
const MAX_EXPONENT: i32 = 99;

/// Parses an integer, which may have a decimal point (`8192.0`) or an exponent (`1.5e9`).
#[inline]
pub(in super::super) fn whole(field: &[u8]) -> Option<u64> {
    digits(field).or_else(|| exact(field))
}

/// Removes an integer from the front of `rest`, up to the next blanks or tabs, and returns it. Combines
/// [`blank_field`] and [`whole`] in one pass over the digits.
#[inline]
pub(in super::super) fn blank_whole(rest: &mut &[u8]) -> Option<u64> {
    let text = *rest;
    let (mut number, mut place) = (0_u64, 0);
    while let Some(digit) = text.get(place).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        // Overflows only with too many digits, which the length check below detects.
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        place += 1;
    }
    let is_whole = text.get(place).is_none_or(|&byte| is_blank(byte));
    if !is_whole || !(1..=SAFE_DIGITS).contains(&place) {
        return whole(blank_field(rest));
    }
    *rest = &text[place..];
    skip_blanks(rest);
    Some(number)
}

/// Parses a decimal number, which may have an exponent, in units of 10^-`decimals`. Further digits are
/// truncated.
#[inline]
pub(in super::super) fn fixed_point(field: &[u8], decimals: u32) -> Option<u64> {
    plain_decimal(field, decimals).or_else(|| Some(Decimal::of(field)?.scaled(decimals)?.number))
}

/// Returns true if a field consists of digits.
pub(in super::super) fn is_digits(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// Parses a number that consists of decimal digits only.
#[inline]
fn digits(field: &[u8]) -> Option<u64> {
    append_digits(0, field).filter(|_| !field.is_empty())
}

#[cold]
fn exact(field: &[u8]) -> Option<u64> {
    Decimal::of(field)?.scaled(0).filter(|scaled| scaled.is_exact).map(|scaled| scaled.number)
}

/// Parses a number that may have a decimal point but has no exponent.
#[inline]
fn plain_decimal(field: &[u8], decimals: u32) -> Option<u64> {
    let point = field.iter().position(|&byte| byte == b'.').unwrap_or(field.len());
    let fraction = field.get(point + 1..).unwrap_or_default();
    let (kept, cut) = fraction.split_at(fraction.len().min(decimals as usize));
    if !cut.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let scaled = append_digits(digits(&field[..point])?, kept)?;
    scaled.checked_mul(10_u64.pow(decimals - kept.len() as u32))
}

/// Returns the number formed by the decimal digits of `head` followed by `digits`.
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

/// Parses at most [`SAFE_DIGITS`] digits, without overflow checks.
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

/// Number in decimal notation, split into the digits before and after the point and the exponent of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Decimal<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i32,
}

/// Number as a multiple of a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct ScaledNumber {
    /// Multiple of the power of ten, rounded down.
    pub(in super::super) number: u64,
    /// True if nothing was lost by rounding down.
    pub(in super::super) is_exact: bool,
}

impl<'a> Decimal<'a> {
    /// Splits the text of a number. Returns `None` for a negative number and for text that is not a number.
    pub(in super::super) fn of(field: &'a [u8]) -> Option<Self> {
        let e = field.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e'));
        let exponent = e.map_or(Some(0), |e| exponent(&field[e + 1..]))?;
        let mantissa = &field[..e.unwrap_or(field.len())];
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let (whole, fraction) = (&mantissa[..point], mantissa.get(point + 1..).unwrap_or_default());
        let has_digits = !(whole.is_empty() && fraction.is_empty());
        let is_sound = has_digits && whole.iter().chain(fraction).all(u8::is_ascii_digit);
        is_sound.then_some(Self { whole, fraction, exponent })
    }

    /// Returns the number of digits before the zeros that the exponent appends; `None` if it appends none.
    pub(in super::super) fn digits_before_padding(&self) -> Option<usize> {
        let is_padded = usize::try_from(self.exponent).is_ok_and(|exponent| exponent > self.fraction.len());
        is_padded.then(|| self.whole.len() + self.fraction.len())
    }

    /// Returns the number in units of 10^-`decimals`; `None` if it exceeds 64 bits.
    pub(in super::super) fn scaled(&self, decimals: u32) -> Option<ScaledNumber> {
        let shift = i64::from(self.exponent) + i64::from(decimals);
        let point = i64::try_from(self.whole.len()).ok()?.saturating_add(shift);
        let mut digits = self.whole.iter().chain(self.fraction).map(|byte| byte - b'0');
        let mut number = 0_u64;
        for _ in 0..point {
            number = number.checked_mul(10)?.checked_add(digits.next().unwrap_or(0).into())?;
        }
        Some(ScaledNumber { number, is_exact: digits.all(|digit| digit == 0) })
    }
}

fn exponent(text: &[u8]) -> Option<i32> {
    let (is_negative, size) = match text {
        [b'-', size @ ..] => (true, size),
        [b'+', size @ ..] | size => (false, size),
    };
    let size = digits(size).and_then(|size| i32::try_from(size).ok()).filter(|&size| size <= MAX_EXPONENT)?;
    Some(if is_negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_fit_64_bits_and_have_no_sign() {
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        for bad in ["", "-1", "+1", " 1", "18446744073709551616", "/", ":", ".", "e", "1.5", "0.1"] {
            assert_eq!(whole(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn whole_numbers_written_as_decimals_or_with_exponents_are_exact() {
        for (text, number) in [
            ("8192.0", 8_192),
            ("8792731648.000", 8_792_731_648),
            ("5.9e10", 59_000_000_000),
            ("1.577808144360767e15", 1_577_808_144_360_767),
            ("1.82083E+11", 182_083_000_000),
            ("1E3", 1_000),
            ("1.5e1", 15),
            ("1500e-2", 15),
            ("0e0", 0),
            ("0.000", 0),
            ("0e-7", 0),
            ("1.8446744073709551615E+19", u64::MAX),
        ] {
            assert_eq!(whole(text.as_bytes()), Some(number), "{text}");
        }
        for bad in
            ["E", "1E", "E5", "-1E3", "1E-3", "1.55E1", "1E20", "1E+19999999999", "2E19", "1E3E3", "1e+-3"]
        {
            assert_eq!(whole(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn decimals_are_kept_exactly_and_the_rest_is_cut_off() {
        for (text, number) in [
            ("223.412", 223_412_000),
            ("0.0000019", 1),
            ("5", 5_000_000),
            ("5.", 5_000_000),
            (".5", 500_000),
            ("1e3", 1_000_000_000),
            ("1.9e-6", 1),
            ("1e-60", 0),
            ("1.577808144360767e9", 1_577_808_144_360_767),
        ] {
            assert_eq!(fixed_point(text.as_bytes(), 6), Some(number), "{text}");
        }
        for bad in ["", ".", "1.2.3", "1.x", "1.1234567x", "99999999999999.0", "-1.0"] {
            assert_eq!(fixed_point(bad.as_bytes(), 6), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn a_number_in_one_pass_is_the_number_of_its_column(line in "[0-9a. \t]{0,24}|[0-9]{18,22}[ \t]?x?|\"[0-9. ]{0,4}\"[ x]?") {
            let (mut once, mut twice) = (line.as_bytes(), line.as_bytes());
            let number = blank_whole(&mut once);
            prop_assert_eq!(number, whole(blank_field(&mut twice)));
            prop_assert!(number.is_none() || once == twice);
        }

        #[test]
        fn a_number_is_the_same_in_every_notation(number: u64, decimals in 0_u32..20) {
            let point = 10_u128.pow(decimals);
            let (head, tail) = (u128::from(number) / point, u128::from(number) % point);
            let scientific = format!("{head}.{tail:0width$}e{decimals}", width = decimals as usize);
            for text in [number.to_string(), format!("{number}.0"), scientific] {
                prop_assert_eq!(whole(text.as_bytes()), Some(number), "{}", text);
            }
        }
    }
}
