//! Explanation of a figure, for `venice report explain`.

use venice_params::nearest;

use super::figure::{Figure, Form, figures};
use super::schema;

/// Returns the explanation of a figure, or the list of figures of a group. `name` is the name in the report,
/// such as `latency_us.all.p99`. An empty name stands for the top level. List indices and table keys may be
/// omitted (`0` in `queues.0.read_bytes`, `read` in `breakdown_us.read.queue`).
///
/// # Errors
/// Returns a message with the most similar name if there is no such figure.
pub fn explain(name: &str) -> Result<String, String> {
    let figures = figures(&schema());
    if name.is_empty() {
        return Ok(list(figures.iter().filter(|figure| figure.depth() == 0)));
    }
    let found =
        figures.iter().find(|figure| figure.is_called(name)).ok_or_else(|| unknown(name, &figures))?;
    let inside = figures.iter().filter(|figure| is_in(figure, found));
    Ok(match found.form {
        Form::Group => format!("{}: {}\n{}", found.name, found.text, list(inside)),
        _ => describe(found),
    })
}

fn describe(figure: &Figure) -> String {
    let unit = match figure.unit.as_deref() {
        None => "none",
        Some("") => "a plain number",
        Some(unit) => unit,
    };
    let absent = if figure.optional { "may be absent or null" } else { "always there" };
    format!(
        "{}: {}\n  form   {}\n  unit   {unit}\n  where  {absent}",
        figure.name,
        figure.text,
        figure.form.name()
    )
}

/// Returns true if a figure is a direct member of a group.
fn is_in(figure: &Figure, group: &Figure) -> bool {
    let rest = figure.name.strip_prefix(&group.name).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|rest| !rest.trim_end_matches(".*").contains('.'))
}

fn list<'a>(figures: impl Iterator<Item = &'a Figure>) -> String {
    let rows: Vec<(&str, &str)> =
        figures.map(|figure| (figure.name.as_str(), figure.text.as_str())).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let lines: Vec<String> = rows.iter().map(|(name, text)| format!("  {name:width$}  {text}")).collect();
    lines.join("\n")
}

fn unknown(name: &str, figures: &[Figure]) -> String {
    let hint = nearest(name, figures.iter().map(|figure| figure.name.as_str()));
    let meant = hint.map_or("expected: a figure listed by `venice report explain`".to_owned(), |meant| {
        format!("did you mean `{meant}`?")
    });
    format!("unknown figure `{name}`\n   = {meant}")
}
