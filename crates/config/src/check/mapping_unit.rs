//! Checks of `ftl.mapping_unit_bytes`.

use venice_drive::ftl::{MappingMode, PageAllocation, PreconditionMode, SectorSets, UnwrittenData};
use venice_params::Conflict;

use crate::settings::units;
use crate::table::Config;

const UNIT: &str = "ftl.mapping_unit_bytes";

/// Reports a mapping unit that does not divide a page.
pub(super) fn no_fraction(config: &Config) -> Option<Conflict> {
    let (unit, page) = (config.ftl.mapping_unit_bytes, config.flash.page_bytes);
    if unit == 0 || (unit <= page && page.is_multiple_of(unit)) {
        return None;
    }
    let message = format!("a mapping unit of {unit} bytes does not divide a page of {page} bytes");
    let note = Some(format!("expected: {page} divided by a whole number"));
    Some(Conflict { keys: &[UNIT, "flash.page_bytes"], message, note })
}

/// Setting that needs mapping units of one page.
struct PageSetting {
    keys: &'static [&'static str],
    is_set: fn(&Config) -> bool,
    value: &'static str,
    expected: &'static str,
}

const OF_PAGES: &[PageSetting] = &[
    PageSetting {
        keys: &["ftl.page_allocation", UNIT],
        is_set: |config| config.ftl.page_allocation != PageAllocation::AtStart,
        value: "page allocation before the start of the program",
        expected: "`ftl.page_allocation = \"at_start\"`",
    },
    PageSetting {
        keys: &["ftl.mapping", UNIT],
        is_set: |config| config.ftl.mapping.mode == MappingMode::Cached,
        value: "a mapping table on flash",
        expected: "`ftl.mapping = \"ideal\"`",
    },
    PageSetting {
        keys: &["ftl.gc_copyback", UNIT],
        is_set: |config| config.ftl.collection.gc_copyback,
        value: "copyback",
        expected: "`ftl.gc_copyback = false`",
    },
    PageSetting {
        keys: &["ftl.gc_destination", UNIT],
        is_set: |config| config.ftl.collection.gc_destination.leaves(),
        value: "a destination of collection in other planes",
        expected: "`ftl.gc_destination = \"same_plane\"` or `\"cold_apart\"`",
    },
    PageSetting {
        keys: &["ftl.sector_sets", UNIT],
        is_set: |config| config.ftl.sector_sets == SectorSets::Shifted,
        value: "`ftl.sector_sets = \"shifted\"`",
        expected: "`ftl.sector_sets = \"exact\"`",
    },
    PageSetting {
        keys: &["ftl.unwritten_data", UNIT],
        is_set: |config| config.ftl.unwritten_data == UnwrittenData::MappedOnRead,
        value: "`ftl.unwritten_data = \"mapped_on_read\"`",
        expected: "`ftl.unwritten_data = \"present\"` or `\"absent\"`",
    },
    PageSetting {
        keys: &["precondition.mode", UNIT],
        is_set: |config| config.precondition.mode == PreconditionMode::Mqsim,
        value: "`precondition.mode = \"mqsim\"`",
        expected: "`precondition.mode = \"steady_state\"`",
    },
];

/// Reports a setting that is defined for mapping units of one page only.
pub(super) fn unsupported(config: &Config) -> Option<Conflict> {
    if units(config).are_pages() {
        return None;
    }
    let setting = OF_PAGES.iter().find(|setting| (setting.is_set)(config))?;
    let message = format!("{} needs mapping units of one page", setting.value);
    let note = Some(format!("expected: `{UNIT} = 0`, or {}", setting.expected));
    Some(Conflict { keys: setting.keys, message, note })
}
