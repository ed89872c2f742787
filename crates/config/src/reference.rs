//! Reference page of all parameters, generated from the parameter table.

use venice_params::{Parameter, Section};

use super::table::SECTIONS;

const HEAD: &str = "\
# Parameters of a drive

Generated from the parameter table with the site. [Configuring a drive](../guide/configuration.md) describes how files,
presets and options combine.
";

/// Returns the page in Markdown.
pub fn reference_page() -> String {
    let sections: Vec<String> = SECTIONS.iter().map(section_text).collect();
    format!("{HEAD}\n{}\n", sections.join("\n\n"))
}

fn section_text(section: &Section) -> String {
    let title =
        if section.name.is_empty() { "Top of the file".to_owned() } else { format!("`[{}]`", section.name) };
    let rows: Vec<String> = section.parameters.iter().map(row).collect();
    format!(
        "## {title}\n\n{}\n\n| key | meaning | values | default | source |\n| --- | --- | --- | --- | --- |\n{}",
        format!("{}. {}", section.what(), section.note()).trim_end(),
        rows.join("\n"),
    )
}

fn row(parameter: &Parameter) -> String {
    let meaning = format!("{}. {}", parameter.what(), parameter.note());
    let default = parameter.default_with_unit().unwrap_or("*required*".to_owned());
    let cells = [
        format!("`{}`", parameter.name()),
        meaning.trim_end().to_owned(),
        parameter.accepted(),
        default,
        parameter.source.to_owned(),
    ];
    format!("| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}
