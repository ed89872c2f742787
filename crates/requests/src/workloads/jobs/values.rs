//! Parsing of values in fio's notation.

use venice_kernel::SimSpan;

use super::JobProblem;
use super::lines::JobOption;

/// Meaning of unit prefixes: with `kb_base=1024`, fio's default, `k` is 1,024 and `ki` is 1,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum KbBase {
    #[default]
    Compatible,
    Standard,
}

impl JobOption<'_> {
    /// Returns the problem that reports an invalid value. `expected` describes valid values.
    pub(super) fn wrong(&self, expected: &str) -> JobProblem {
        let found = self.value.map_or_else(|| "has no value".to_owned(), |value| format!("is `{value}`"));
        JobProblem::new(self.line, format!("`{}` {found}; expected: {expected}", self.key))
    }

    /// Returns separate values for reads, writes and trims. If there are fewer values, the last one also
    /// applies to the other directions. An empty value stands for fio's default.
    pub(super) fn by_direction(&self) -> Result<[Option<JobOption<'_>>; 3], JobProblem> {
        let value = self.given()?;
        let part = |value| Some(JobOption { value: Some(value), ..*self }).filter(|_| !str::is_empty(value));
        let mut parts = value.split(',').map(str::trim);
        let reads = parts.next().unwrap_or_default();
        let writes = parts.next().unwrap_or(reads);
        let trims = parts.next().unwrap_or(writes);
        if parts.next().is_some() {
            return Err(self.too_many());
        }
        Ok([part(reads), part(writes), part(trims)])
    }

    fn too_many(&self) -> JobProblem {
        self.wrong("at most three values: for reads, writes and trims")
    }

    /// Returns separate numbers for reads, writes and trims. As in fio, a list without a comma is separated by
    /// `:`, or by `-`, whose numbers after the third are ignored (fio 3.42, `parse.c`, `handle_option`).
    pub(super) fn numbers_by_direction(&self) -> Result<[Option<JobOption<'_>>; 3], JobProblem> {
        let part = |value| Some(JobOption { value: Some(value), ..*self });
        let value = self.given()?;
        if value.split(',').count() > 3 {
            return Err(self.too_many());
        }
        let (mut parts, mut rest) = ([None; 3], Some(value));
        for direction in 0..parts.len() {
            let Some(value) = rest else {
                parts[direction] = parts[direction - 1];
                continue;
            };
            let end = [',', ':', '-'].into_iter().find_map(|separator| value.find(separator));
            parts[direction] = Some(&value[..end.unwrap_or(value.len())]);
            rest = end.map(|end| &value[end + 1..]);
        }
        Ok(parts.map(|value| value.map(str::trim).filter(|value| !value.is_empty()).and_then(part)))
    }

    fn given(&self) -> Result<&str, JobProblem> {
        self.value.filter(|value| !value.is_empty()).ok_or_else(|| self.wrong("a value"))
    }

    /// Returns the value of the option, which may contain commas.
    pub(super) fn text_with_commas(&self) -> Result<&str, JobProblem> {
        self.given()
    }

    /// Returns the value as text. Separate values for reads and writes are an error.
    pub(super) fn text(&self) -> Result<&str, JobProblem> {
        let value = self.given()?;
        if value.contains(',') {
            return Err(self.wrong("one value for reads and writes; make two jobs for two values"));
        }
        Ok(value)
    }

    /// Returns the value as an integer from `least` to `most`.
    pub(super) fn number(&self, least: u64, most: u64) -> Result<u64, JobProblem> {
        let number = self.text()?.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.wrong(&format!("a whole number from {least} to {most}")))
    }

    /// Returns the value as a number of bytes, which may have one of fio's suffixes.
    pub(super) fn bytes(&self, base: KbBase) -> Result<u64, JobProblem> {
        let found = bytes(self.text()?, base).filter(|&bytes| bytes > 0);
        found.ok_or_else(|| self.wrong("a number of bytes such as 4096, 4k or 1g"))
    }

    /// Returns the value as a percentage; `None` if it has no per cent sign. Values above 100 are reduced to 100.
    pub(super) fn per_cent(&self) -> Result<Option<f64>, JobProblem> {
        let Some(number) = self.text()?.strip_suffix('%') else { return Ok(None) };
        let pct: Option<f64> = number.trim().parse().ok().filter(|&pct| pct >= 1.0);
        pct.map(|pct| Some(pct.min(100.0))).ok_or_else(|| self.wrong("a number of bytes, or from 1% to 100%"))
    }

    /// Returns the value as a duration. A number without a unit is multiplied by `unit_us`.
    pub(super) fn span(&self, unit_us: f64) -> Result<SimSpan, JobProblem> {
        let span_us = span_us(self.text()?, unit_us).filter(|us| (0.0..=1e12).contains(us));
        span_us
            .map(SimSpan::from_us_f64)
            .ok_or_else(|| self.wrong("a time such as 30, 500us, 10ms, 2s, 5m or 1h, of at most 11 days"))
    }

    /// Returns the value as a Boolean: true for 1 or without a value, false for 0.
    pub(super) fn switch(&self) -> Result<bool, JobProblem> {
        match self.value {
            None | Some("1") => Ok(true),
            Some("0") => Ok(false),
            Some(_) => Err(self.wrong("0 or 1")),
        }
    }
}

/// Splits a text into a number and its suffix.
fn split(text: &str) -> Option<(f64, String)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim().to_ascii_lowercase()))
}

pub(super) fn bytes(text: &str, base: KbBase) -> Option<u64> {
    let (number, unit) = split(text)?;
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (prefix, binary) = match unit.strip_suffix('i') {
        Some(prefix) => (prefix, base == KbBase::Standard),
        None => (unit, base == KbBase::Compatible),
    };
    let prefixes = ["", "k", "m", "g", "t", "p"];
    let (_, power) = prefixes.into_iter().zip(0..).find(|(known, _)| *known == prefix)?;
    let step: f64 = if binary { 1024.0 } else { 1000.0 };
    let bytes = number * step.powi(power);
    (bytes.fract() == 0.0 && bytes < 2_f64.powi(60)).then_some(bytes as u64)
}

pub(super) fn span_us(text: &str, unit_us: f64) -> Option<f64> {
    let (number, unit) = split(text)?;
    let unit_us = match unit.as_str() {
        "" => unit_us,
        "us" | "usec" => 1.0,
        "ms" | "msec" => 1e3,
        "s" => 1e6,
        "m" => 60e6,
        "h" => 3_600e6,
        "d" => 86_400e6,
        _ => return None,
    };
    Some(number * unit_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_mean_what_fio_says_they_do() {
        let table = [
            ("512", 512, 512),
            ("4k", 4096, 4000),
            ("4kb", 4096, 4000),
            ("4KiB", 4000, 4096),
            ("1.5m", 1_572_864, 1_500_000),
            ("2G", 2 << 30, 2_000_000_000),
        ];
        for (text, compatible, standard) in table {
            assert_eq!(bytes(text, KbBase::Compatible), Some(compatible), "{text}");
            assert_eq!(bytes(text, KbBase::Standard), Some(standard), "{text}");
        }
        for text in ["", "k", "4q", "4kk", "-1", "1.0001", "99999999999g"] {
            assert_eq!(bytes(text, KbBase::Compatible), None, "{text}");
        }
    }

    #[test]
    fn times_have_units_or_the_option_s_own() {
        for (text, us) in
            [("3", 3e6), ("3us", 3.0), ("1.5ms", 1500.0), ("2s", 2e6), ("1m", 6e7), ("1d", 864e8)]
        {
            assert_eq!(span_us(text, 1e6), Some(us), "{text}");
        }
        assert_eq!(span_us("3 weeks", 1e6), None);
    }
}
