//! Positions of the columns in a line.

use regex::bytes::{Regex, RegexBuilder};

use super::super::LineFault;
use super::roles::{ColumnRole, LineFields, ROLES, role_named};
use super::separator::Separator;

const NOT_READ: &str = "-";
const AND_MORE: &str = "...";

/// Rule that splits a line into columns.
pub(super) enum ColumnLayout {
    /// Columns with a separator, in a fixed order.
    List { separator: Separator, roles: Vec<Option<ColumnRole>>, and_more: bool },
    /// Regular expression, with the index and the role of each named group. With `and_more`, lines without a
    /// match are skipped.
    Pattern { expression: Regex, groups: Vec<(usize, ColumnRole)>, and_more: bool },
}

impl ColumnLayout {
    /// Parses a column description. Also returns its words, which determine the interpretation of the
    /// columns.
    pub(super) fn new(text: &str) -> Result<(Self, Vec<&str>), String> {
        match text.strip_prefix('/') {
            Some(pattern) => Self::pattern(pattern),
            None => Self::list(text),
        }
    }

    fn list(text: &str) -> Result<(Self, Vec<&str>), String> {
        let separator = Separator::of(text.as_bytes());
        let mut words = separator.words(text);
        let and_more = words.last() == Some(&AND_MORE);
        if and_more {
            words.pop();
        }
        let roles = words.iter().map(|word| role_of(word)).collect::<Result<Vec<_>, _>>()?;
        complete(&roles.iter().copied().flatten().collect::<Vec<_>>())?;
        Ok((Self::List { separator, roles, and_more }, words))
    }

    fn pattern(text: &str) -> Result<(Self, Vec<&str>), String> {
        let end = text.rfind("/ ").or_else(|| text.strip_suffix('/').map(str::len));
        let end =
            end.ok_or("the regular expression is not terminated; expected: a slash and a blank after it")?;
        let mut words: Vec<&str> = text[end + 1..].split_whitespace().collect();
        let and_more = words.last() == Some(&AND_MORE);
        if and_more {
            words.pop();
        }
        for word in &words {
            role_of(word)?;
        }
        let expression = RegexBuilder::new(&text[..end]).unicode(false).build();
        let expression = expression.map_err(|error| error.to_string())?;
        let named = expression.capture_names().enumerate();
        let groups: Vec<_> = named.filter_map(|(number, name)| Some((number, role_named(name?)?))).collect();
        complete(&groups.iter().map(|&(_, role)| role).collect::<Vec<_>>())?;
        Ok((Self::Pattern { expression, groups, and_more }, words))
    }

    /// Returns true if lines have exactly one column more than the description, such as an index at the
    /// start.
    pub(super) fn is_short_of_one(&self, columns: usize) -> bool {
        match self {
            Self::List { roles, and_more: false, .. } => roles.len() + 1 == columns,
            Self::List { roles, and_more: true, .. } => roles.first().is_some_and(Option::is_some),
            Self::Pattern { .. } => false,
        }
    }

    /// Returns the columns of a line; `None` if the line is skipped.
    #[inline]
    pub(super) fn fields<'a>(&self, line: &'a [u8]) -> Result<Option<LineFields<'a>>, LineFault> {
        match self {
            Self::List { separator, roles, and_more } => listed(line, *separator, roles, *and_more).map(Some),
            Self::Pattern { expression, groups, and_more } => match expression.captures(line) {
                Some(found) => {
                    let mut fields = LineFields::default();
                    for &(number, role) in groups {
                        *fields.column(role) = found.get(number).map_or(&[], |group| group.as_bytes());
                    }
                    Ok(Some(fields))
                }
                None if *and_more => Ok(None),
                None => Err(LineFault { field: "line", expected: "a match of the regular expression" }),
            },
        }
    }
}

fn listed<'a>(
    line: &'a [u8],
    separator: Separator,
    roles: &[Option<ColumnRole>],
    and_more: bool,
) -> Result<LineFields<'a>, LineFault> {
    let (mut fields, mut rest) = (LineFields::default(), line);
    for role in roles {
        let field = separator.field(&mut rest);
        if let Some(role) = *role {
            *fields.column(role) = field;
        }
    }
    if !rest.is_empty() && !and_more {
        return Err(LineFault {
            field: "line",
            expected: "the number of columns in the description; `...` at its end allows more",
        });
    }
    Ok(fields)
}

/// Returns the role of the column that `word` describes; `None` for an ignored column.
fn role_of(word: &str) -> Result<Option<ColumnRole>, String> {
    if word == NOT_READ {
        return Ok(None);
    }
    let name = word.split_once(':').map_or(word, |(name, _)| name);
    let names = "expected: time, op, offset, size, device, set, or - for a column that is not read";
    role_named(name).map(Some).ok_or_else(|| format!("unknown column `{word}`; {names}"))
}

/// Returns an error if a required column is missing or a column is repeated.
fn complete(found: &[ColumnRole]) -> Result<(), String> {
    for (name, role) in ROLES {
        match found.iter().filter(|&&other| other == role).count() {
            0 if !role.is_optional() => return Err(format!("the column `{name}` is missing")),
            0 | 1 => {}
            _ => return Err(format!("the column `{name}` occurs twice")),
        }
    }
    Ok(())
}
