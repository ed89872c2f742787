//! Reference page of the fio options, generated from their classification.

use std::fmt::Write as _;

use super::{no_effect, not_simulated, simulated};

const HEAD: &str = "\
# Options of fio's job files

All options of fio 3.42, with those of its engines, in three classes. This page is generated from
`crates/requests/src/workloads/jobs/options`. [Workloads](../guide/workloads.md#fio-job-files) explains the simulated options.
";

/// Returns the reference page of the fio options as Markdown.
#[must_use]
pub fn reference_page() -> String {
    let mut page = String::from(HEAD);
    page += "\n## Simulated\n\n";
    page += &simulated::NAMES.iter().map(|names| list(names)).collect::<Vec<_>>().join(", ");
    page += "\n\n## Not simulated\n\nAt the values of the second column, requests stay as they are, and the option is passed over.\n\n";
    page += "| option | passed over at | effect | instead |\n| --- | --- | --- | --- |\n";
    for refusal in not_simulated::REFUSALS {
        let (names, values) = (list(refusal.names), list(refusal.without_effect));
        writeln!(page, "| {names} | {values} | {} | {} |", refusal.effect, refusal.instead)
            .expect("a string takes everything");
    }
    page += "\n## No effect\n\n| topic | options |\n| --- | --- |\n";
    for group in no_effect::GROUPS {
        writeln!(page, "| {} | {} |", group.topic, list(group.names)).expect("a string takes everything");
    }
    page
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
