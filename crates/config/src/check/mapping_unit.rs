//! Checks of `ftl.mapping_unit_bytes`, the size of a mapping unit.

use venice_drive::ftl::{PageAllocation, PreconditionMode, SectorSets, UnwrittenData};
use venice_nand::geometry::MappingUnits;
use venice_params::Conflict;

use crate::settings::units;
use crate::table::Config;

const UNIT: &str = "ftl.mapping_unit_bytes";

/// Maximum number of pages in a mapping unit.
const MOST_PAGES: u32 = 64;
/// Maximum size of a mapping unit whose sectors a 64-bit mask represents individually, in bytes.
const SINGLE_SECTORS_BYTES: u32 = 64 * 512;

/// Reports a mapping unit that neither divides a page nor consists of whole pages of one block.
pub(super) fn no_fraction(config: &Config) -> Option<Conflict> {
    let (unit, page) = (config.ftl.mapping_unit_bytes, config.flash.page_bytes);
    let pages = unit / page;
    let divides = unit <= page && page.is_multiple_of(unit.max(1));
    let consists = unit.is_multiple_of(page)
        && (1..=MOST_PAGES).contains(&pages)
        && config.flash.pages_per_block.is_multiple_of(pages)
        && unit.is_multiple_of(unit.div_ceil(SINGLE_SECTORS_BYTES) * 512);
    if unit == 0 || divides || consists {
        return None;
    }
    let message = format!(
        "a mapping unit of {unit} bytes neither divides a page of {page} bytes nor consists of such pages that divide a block of {} pages",
        config.flash.pages_per_block
    );
    let is_of_pages = unit.is_multiple_of(page) && (1..=MOST_PAGES).contains(&pages);
    let note = if is_of_pages && !config.flash.pages_per_block.is_multiple_of(pages) {
        format!("expected: `flash.pages_per_block`, a multiple of {pages}")
    } else {
        format!("expected: {page} divided or multiplied by a whole number")
    };
    Some(Conflict { keys: &[UNIT, "flash.page_bytes", "flash.pages_per_block"], message, note: Some(note) })
}

/// Reports a block or a mapping unit that does not consist of whole program units (pages that are programmed
/// together).
pub(super) fn no_program_units(config: &Config) -> Option<Conflict> {
    let (together, pages) = (config.flash.array.program_pages, units(config).pages());
    let of_block = config.flash.pages_per_block;
    if pages == 1 && !of_block.is_multiple_of(together) {
        let message = format!("{together} pages are programmed together, but a block has {of_block} pages");
        let note = format!("expected: `flash.pages_per_block`, a multiple of {together}");
        let keys = &["flash.program_pages", "flash.pages_per_block"];
        return Some(Conflict { keys, message, note: Some(note) });
    }
    if pages == 1 || pages.is_multiple_of(together) {
        return None;
    }
    let unit = u64::from(together) * u64::from(config.flash.page_bytes);
    let message = format!(
        "{together} pages are programmed together, but a mapping unit has {pages} of {} bytes",
        config.flash.page_bytes
    );
    let note = format!("expected: `{UNIT}`, a multiple of {unit}, or `flash.program_pages = 1`");
    Some(Conflict { keys: &["flash.program_pages", UNIT], message, note: Some(note) })
}

/// Setting that requires mapping units of one page.
struct PageSetting {
    /// True if the setting also allows mapping units of several pages.
    allows_several: bool,
    keys: &'static [&'static str],
    is_set: fn(&Config) -> bool,
    value: &'static str,
    expected: &'static str,
}

const OF_PAGES: &[PageSetting] = &[
    PageSetting {
        allows_several: true,
        keys: &["ftl.page_allocation", UNIT],
        is_set: |config| config.ftl.page_allocation != PageAllocation::AtStart,
        value: "page allocation before the start of the program",
        expected: "`ftl.page_allocation = \"at_start\"`",
    },
    PageSetting {
        allows_several: false,
        keys: &["ftl.gc_copyback", UNIT],
        is_set: |config| config.ftl.collection.gc_copyback,
        value: "copyback",
        expected: "`ftl.gc_copyback = false`",
    },
    PageSetting {
        allows_several: true,
        keys: &["ftl.gc_destination", UNIT],
        is_set: |config| config.ftl.collection.gc_destination.leaves(),
        value: "a destination of collection in other planes",
        expected: "`ftl.gc_destination = \"same_plane\"` or `\"cold_apart\"`",
    },
    PageSetting {
        allows_several: false,
        keys: &["ftl.sector_sets", UNIT],
        is_set: |config| config.ftl.sector_sets == SectorSets::Shifted,
        value: "`ftl.sector_sets = \"shifted\"`",
        expected: "`ftl.sector_sets = \"exact\"`",
    },
    PageSetting {
        allows_several: true,
        keys: &["ftl.unwritten_data", UNIT],
        is_set: |config| config.ftl.unwritten_data == UnwrittenData::MappedOnRead,
        value: "`ftl.unwritten_data = \"mapped_on_read\"`",
        expected: "`ftl.unwritten_data = \"present\"` or `\"absent\"`",
    },
    PageSetting {
        allows_several: false,
        keys: &["precondition.mode", UNIT],
        is_set: |config| config.precondition.mode == PreconditionMode::Mqsim,
        value: "`precondition.mode = \"mqsim\"`",
        expected: "`precondition.mode = \"steady_state\"`",
    },
];

/// Reports all settings that require mapping units of one page, if the configured units are larger.
pub(super) fn unsupported(config: &Config) -> Vec<Conflict> {
    let units = units(config);
    if units.are_pages() {
        return Vec::new();
    }
    let is_refused = |setting: &&PageSetting| {
        (units.share_programs() || !setting.allows_several) && (setting.is_set)(config)
    };
    OF_PAGES.iter().filter(is_refused).map(|setting| refused(setting, config)).collect()
}

fn refused(setting: &PageSetting, config: &Config) -> Conflict {
    let (unit, together) = (config.ftl.mapping_unit_bytes, config.flash.array.program_pages);
    if MappingUnits::of(unit, config.flash.page_bytes).are_pages() {
        let message = format!("{} cannot be combined with programs of {together} pages", setting.value);
        let note = Some(format!("expected: `flash.program_pages = 1`, or {}", setting.expected));
        return Conflict { keys: setting.keys, message, note };
    }
    let message = format!("{} cannot be combined with mapping units of {unit} bytes", setting.value);
    let note = Some(format!("expected: `{UNIT} = 0`, or {}", setting.expected));
    Conflict { keys: setting.keys, message, note }
}
