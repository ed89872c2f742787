//! Detection of numbers that another program has rounded.
//!
//! Spreadsheets, R and C's `%g` write large numbers with an exponent and few digits, such as `1.28166E+17`.
//! Programs that keep all digits write this form only for numbers that happen to be round. A file is
//! therefore considered rounded if no number with an exponent has more digits than a 32-bit float, and at
//! least one has nearly as many.

use super::fields::Decimal;

/// Number of significant digits of rounded numbers: six from C's `%g`, seven from R.
const ROUNDED_DIGITS: std::ops::RangeInclusive<usize> = 6..=7;

/// Returns a remark if numbers in these lines have lost digits.
pub(super) fn remark(lines: &[&[u8]]) -> Option<String> {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'|' | b' ' | b'\t' | b'"');
    let fields = lines.iter().flat_map(|line| line.split(is_separator));
    let padded: Vec<(&[u8], usize)> =
        fields.filter_map(|field| Some((field, Decimal::of(field)?.digits_before_padding()?))).collect();
    let &(field, most) = padded.iter().max_by_key(|&&(_, digits)| digits)?;
    ROUNDED_DIGITS.contains(&most).then(|| {
        let field = String::from_utf8_lossy(field);
        format!("numbers like `{field}` were rounded before they were written: addresses and gaps finer than their digits are lost")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_rounded(text: &str) -> bool {
        remark(&text.lines().map(str::as_bytes).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn few_digits_and_a_large_exponent_are_the_mark_of_rounding() {
        assert!(is_rounded("1.28166E+17,prx,1,Write,383496192,32768,400"));
        assert!(is_rounded("128166465299119000 \tRead\t1.82083E+11\t4096"));
        for text in [
            "1.577808144360767e15,R,5.9e10,4096",
            "1.577808144360767e9,R,0,512",
            "5.9e10,R,0,512",
            "1.28166E+5,R,0,512",
            "128166372003061629,prx,1,Write,383496192,32768,400",
            "1.28166E+17,R,0,512\n1.28166372E+17,R,0,512",
        ] {
            assert!(!is_rounded(text), "{text}");
        }
    }
}
