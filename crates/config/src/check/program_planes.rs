//! Checks of `ftl.program_min_planes`, the minimum number of planes with a full page of host data before a
//! die programs them.

use venice_drive::ftl::PageAllocation;
use venice_params::Conflict;

use crate::table::Config;

const KEY: &str = "ftl.program_min_planes";

/// Reports a minimum above the number of planes of a die. Also reports a minimum above one with page
/// allocation before the start of programs, since pages then do not wait for other planes.
pub(super) fn unsupported(config: &Config) -> Option<Conflict> {
    let (wanted, planes) = (config.ftl.program_min_planes, config.flash.planes_per_die);
    if wanted > planes {
        let message = format!("programs wait for {wanted} planes, but a die has {planes}");
        let note = format!("expected: 1 to {planes}");
        return Some(Conflict { keys: &[KEY, "flash.planes_per_die"], message, note: Some(note) });
    }
    (wanted > 1 && config.ftl.page_allocation != PageAllocation::AtStart).then(|| Conflict {
        keys: &["ftl.page_allocation", KEY],
        message: "programs that wait for several planes do not support page allocation before their start"
            .to_owned(),
        note: Some("expected: `ftl.page_allocation = \"at_start\"`".to_owned()),
    })
}
