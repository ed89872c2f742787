//! Errors for command-line options that would have no effect on the run.

use crate::error::Problem;
use crate::option::OptionSetting;
use crate::table::Config;

const SECTION: &str = "host.scheduler.";
const SCHEME: &str = "host.scheduler.scheme";

/// Returns a problem for each command-line option that configures a host scheduler other than the selected
/// one. Settings in drive files only cause a remark ([`mod@super::idle_settings`]), since a command-line
/// option may select the scheduler.
pub(crate) fn scheduler_without_a_scheme(config: &Config, options: &[OptionSetting]) -> Vec<Problem> {
    if config.host_scheduler.scheme.0.is_some() {
        return Vec::new();
    }
    let own = options.iter().filter(|option| option.key.starts_with(SECTION) && option.key != SCHEME);
    own.map(nothing_to_schedule).collect()
}

fn nothing_to_schedule(option: &OptionSetting) -> Problem {
    let key = &option.key;
    let message = format!("`{key}` has no effect: the host has no scheduler");
    Problem::new(message)
        .at(Some(option.place.clone()))
        .note(format!("expected: a scheduler, for example --set {SCHEME}=piq, or no `{key}`"))
}
