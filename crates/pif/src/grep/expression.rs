//! Translation of POSIX extended regular expressions, as read by GNU `grep -E`, to the syntax of the `regex`
//! crates.
//!
//! # What it models
//!
//! The syntax of GNU grep 3.8 in the C locale. It includes bytes, `[[:alpha:]]`, intervals,
//! `\w \W \s \S \b \B \< \>`, and anchors at any position. A repetition operator without an operand is
//! ignored, and an invalid interval is literal text. No match contains a newline. Word boundaries can follow
//! the rules of a UTF-8 locale ([`Options::unicode_words`]).
//!
//! # What is left out
//!
//! Back-references, which no finite automaton can match; an expression with a back-reference is an error.

use std::fmt::Write;

use thiserror::Error;

use super::Options;

/// Invalid or unsupported expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid regular expression `{expression}`: {reason}")]
pub struct ExpressionError {
    /// Expression as given by the user.
    pub expression: String,
    /// Reason why the expression is not accepted.
    pub reason: &'static str,
}

/// Returns an expression in the syntax of the `regex` crates that matches exactly `byte`.
pub fn literal(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() { char::from(byte).into() } else { format!(r"\x{byte:02X}") }
}

/// Returns a word-boundary assertion. It follows Unicode rules if [`Options::unicode_words`] is set.
pub fn boundary(assertion: &str, options: &Options) -> String {
    if options.unicode_words { format!("(?u:{assertion})") } else { assertion.to_owned() }
}

/// Returns true if an expression has no operators, so that it matches exactly one text.
pub fn is_text(expression: &[u8]) -> bool {
    let mut bytes = expression.iter();
    while let Some(byte) = bytes.next() {
        let is_sign = match byte {
            b'\\' => bytes.next().is_none_or(|next| !next.is_ascii_punctuation() || b"<>`'".contains(next)),
            byte => b"$*.[^(+?{|)".contains(byte),
        };
        if is_sign {
            return false;
        }
    }
    true
}

/// Returns the expression in the syntax of the `regex` crates, for bytes and multiple lines.
///
/// # Errors
/// [`ExpressionError`] for an invalid expression or a back-reference.
pub fn translated(expression: &[u8], options: &Options) -> Result<String, ExpressionError> {
    let mut parser = Parser { rest: expression, options, depth: 0 };
    let whole = parser.alternatives().and_then(|text| match parser.rest {
        [] => Ok(text),
        _ => Err("`)` without `(`"),
    });
    let expression = || String::from_utf8_lossy(expression).into_owned();
    whole.map_err(|reason| ExpressionError { expression: expression(), reason })
}

struct Parser<'a> {
    rest: &'a [u8],
    options: &'a Options,
    depth: u32,
}

type ParseResult<T> = Result<T, &'static str>;

/// Maximum nesting depth of parentheses.
const DEEPEST: u32 = 100;
/// Maximum count of an interval, as in GNU grep.
const MAX_REPEAT_COUNT: u32 = 32_767;

impl Parser<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, prefix: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn alternatives(&mut self) -> ParseResult<String> {
        let mut text = self.sequence()?;
        while self.take(b"|") {
            text.push('|');
            text.push_str(&self.sequence()?);
        }
        Ok(text)
    }

    fn sequence(&mut self) -> ParseResult<String> {
        let mut text = String::new();
        while let Some(&next) = self.rest.first() {
            if next == b'|' || (next == b')' && self.depth > 0) {
                break;
            }
            // A repetition operator at the start has no operand and is ignored.
            if self.repetition()?.is_some() {
                continue;
            }
            let Some(mut piece) = self.piece()? else { break };
            while let Some(times) = self.repetition()? {
                // A repetition operator after `^` is also ignored.
                if piece != "^" {
                    piece = format!("(?:{piece}){times}");
                }
            }
            text.push_str(&piece);
        }
        Ok(text)
    }

    fn piece(&mut self) -> ParseResult<Option<String>> {
        if self.rest.first() == Some(&b')') {
            return Ok(None);
        }
        let Some(first) = self.next() else { return Ok(None) };
        let piece = match first {
            b'(' => self.group()?,
            b'[' => self.bracket()?,
            b'.' => r"[^\n]".into(),
            b'^' => "^".into(),
            b'$' => "$".into(),
            b'\\' => self.escape()?,
            byte => literal(byte),
        };
        Ok(Some(piece))
    }

    fn group(&mut self) -> ParseResult<String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("its parentheses are nested too deeply");
        }
        let inner = self.alternatives()?;
        self.depth -= 1;
        if self.take(b")") { Ok(format!("(?:{inner})")) } else { Err("`(` without `)`") }
    }

    fn escape(&mut self) -> ParseResult<String> {
        let Some(byte) = self.next() else { return Err("it ends with a backslash") };
        Ok(match byte {
            b'<' => boundary(r"\b{start}", self.options),
            b'>' => boundary(r"\b{end}", self.options),
            b'b' => boundary(r"\b", self.options),
            b'B' => boundary(r"\B", self.options),
            b'w' => "[0-9A-Za-z_]".into(),
            b'W' => r"[^0-9A-Za-z_\n]".into(),
            b's' => r"[\t\x0B\x0C\r ]".into(),
            b'S' => r"[^\t\x0B\x0C\r \n]".into(),
            b'`' => "^".into(),
            b'\'' => "$".into(),
            b'1'..=b'9' => return Err("back-references are not supported"),
            byte => literal(byte),
        })
    }

    /// Parses a repetition operator, if there is one at the current position.
    fn repetition(&mut self) -> ParseResult<Option<String>> {
        for (sign, text) in [(b"*", "*"), (b"+", "+"), (b"?", "?")] {
            if self.take(sign) {
                return Ok(Some(text.into()));
            }
        }
        let Some((least, most, rest)) = interval(self.rest) else { return Ok(None) };
        if least.max(most.unwrap_or(0)) > MAX_REPEAT_COUNT {
            return Err("a repetition count is too large");
        }
        if most.is_some_and(|most| most < least) {
            return Err("the minimum of a repetition is above its maximum");
        }
        self.rest = rest;
        Ok(Some(most.map_or(format!("{{{least},}}"), |most| format!("{{{least},{most}}}"))))
    }

    fn bracket(&mut self) -> ParseResult<String> {
        let is_negated = self.take(b"^");
        let mut set = [false; 256];
        let mut members = Vec::new();
        while members.is_empty() || !self.take(b"]") {
            members.push(self.member(&mut set)?);
        }
        if is_class_without_brackets(&members) {
            return Err("a character class is written `[[:space:]]`, not `[:space:]`");
        }
        if self.options.ignores_case {
            for letter in b'a'..=b'z' {
                let either = set[usize::from(letter)] | set[usize::from(letter.to_ascii_uppercase())];
                set[usize::from(letter)] = either;
                set[usize::from(letter.to_ascii_uppercase())] = either;
            }
        }
        if is_negated {
            for has in &mut set {
                *has = !*has;
            }
        }
        set[usize::from(b'\n')] = false;
        Ok(class(&set))
    }

    /// Parses a byte, a range or a named class, and adds it to the set. Returns the byte if it was written
    /// literally.
    fn member(&mut self, set: &mut [bool; 256]) -> ParseResult<Option<u8>> {
        let before = self.rest.len();
        if self.take(b"[:") {
            let end = self.rest.windows(2).position(|two| two == b":]").ok_or("`[:` without `:]`")?;
            let is = class_of(&self.rest[..end]).ok_or("unknown character class")?;
            self.rest = &self.rest[end + 2..];
            for byte in (0..=u8::MAX).filter(is) {
                set[usize::from(byte)] = true;
            }
            return Ok(None);
        }
        let first = self.element()?;
        if self.rest.first() == Some(&b'-') && self.rest.get(1).is_some_and(|&next| next != b']') {
            self.next();
            let last = self.element()?;
            if last < first {
                return Err("a range ends before it starts");
            }
            (first..=last).for_each(|byte| set[usize::from(byte)] = true);
        }
        set[usize::from(first)] = true;
        Ok((before - self.rest.len() == 1).then_some(first))
    }

    /// Parses a byte, which may be written as `[.-.]` or `[=a=]`.
    fn element(&mut self) -> ParseResult<u8> {
        const UNFINISHED: &str = "`[` without `]`";
        for sign in [b'.', b'='] {
            if let [b'[', open, byte, close, b']', rest @ ..] = self.rest
                && (*open, *close) == (sign, sign)
            {
                self.rest = rest;
                return Ok(*byte);
            }
        }
        self.next().ok_or(UNFINISHED)
    }
}

/// Returns true for a set such as `[:space:]`, which GNU grep reports as an error.
fn is_class_without_brackets(members: &[Option<u8>]) -> bool {
    let [Some(b':'), name @ .., Some(b':')] = members else { return false };
    members.iter().all(Option::is_some) && name.iter().any(|&byte| byte != Some(b':'))
}

/// Parses `{n}`, `{n,}`, `{,m}` or `{n,m}`. Returns the counts and the remaining text.
fn interval(text: &[u8]) -> Option<(u32, Option<u32>, &[u8])> {
    let inner = text.strip_prefix(b"{")?;
    let end = memchr::memchr(b'}', inner)?;
    let (count, rest) = (std::str::from_utf8(&inner[..end]).ok()?, &inner[end + 1..]);
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().unwrap_or(u32::MAX));
    match count.split_once(',') {
        None if count.is_empty() => None,
        None => number(count).map(|times| (times, Some(times), rest)),
        Some((least, most)) => {
            let least = if least.is_empty() { 0 } else { number(least)? };
            Some((least, if most.is_empty() { None } else { Some(number(most)?) }, rest))
        }
    }
}

fn class_of(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alpha" => u8::is_ascii_alphabetic,
        b"digit" => u8::is_ascii_digit,
        b"alnum" => u8::is_ascii_alphanumeric,
        b"upper" => u8::is_ascii_uppercase,
        b"lower" => u8::is_ascii_lowercase,
        b"space" => |byte| byte.is_ascii_whitespace() || *byte == 0x0b,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"punct" => u8::is_ascii_punctuation,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"graph" => u8::is_ascii_graphic,
        b"cntrl" => u8::is_ascii_control,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Returns the expression of the `regex` crates that matches the bytes of a set. If case is ignored, the set
/// must contain both cases of its letters.
fn class(set: &[bool; 256]) -> String {
    let mut text = String::from("(?-i:[");
    for byte in (0..=u8::MAX).filter(|&byte| set[usize::from(byte)]) {
        write!(text, r"\x{byte:02X}").expect("a string takes everything");
    }
    if !set.contains(&true) {
        return r"[^\x00-\xFF]".into();
    }
    text + "])"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(expression: &str) -> String {
        translated(expression.as_bytes(), &Options::default()).unwrap()
    }

    #[test]
    fn literal_and_special_characters_are_distinguished() {
        assert_eq!(of("a+b"), "(?:a)+b");
        assert_eq!(of("*a|+b|^*c"), "a|b|^c");
        assert_eq!(of("a{2,}{x}"), r"(?:a){2,}\x7Bx\x7D");
        assert_eq!(of(r"\.\<(x|)$"), r"\x2E\b{start}(?:x|)$");
        assert_eq!(of("[]b-d]"), r"(?-i:[\x5D\x62\x63\x64])");
        assert_eq!(of("[a-]"), r"(?-i:[\x2D\x61])");
        assert_eq!(
            translated(b"[k]", &Options { ignores_case: true, ..Options::default() }).unwrap(),
            r"(?-i:[\x4B\x6B])"
        );
        assert!(!of("[^a]").contains(r"\x0A"));
    }

    #[test]
    fn colons_that_begin_and_end_no_name_are_members_of_a_set() {
        for expression in [
            "[:]",
            "[::]",
            "[:::]",
            "[:a]",
            "[a:]",
            "[:a:b]",
            "[:a-c:]",
            "[:a:-z]",
            "[:+-:]",
            "[:[:alpha:]:]",
            "[:[.a.]:]",
            "[[:digit:]:a:]",
            "[:]a:]",
        ] {
            assert!(translated(expression.as_bytes(), &Options::default()).is_ok(), "{expression}");
        }
    }

    #[test]
    fn texts_and_expressions_are_distinguished() {
        for (expression, expected) in
            [("a-b", true), (r"a\.b", true), (r"\<a", false), (r"\w", false), ("a|b", false), ("", true)]
        {
            assert_eq!(is_text(expression.as_bytes()), expected, "{expression}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let reason = |expression: &str| {
            translated(expression.as_bytes(), &Options::default()).unwrap_err().to_string()
        };
        assert_eq!(
            reason(r"(a)\1"),
            r"invalid regular expression `(a)\1`: back-references are not supported"
        );
        for (expression, part) in [
            ("(a", "`(` without"),
            ("a)", "`)` without"),
            ("[a", "`[` without"),
            ("a\\", "backslash"),
            ("[[:nope:]]", "unknown character class"),
            ("[b-a]", "range"),
            ("[:space:]", "not `[:space:]`"),
            ("x|([^:a:])", "not `[:space:]`"),
            ("[:::a::]", "not `[:space:]`"),
            ("a{2,1}", "above its maximum"),
            ("a{99999}", "too large"),
        ] {
            assert!(reason(expression).contains(part), "{expression}: {}", reason(expression));
        }
    }
}
