//! Remarks on settings that have no effect on a drive, or not the effect that a user expects.
//!
//! Such a setting is not an error; there is one remark for each reason. Only some command-line options
//! without effect are errors ([`super::unused_options`]). Settings of built-in presets cause no remark,
//! because the user did not choose them.

use std::collections::BTreeMap;

use venice_drive::ftl::{GatherSensing, MappingMode, OperandProgramming, PatternKind, PreconditionMode};
use venice_fabric::{FabricKind, Hold, Retry, Switching};
use venice_host::scheduler::Scheme;
use venice_nand::chip::BitOperation;
use venice_nand::chip::ProgramScheme;
use venice_nand::functions::ChipFunction;

use super::has_cache;
use crate::entry::{Entries, ParameterEntry};
use crate::own_policies::{PolicyKind, selects_own, unselected_policy};
use crate::presets;
use crate::settings::units;
use crate::table::{Config, parameters};

/// Remark on settings that have no effect, or not the expected one, because of the values of other settings.
struct SettingRemark {
    covers: fn(&str, &Config) -> bool,
    applies: fn(&Config) -> bool,
    /// Predicate of the remark's sentence, in the singular for one setting and in the plural for several:
    /// `has no effect`, `have no effect`.
    predicates: [&'static str; 2],
    reason: &'static str,
}

const NO_EFFECT: [&str; 2] = ["has no effect", "have no effect"];
const NEW_DATA_ONLY: [&str; 2] =
    ["acts only on data of the run or of a saved state", "act only on data of the run or of a saved state"];
const NOT_REACHED: [&str; 2] = ["is not reached", "are not reached"];
const WASTED_READS: [&str; 2] = ["causes reads of flash in vain", "cause reads of flash in vain"];

const NOT_ON_ORDER: [&str; 2] =
    ["has no effect on the order of requests", "have no effect on the order of requests"];

const BYTES_PER_MB: f64 = 1e6;

/// Host schedulers of the PIQ family that group requests into batches.
const BATCHED: &[Scheme] = &[Scheme::PiqR, Scheme::PiqW, Scheme::Piq, Scheme::PiqPlus];

/// Host schedulers, other than those of the PIQ family, that distinguish the parallel units of a drive.
const WITH_UNITS: &[Scheme] = &[Scheme::ByUnit, Scheme::ConflictFree, Scheme::Sac];

/// Settings that affect only searches of files (`venice grep`), and no other requests.
const OF_FILE_SEARCHES: [&str; 10] = [
    "pif.pe_cycles",
    "pif.retention_days",
    "pif.block_reads",
    "pif.errors",
    "pif.extra_reads",
    "pif.t_iteration_ns",
    "pif.ecc_w_iterations",
    "pif.ecc_w_failing_checks",
    "pif.ecc_s_failing_checks",
    "pif.head_bytes",
];

/// All remarks about searches of files. During such a search, the drive serves no other requests.
const REMARKS_OF_FILE_SEARCHES: &[SettingRemark] = &[
    SettingRemark {
        covers: |key, _| {
            key.starts_with("ecc.") || matches!(key, "flash.wear.page_type_factors" | "flash.wear.slc_factor")
        },
        applies: |_| true,
        predicates: NO_EFFECT,
        reason: "errors in searches of files follow `pif.pe_cycles`, `pif.retention_days` and `pif.block_reads`",
    },
    SettingRemark {
        covers: |key, _| key.starts_with("search."),
        applies: |_| true,
        predicates: NO_EFFECT,
        reason: "searches of files compute `match`, in chips, controller and host",
    },
    SettingRemark {
        covers: |key, _| {
            ["cache.", "precondition.", "host.scheduler.", "gather."].iter().any(|part| key.starts_with(part))
        },
        applies: |_| true,
        predicates: NO_EFFECT,
        reason: "the drive contains only the searched files, and serves no other requests",
    },
];

/// All remarks about settings that affect requests. If several remarks apply to a setting, the first one is
/// reported.
const REMARKS: &[SettingRemark] = &[
    SettingRemark {
        covers: |key, _| OF_FILE_SEARCHES.contains(&key),
        applies: |_| true,
        predicates: NO_EFFECT,
        reason: "only searches of files (`venice grep`, `venice sql`) depend on such settings; for read errors, see `ecc.decoders`",
    },
    SettingRemark {
        covers: |key, _| key.starts_with("cache.") && !matches!(key, "cache.mode" | "cache.modes"),
        applies: |config| !has_cache(&config.cache),
        predicates: NO_EFFECT,
        reason: "the drive has no data cache",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "cache.power_loss_protection" | "cache.coalesce_writes"),
        applies: |config| {
            let cache = &config.cache;
            !cache.mode.takes_writes() && !cache.modes.iter().any(|mode| mode.takes_writes())
        },
        predicates: NO_EFFECT,
        reason: "the data cache takes no writes",
    },
    SettingRemark {
        covers: |key, _| key == "ftl.page_fill_wait_us",
        applies: |config| units(config).per_program() == 1 && config.ftl.program_min_planes == 1,
        predicates: NO_EFFECT,
        reason: "a program holds one mapping unit",
    },
    SettingRemark {
        covers: |key, _| key == "ftl.read_sharing",
        applies: |config| !units(config).share_pages(),
        predicates: NO_EFFECT,
        reason: "a mapping unit is a whole page or several",
    },
    SettingRemark {
        covers: |key, _| key == "ftl.program_min_planes",
        applies: |config| config.ftl.program_min_planes > 1 && config.ftl.page_fill_wait_us.is_zero(),
        predicates: NO_EFFECT,
        reason: "`ftl.page_fill_wait_us` is 0",
    },
    SettingRemark {
        covers: |key, _| {
            matches!(
                key,
                "host.core_variation_pct"
                    | "host.core_write_ns"
                    | "host.core_dispatch_ns"
                    | "host.core_slice_us"
                    | "host.core_polling"
                    | "host.core_lock"
            )
        },
        applies: |config| !config.host.cores.has_request_time(),
        predicates: NO_EFFECT,
        reason: "submission takes no time",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "host.core_polling" | "host.core_lock"),
        applies: |config| config.host.cores.core_slice.is_zero(),
        predicates: NO_EFFECT,
        reason: "`host.core_slice_us` is 0",
    },
    SettingRemark {
        covers: |key, _| key == "host.core_per_queue",
        applies: |config| config.host.cores.has_request_time() && !config.host.cores.core_slice.is_zero(),
        predicates: NO_EFFECT,
        reason: "with `host.core_slice_us`, each host queue has one core",
    },
    SettingRemark {
        covers: |key, _| key == "host.core_dispatch_ns",
        applies: |config| config.host.cores.has_request_time() && config.host_scheduler.scheme.0.is_none(),
        predicates: NO_EFFECT,
        reason: "the host has no scheduler",
    },
    SettingRemark {
        covers: |key, _| {
            key.starts_with("ftl.mapping_table_")
                || matches!(key, "ftl.mapping_writeback" | "ftl.mapping_host_memory_buffer_bytes")
        },
        applies: |config| config.ftl.mapping.mode == MappingMode::Ideal,
        predicates: NO_EFFECT,
        reason: "`ftl.mapping` is \"ideal\"",
    },
    SettingRemark {
        covers: |key, _| key == "ftl.gc_idle_us",
        applies: |config| config.ftl.collection.gc_idle_free_blocks_pct == 0.0,
        predicates: NO_EFFECT,
        reason: "`ftl.gc_idle_free_blocks_pct` is 0",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "flash.t_prog_coarse_us" | "flash.t_prog_fine_us"),
        applies: |config| config.flash.array.scheme == ProgramScheme::OnePass,
        predicates: NO_EFFECT,
        reason: "`flash.program_scheme` is \"one_pass\"",
    },
    SettingRemark {
        covers: |key, _| key == "flash.t_prog_us",
        applies: |config| config.flash.array.scheme == ProgramScheme::TwoPass,
        predicates: NO_EFFECT,
        reason: "`flash.program_scheme` is \"two_pass\"",
    },
    SettingRemark {
        covers: |key, _| {
            let is_size = matches!(key, "ftl.slc_static_pct" | "ftl.slc_dynamic_pct");
            (key.starts_with("ftl.slc_") && !is_size)
                || (key.starts_with("flash.t_") && key.ends_with("_slc_us"))
        },
        applies: |config| !config.ftl.slc.is_enabled(),
        predicates: NO_EFFECT,
        reason: "the drive has no pSLC cache",
    },
    SettingRemark {
        covers: |key, _| key == "ftl.scrub_pages_per_s",
        applies: |config| {
            let bytes = config.ftl.scrub.scrub_pages_per_s * f64::from(config.flash.page_bytes);
            let channel = config.fabric.bus.rate.mb_per_s();
            channel.is_some_and(|mb_per_s| bytes > f64::from(config.array.rows) * mb_per_s * BYTES_PER_MB)
        },
        predicates: NOT_REACHED,
        reason: "the channels transfer fewer pages per second",
    },
    SettingRemark {
        covers: |key, _| key.starts_with("ecc.") && !matches!(key, "ecc.decoders" | "ecc.retention_days"),
        applies: |config| config.ecc.decoders == 0,
        predicates: NO_EFFECT,
        reason: "`ecc.decoders` is 0, so reads have no errors",
    },
    SettingRemark {
        covers: |key, _| key == "ecc.retention_days",
        applies: |config| config.ecc.decoders == 0 && config.ftl.collection.refresh.refresh_age_days == 0.0,
        predicates: NO_EFFECT,
        reason: "`ecc.decoders` is 0, so reads have no errors, and blocks are not refreshed",
    },
    SettingRemark {
        covers: |key, _| key == "fabric.venice.back_off_ns",
        applies: |config| {
            config.fabric.name == FabricKind::Venice && config.fabrics.venice.retry != Retry::BackOff
        },
        predicates: NO_EFFECT,
        reason: "`fabric.venice.retry` is not \"back_off\"",
    },
    SettingRemark {
        covers: |key, _| key == "fabric.venice.retry_delay_ns",
        applies: |config| {
            config.fabric.name == FabricKind::Venice && config.fabrics.venice.retry != Retry::NextTransfer
        },
        predicates: NO_EFFECT,
        reason: "`fabric.venice.retry` is not \"next_transfer\"",
    },
    SettingRemark {
        covers: |key, _| {
            let upkeep =
                ["read_reclaim_reads", "refresh_age_days", "refresh_errors_pct", "scrub_pages_per_s"];
            key.strip_prefix("ftl.").is_some_and(|name| upkeep.contains(&name))
        },
        applies: |config| config.precondition.mode == PreconditionMode::None,
        predicates: NEW_DATA_ONLY,
        reason: "`precondition.mode` is \"none\"",
    },
    SettingRemark {
        covers: |key, _| key == "cache.read_ahead_bytes",
        applies: |config| {
            config.cache.read_ahead_bytes >= config.cache.capacity_bytes / u64::from(config.cache.partitions)
        },
        predicates: WASTED_READS,
        reason: "the cache (`cache.capacity_bytes`) cannot keep the data until the host reads it",
    },
    SettingRemark {
        covers: |key, _| key.starts_with("precondition.") && key != "precondition.mode",
        applies: |config| config.precondition.mode == PreconditionMode::None,
        predicates: NO_EFFECT,
        reason: "`precondition.mode` is \"none\"",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "precondition.hot_region_pct" | "precondition.hot_traffic_pct"),
        applies: |config| config.precondition.pattern != PatternKind::HotCold,
        predicates: NO_EFFECT,
        reason: "`precondition.pattern` is not \"hot_cold\"",
    },
    SettingRemark {
        covers: |key, _| key.starts_with("host.scheduler.") && key != "host.scheduler.scheme",
        applies: |config| config.host_scheduler.scheme.0.is_none(),
        predicates: NO_EFFECT,
        reason: "the host has no scheduler",
    },
    SettingRemark {
        covers: |key, _| key == "host.scheduler.avoid_collecting",
        applies: |config| !is_scheme(config, BATCHED),
        predicates: NOT_ON_ORDER,
        reason: "only the schemes of PIQ with batches avoid chips that collect garbage",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "host.scheduler.level" | "host.scheduler.units"),
        applies: |config| !is_scheme(config, BATCHED) && !is_scheme(config, WITH_UNITS),
        predicates: NOT_ON_ORDER,
        reason: "the scheme (`host.scheduler.scheme`) does not distinguish parallel units",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "fabric.hold" | "fabric.hold_erases"),
        applies: |config| {
            config.fabric.name == FabricKind::NoSsd
                && config.fabrics.nossd.switching == Switching::Packets
                && config.fabric.hold != Hold::Transfer
        },
        predicates: NO_EFFECT,
        reason: "packets of nossd hold no path",
    },
    SettingRemark {
        covers: |key, _| key == "fabric.hold_erases",
        applies: |config| config.fabric.hold != Hold::Request,
        predicates: NO_EFFECT,
        reason: "`fabric.hold` is not \"request\"",
    },
    SettingRemark {
        covers: |key, _| {
            let name = key.strip_prefix("fabric.nossd.");
            name.is_some_and(|name| !matches!(name, "switching" | "controller"))
        },
        applies: |config| {
            config.fabric.name == FabricKind::NoSsd && config.fabrics.nossd.switching != Switching::Packets
        },
        predicates: NO_EFFECT,
        reason: "nossd sends no packets (`fabric.nossd.switching`)",
    },
    SettingRemark {
        covers: |key, config| is_of_other_function(key, config.search.function),
        applies: |_| true,
        predicates: NO_EFFECT,
        reason: "`search.function` selects another function",
    },
    SettingRemark {
        covers: |key, _| is_of_chip_logic(key),
        applies: |config| config.search.function == ChipFunction::Match,
        predicates: NO_EFFECT,
        reason: "times, power and area of \"match\" are settings of `pif`",
    },
    SettingRemark {
        covers: |key, _| key == "gather.sensing",
        applies: |config| {
            config.gather.sensing == GatherSensing::ParaBit && config.flash.array.read.len() == 1
        },
        predicates: NO_EFFECT,
        reason: "\"parabit\" senses several bits of a cell, and `flash.t_read_us` has one value",
    },
    SettingRemark {
        covers: |key, _| key == "gather.sensing",
        applies: |config| {
            config.gather.sensing == GatherSensing::FlashCosmos
                && config.gather.operation == BitOperation::Xor
        },
        predicates: NO_EFFECT,
        reason: "\"flash_cosmos\" cannot sense `gather.operation` \"xor\"",
    },
    SettingRemark {
        covers: |key, _| key == "gather.sensing",
        applies: |config| config.gather.sensing == GatherSensing::FlashCosmos && !has_single_bits(config),
        predicates: NO_EFFECT,
        reason: "\"flash_cosmos\" needs one bit per cell: a single `flash.t_read_us`, or a pSLC cache",
    },
    SettingRemark {
        covers: |key, _| key == "gather.programming",
        applies: |config| {
            config.gather.programming == OperandProgramming::EnhancedSlc && !has_single_bits(config)
        },
        predicates: NO_EFFECT,
        reason: "no page has one bit per cell: `flash.t_read_us` has several values, and there is no pSLC cache",
    },
    SettingRemark {
        covers: |key, _| {
            key.starts_with("gather.t_multi_sense_")
                || matches!(
                    key,
                    "gather.inverted_data"
                        | "gather.max_wordlines"
                        | "gather.max_blocks"
                        | "gather.multi_sense_power_pct_per_block"
                )
        },
        applies: |config| config.gather.sensing != GatherSensing::FlashCosmos,
        predicates: NO_EFFECT,
        reason: "`gather.sensing` is not \"flash_cosmos\"",
    },
    SettingRemark {
        covers: |key, _| key.starts_with("gather.esp_"),
        applies: |config| config.gather.programming == OperandProgramming::Regular,
        predicates: NO_EFFECT,
        reason: "`gather.programming` is \"regular\"",
    },
    SettingRemark {
        covers: |key, _| matches!(key, "fabric.faults.at_us" | "fabric.faults.degraded_mode"),
        applies: |config| crate::settings::fabric_settings(config).faults.is_empty(),
        predicates: NO_EFFECT,
        reason: "no failed part is listed",
    },
];

/// Returns true if a setting describes a function of searches other than the `selected` one.
fn is_of_other_function(key: &str, selected: ChipFunction) -> bool {
    let Some(name) = key.strip_prefix("search.") else { return false };
    // The sets of patterns are those of `match`.
    let is_of = |function: ChipFunction| {
        name.strip_prefix(function.name()).is_some_and(|rest| rest.starts_with('_'))
            || (name == "patterns" && function == ChipFunction::Match)
    };
    !is_of(selected) && ChipFunction::ALL.iter().any(|&function| is_of(function))
}

/// Returns true if a setting describes the logic of chips that compute other functions than `match`.
fn is_of_chip_logic(key: &str) -> bool {
    let parts = ["clock_", "adder_", "multiplier_", "register_"];
    key.strip_prefix("search.").is_some_and(|name| parts.iter().any(|part| name.starts_with(part)))
}

/// Returns true if the host has one of the schedulers `schemes`.
fn is_scheme(config: &Config, schemes: &[Scheme]) -> bool {
    config.host_scheduler.scheme.0.is_some_and(|scheme| schemes.contains(&scheme))
}

/// Returns true if some blocks of the drive store one bit per cell.
fn has_single_bits(config: &Config) -> bool {
    config.flash.array.read.len() == 1 || config.ftl.slc.is_enabled()
}

/// Returns one sentence per reason why settings of the drive have no effect on requests, or not the expected one.
pub(crate) fn idle_settings(config: &Config, entries: &Entries) -> Vec<String> {
    sentences(REMARKS, config, entries).chain(unselected_policies(entries)).collect()
}

/// Returns one sentence per reason why settings of the drive have no effect on searches of files.
pub(crate) fn idle_settings_of_file_searches(config: &Config, entries: &Entries) -> Vec<String> {
    sentences(REMARKS_OF_FILE_SEARCHES, config, entries).collect()
}

/// Returns the sentences of the remarks that apply to settings chosen by the user. Defaults and values from
/// built-in presets cause no sentence.
fn sentences(
    remarks: &'static [SettingRemark],
    config: &Config,
    entries: &Entries,
) -> impl Iterator<Item = String> + use<> {
    let applies = remarks.iter().map(|remark| (remark.applies)(config)).collect::<Vec<_>>();
    let mut idle_keys = vec![Vec::new(); remarks.len()];
    let has_own_scheduler = selects_own(entries, PolicyKind::HostScheduler);
    for (index, parameter) in parameters().enumerate() {
        let is_chosen = entries.get(index).is_some_and(|entry| {
            !is_of_preset(entry) && parameter.default_value().as_ref() != Some(&entry.value)
        });
        // A user-defined scheduler may use any of these settings.
        let is_chosen = is_chosen && !(has_own_scheduler && parameter.key.starts_with("host.scheduler."));
        let reason = (0..remarks.len()).find(|&n| applies[n] && (remarks[n].covers)(parameter.key, config));
        if let Some(reason) = reason.filter(|_| is_chosen) {
            idle_keys[reason].push(format!("`{}`", parameter.key));
        }
    }
    let found = remarks.iter().zip(idle_keys).filter(|(_, keys)| !keys.is_empty());
    found.map(|(settings, keys)| sentence(&keys, settings.predicates, settings.reason))
}

/// Returns a sentence for each user-defined policy that is not selected although a file or option sets its
/// parameters.
fn unselected_policies(entries: &Entries) -> Vec<String> {
    let mut idle_keys: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (index, parameter) in parameters().enumerate() {
        let is_chosen = entries.get(index).is_some_and(|entry| !is_of_preset(entry));
        if let Some(policy) = unselected_policy(entries, parameter).filter(|_| is_chosen) {
            let keys = idle_keys.entry((policy.kind.key(), policy.name)).or_default();
            keys.push(format!("`{}`", parameter.key));
        }
    }
    let reason = |(key, name)| format!("`{key}` is not \"{name}\"");
    idle_keys.into_iter().map(|(policy, keys)| sentence(&keys, NO_EFFECT, &reason(policy))).collect()
}

fn sentence(keys: &[String], [of_one, of_several]: [&str; 2], reason: &str) -> String {
    let predicate = if keys.len() == 1 { of_one } else { of_several };
    format!("{} {predicate}: {reason}", keys.join(", "))
}

/// True for a value from a built-in preset or a default.
fn is_of_preset(entry: &ParameterEntry) -> bool {
    let Some(place) = &entry.place else { return true };
    let name = place.document.name.as_str();
    presets::DRIVES.iter().chain(presets::CHIPS).any(|preset| preset.path == name)
}
