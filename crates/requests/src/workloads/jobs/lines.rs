//! Lines to sections.

use super::Fault;

/// A job, or a part of what is global.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) line: usize,
    pub(super) entries: Vec<Entry<'a>>,
}

/// `key=value`, or `key` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) key: &'a str,
    pub(super) value: Option<&'a str>,
    pub(super) line: usize,
}

/// The sections of a file. Blank lines and lines that begin with `#` or `;` say nothing.
pub(super) fn sections(text: &str) -> Result<Vec<Section<'_>>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = name_of(content, line)? {
            sections.push(Section { name, line, entries: Vec::new() });
            continue;
        }
        let section = sections.last_mut().ok_or_else(|| {
            Fault::new(
                line,
                format!("`{content}` stands before the first section; begin with [global] or a job"),
            )
        })?;
        section.entries.push(entry(content, line)?);
    }
    Ok(sections)
}

/// The name in brackets, if the line is the head of a section.
fn name_of(content: &str, line: usize) -> Result<Option<&str>, Fault> {
    let Some(rest) = content.strip_prefix('[') else { return Ok(None) };
    match rest.strip_suffix(']').map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => Ok(Some(name)),
        None => Err(Fault::new(line, format!("`{content}` should be the name of a job in brackets"))),
    }
}

fn entry(content: &str, line: usize) -> Result<Entry<'_>, Fault> {
    if content.starts_with("include ") {
        return Err(Fault::new(line, "`include` is not read; copy the file's lines here"));
    }
    let (key, value) = match content.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (content, None),
    };
    Ok(Entry { key, value, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keep_the_numbers_of_their_lines() {
        let text = "; a comment\n\n[global]\n bs = 4k \n[one]\r\n# another\ntime_based\n";
        let entry = |key, value, line| Entry { key, value, line };
        let expected = [
            Section { name: "global", line: 3, entries: vec![entry("bs", Some("4k"), 4)] },
            Section { name: "one", line: 5, entries: vec![entry("time_based", None, 7)] },
        ];
        assert_eq!(sections(text).unwrap(), expected);
    }
}
