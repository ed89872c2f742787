//! Reference page of all figures.

use super::figure::{Figure, Form, figures};
use super::schema;

const HEAD: &str = "\
# Figures of a report

Generated from the report's types with the site. `venice run --json OUT`, `venice.run(...)` in Python and the files
of a sweep all have these names; `venice report explain NAME` says a line of this page, and
[report.schema.json](report.schema.json) is for programs. `[]` stands for the places of a list, `*` for the names of a table,
and what is marked ° can be absent or `null`. Figures are of the [measured window](../models/measured-window.md) unless they say
otherwise.
";

/// Returns the page as Markdown: the figures outside groups, then each group.
pub fn reference_page() -> String {
    let figures = figures(&schema());
    let groups: Vec<_> =
        figures.iter().filter(|figure| figure.form == Form::Group && figure.depth() == 0).collect();
    let is_apart = |figure: &&Figure| {
        let first = figure.name.split('.').next();
        figure.form != Form::Group && !groups.iter().any(|group| Some(group.name.as_str()) == first)
    };
    let top = table(figures.iter().filter(is_apart));
    let parts: Vec<String> = groups.iter().map(|group| chapter(group, &figures)).collect();
    format!("{HEAD}\n## The run\n\n{top}\n\n{}\n", parts.join("\n\n"))
}

fn chapter(group: &Figure, figures: &[Figure]) -> String {
    let before = format!("{}.", group.name);
    let inside = figures.iter().filter(|figure| figure.name.starts_with(&before));
    format!("## `{}`{}\n\n{}\n\n{}", group.name, mark(group), group.text, table(inside))
}

fn table<'a>(figures: impl Iterator<Item = &'a Figure>) -> String {
    let rows: Vec<String> = figures.map(row).collect();
    format!("| figure | unit | meaning |\n| --- | --- | --- |\n{}", rows.join("\n"))
}

fn row(figure: &Figure) -> String {
    let unit = match (figure.form, figure.unit.as_deref()) {
        (Form::Count | Form::Number, Some(unit)) => unit,
        (form, _) => form.name(),
    };
    let text = figure.text.replace('|', "\\|");
    format!("| `{}`{} | {unit} | {text} |", figure.name, mark(figure))
}

const fn mark(figure: &Figure) -> &'static str {
    if figure.optional { "°" } else { "" }
}
