//! Parsing of a job file into sections.

use super::JobProblem;

/// Name of a section with default options for all later jobs.
pub(super) const GLOBAL: &str = "global";

/// Section of a job file: a job, or default options for all later jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobSection<'a> {
    pub(super) name: &'a str,
    pub(super) line: usize,
    pub(super) entries: Vec<JobOption<'a>>,
}

/// Option in a job file: `key=value`, or `key` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobOption<'a> {
    pub(super) key: &'a str,
    pub(super) value: Option<&'a str>,
    pub(super) line: usize,
}

/// Returns the sections of a job file, and the problems of its invalid lines.
pub(super) fn sections(text: &str) -> (Vec<JobSection<'_>>, Vec<JobProblem>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut sections, mut faults) = (Vec::new(), Vec::new());
    for (line, content) in (1..).zip(text.lines().map(|line| without_comment(line).trim())) {
        if content.is_empty() {
            continue;
        }
        if let Err(fault) = read_line(content, line, &mut sections) {
            faults.push(fault);
        }
    }
    (sections, faults)
}

/// Returns a line without its comment. A comment begins with `#` or `;` at any position, as in fio's
/// `parse.c`.
pub(super) fn without_comment(line: &str) -> &str {
    line.split(['#', ';']).next().unwrap_or_default()
}

/// Adds a line to the current section. A line outside any section is reported as a problem, and starts a
/// section so that further lines are parsed.
fn read_line<'a>(
    content: &'a str,
    line: usize,
    sections: &mut Vec<JobSection<'a>>,
) -> Result<(), JobProblem> {
    let section = |name| JobSection { name, line, entries: Vec::new() };
    if content.starts_with('[') {
        let name = name_of(content, line);
        sections.push(section(name.as_ref().copied().unwrap_or(content)));
        return name.map(|_| ());
    }
    if let Some(section) = sections.last_mut() {
        section.entries.push(entry(content, line)?);
        return Ok(());
    }
    sections.push(section(GLOBAL));
    let message =
        format!("`{content}` precedes the first section; expected: [{GLOBAL}] or a job in brackets");
    Err(JobProblem::new(line, message))
}

/// Returns the name in a section header.
fn name_of(content: &str, line: usize) -> Result<&str, JobProblem> {
    let name = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::trim);
    let wrong = || {
        JobProblem::new(line, format!("invalid section `{content}`; expected: the name of a job in brackets"))
    };
    name.filter(|name| !name.is_empty()).ok_or_else(wrong)
}

fn entry(content: &str, line: usize) -> Result<JobOption<'_>, JobProblem> {
    if content.starts_with("include ") {
        return Err(JobProblem::new(
            line,
            "`include` is not supported; expected: the lines of that file here",
        ));
    }
    let (key, value) = match content.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (content, None),
    };
    Ok(JobOption { key, value, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keep_the_numbers_of_their_lines() {
        let text = "; a comment\n\n[global]\n bs = 4k  # not 8k; nor 16k\n[one] ; a job\r\n# another\ntime_based # a switch\n";
        let entry = |key, value, line| JobOption { key, value, line };
        let expected = vec![
            JobSection { name: "global", line: 3, entries: vec![entry("bs", Some("4k"), 4)] },
            JobSection { name: "one", line: 5, entries: vec![entry("time_based", None, 7)] },
        ];
        assert_eq!(sections(text), (expected, Vec::new()));
    }
}
