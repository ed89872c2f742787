//! Checks of the function that chips compute on pages (`search.function`): its power and area, and the sizes
//! of records.

use venice_drive::ftl::SearchLocation;
use venice_nand::functions::ChipFunction;
use venice_nand::functions::budget::{BudgetExcess, ChipBudget, UnitCost};
use venice_params::Conflict;

use crate::settings::search_function;
use crate::table::Config;

/// Reports a chip function that exceeds the power or area budget of a chip together with the chip's decoder.
/// The function `match` is checked by [`over_budget_of_searches`], because it is the default of drives
/// without searches.
pub(super) fn over_budget(config: &Config) -> Option<Conflict> {
    if config.search.function == ChipFunction::Match { None } else { over_budget_of_searches(config) }
}

/// Reports a chip function, including `match`, that exceeds the power or area budget of a chip. Used for
/// drives that execute searches.
pub(crate) fn over_budget_of_searches(config: &Config) -> Option<Conflict> {
    let search = &config.search;
    if search.location != SearchLocation::Chips {
        return None;
    }
    let (parts, limits) = (&config.pif.parts, &config.pif.limits);
    let design = search_function(config);
    let budget = ChipBudget {
        read_mw: config.power.array_read_mw,
        program_mw: config.power.array_program_mw,
        free_mm2: limits.free_mm2,
    };
    let units = UnitCost {
        power_mw: parts.decoder_mw + design.power_mw,
        area_mm2: limits.decoder_mm2 + design.area_mm2,
    };
    let name = search.function.name();
    let message = match budget.excess(units)? {
        BudgetExcess::Power { sum_mw } => format!(
            "a chip that senses ({} mW), decodes ({} mW) and computes `{name}` ({:.2} mW) needs {sum_mw:.2} mW, more than the \
             {} mW of a program",
            budget.read_mw, parts.decoder_mw, design.power_mw, budget.program_mw
        ),
        BudgetExcess::Area => format!(
            "decoder ({} mm²) and unit of `{name}` ({:.3} mm²) do not fit into the {} mm² under a chip's array",
            limits.decoder_mm2, design.area_mm2, budget.free_mm2
        ),
    };
    let (keys, smaller): (&'static [&'static str], _) = match search.function {
        ChipFunction::Match => (
            &MATCHER_KEYS,
            "lower `pif.decoder_mw` and `pif.matcher_mw`, or lower `pif.decoder_mm2` and `pif.matcher_mm2`",
        ),
        _ => (&UNIT_KEYS, "a smaller unit, such as fewer lanes or entries, a lower `search.clock_mhz`"),
    };
    Some(Conflict {
        keys,
        message,
        note: Some(format!("expected: {smaller}, or `search.location = \"pis\"`")),
    })
}

/// Reports columns of the function `column_filter` that are larger than the record that contains them.
pub(super) fn columns_beyond_record(config: &Config) -> Option<Conflict> {
    let filter = &config.search.functions.column_filter;
    let (columns, record) = (filter.column_bytes, filter.record_bytes);
    let is_beyond = config.search.function == ChipFunction::ColumnFilter && columns > record;
    is_beyond.then(|| Conflict {
        keys: &["search.column_filter_column_bytes", "search.column_filter_record_bytes"],
        message: format!("the returned columns have {columns} bytes, but a record has {record}"),
        note: Some(format!("expected: `search.column_filter_column_bytes` of at most {record}")),
    })
}

const MATCHER_KEYS: [&str; 8] = [
    "pif.matcher_mw",
    "pif.matcher_mm2",
    "pif.decoder_mw",
    "pif.decoder_mm2",
    "search.location",
    "power.array_read_mw",
    "power.array_program_mw",
    "pif.free_mm2",
];
const UNIT_KEYS: [&str; 7] = [
    "search.dot_product_lanes",
    "search.top_k_entries",
    "search.clock_mhz",
    "search.function",
    "search.location",
    "power.array_program_mw",
    "pif.free_mm2",
];
