//! Parsing of operations and device numbers.

use super::super::{LineFault, ParsedLine};
use super::number::whole;
use crate::request::Op;

/// Parses a device number, which is used as the queue number.
#[inline]
pub(in super::super) fn device(field: &[u8], name: &'static str) -> Result<u16, LineFault> {
    device_numbered(whole(field), name)
}

/// Returns the queue number for a device number that was already parsed.
#[inline]
pub(in super::super) fn device_numbered(number: Option<u64>, name: &'static str) -> Result<u16, LineFault> {
    let number = number.and_then(|number| u16::try_from(number).ok());
    number.ok_or(LineFault { field: name, expected: "a whole number from 0 to 65535" })
}

/// Returns the pattern set of a request, given the number in its row: 0 for all operations but a search.
#[inline]
pub(in super::super) fn pattern_set(op: Op, number: Option<u64>) -> Result<u8, LineFault> {
    if op != Op::Search {
        return Ok(0);
    }
    let number = number.and_then(|number| u8::try_from(number).ok());
    number.ok_or(LineFault { field: "pattern_set", expected: "a whole number from 0 to 255" })
}

/// Parses the letter `R` or `W`, in any case.
#[inline]
pub(in super::super) fn op_letter(field: &[u8]) -> Option<Op> {
    match field {
        b"R" | b"r" => Some(Op::Read),
        b"W" | b"w" => Some(Op::Write),
        _ => None,
    }
}

/// Parses the word `Read` or `Write`, in any case.
#[inline]
pub(in super::super) fn op_word(field: &[u8]) -> Result<Op, LineFault> {
    if field.eq_ignore_ascii_case(b"read") {
        Ok(Op::Read)
    } else if field.eq_ignore_ascii_case(b"write") {
        Ok(Op::Write)
    } else {
        Err(LineFault { field: "type", expected: "`Read` or `Write`" })
    }
}

/// Words for trims, and letters that Linux's block layer uses for them.
const TRIM_WORDS: [&str; 7] = ["discard", "trim", "unmap", "erase", "d", "ds", "de"];
const FLUSH_WORDS: [&str; 9] = ["flush", "sync", "fsync", "datasync", "fdatasync", "f", "ff", "fn", "fs"];
const ZEROES_WORDS: [&str; 2] = ["write_zeroes", "write zeroes"];
const OTHER_WORDS: [&str; 2] = ["barrier", "n"];

/// Flags that Linux's block layer appends to `R` or `W`: FUA, read-ahead, synchronous, metadata, atomic.
const FLAG_LETTERS: &[u8] = b"FASMU";

/// Parses words and letters for operations that have a unique meaning, in any case. An inner `None` stands
/// for an operation other than read and write.
#[inline]
pub(in super::super) fn plain_op(field: &[u8]) -> Result<Option<Op>, LineFault> {
    match op_letter(field) {
        Some(op) => Ok(Some(op)),
        None => op_word(field).map(Some).or_else(|_| rare_op(field)),
    }
}

/// Returns true if [`plain_op`] accepts a field.
pub(in super::super) fn is_plain_op(field: &[u8]) -> bool {
    plain_op(field).is_ok()
}

#[cold]
fn rare_op(field: &[u8]) -> Result<Option<Op>, LineFault> {
    let letters = field.strip_prefix(b"F").unwrap_or(field);
    if let [first, flags @ ..] = letters
        && flags.iter().all(|flag| FLAG_LETTERS.contains(flag))
        && let Some(op) = op_letter(&[*first])
    {
        let is_durable = op == Op::Write && flags.contains(&b'F');
        return Ok(Some(if is_durable { Op::FuaWrite } else { op }));
    }
    if is_among(&ZEROES_WORDS, field) {
        return Ok(Some(Op::WriteZeroes));
    }
    if let Some(op @ (Op::FuaWrite | Op::DeallocateZeroes | Op::TrimRange | Op::Search)) =
        std::str::from_utf8(field).ok().and_then(Op::by_name)
    {
        return Ok(Some(op));
    }
    if other_op(field) != ParsedLine::OtherOp || is_among(&OTHER_WORDS, field) {
        return Ok(None);
    }
    let expected =
        "R, W, Read, Write, write_fua, write_zeroes, trim or flush; op:READ:WRITE describes other spellings";
    Err(LineFault { field: "op", expected })
}

/// Returns the parsed row for an operation other than read and write.
#[cold]
pub(in super::super) fn other_op(field: &[u8]) -> ParsedLine {
    if is_among(&TRIM_WORDS, field) {
        ParsedLine::Trim
    } else if is_among(&FLUSH_WORDS, field) {
        ParsedLine::Flush
    } else {
        ParsedLine::OtherOp
    }
}

fn is_among(words: &[&str], field: &[u8]) -> bool {
    words.iter().any(|word| field.eq_ignore_ascii_case(word.as_bytes()))
}

/// Parses 1 as read and 0 as write, the convention of `DiskSim` and its successors.
#[inline]
pub(in super::super) fn op_1_reads(field: &[u8]) -> Result<Op, LineFault> {
    match whole(field) {
        Some(1) => Ok(Op::Read),
        Some(0) => Ok(Op::Write),
        _ => Err(LineFault { field: "op", expected: "1 (read) or 0 (write)" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_operations_are_words_and_letters_that_mean_one_thing() {
        for (field, op) in [
            ("R", Some(Op::Read)),
            ("write", Some(Op::Write)),
            ("READ", Some(Op::Read)),
            ("RA", Some(Op::Read)),
            ("WFS", Some(Op::FuaWrite)),
            ("FWFSM", Some(Op::FuaWrite)),
            ("FWS", Some(Op::Write)),
            ("write_zeroes", Some(Op::WriteZeroes)),
            ("write_zeroes_deac", Some(Op::DeallocateZeroes)),
            ("write_fua", Some(Op::FuaWrite)),
            ("Discard", None),
            ("FN", None),
            ("fsync", None),
        ] {
            assert_eq!(plain_op(field.as_bytes()), Ok(op), "{field}");
        }
        for field in ["", "1", "rd", "WAIT", "RESET", "x", "FX"] {
            assert!(plain_op(field.as_bytes()).is_err(), "{field}");
        }
        let others = ["TRIM", "FF", "barrier", "x"].map(|field| other_op(field.as_bytes()));
        assert_eq!(others, [ParsedLine::Trim, ParsedLine::Flush, ParsedLine::OtherOp, ParsedLine::OtherOp]);
    }
}
