//! Options that change requests in ways that are not simulated, and their error messages.

use super::super::JobProblem;
use super::super::lines::JobOption;

/// Option that is not simulated, with its error message.
#[derive(Debug)]
pub(in super::super) struct OptionRefusal {
    /// Name and aliases of the option.
    pub(super) names: &'static [&'static str],
    /// Values of the option that do not affect requests.
    pub(super) without_effect: &'static [&'static str],
    /// Effect of the option on requests.
    pub(super) effect: &'static str,
    /// Advice in the error message.
    pub(super) instead: &'static str,
}

impl OptionRefusal {
    /// Returns true if a value of the option does not affect requests.
    pub(super) fn is_without_effect(&self, value: Option<&str>) -> bool {
        value.is_some_and(|value| self.without_effect.contains(&value))
    }

    /// Returns the problem that reports an entry with this option.
    pub(super) fn fault(&self, entry: &JobOption<'_>) -> JobProblem {
        let Self { effect, instead, .. } = self;
        JobProblem::new(entry.line, format!("`{}` is not simulated: {effect}; {instead}", entry.key))
    }
}

const OFF: &[&str] = &["0"];
const OFF_OR_NONE: &[&str] = &["0", "none"];

/// Creates an entry of `REFUSALS`, in a shorter form than a struct literal.
const fn refusal(
    names: &'static [&'static str],
    without_effect: &'static [&'static str],
    effect: &'static str,
    instead: &'static str,
) -> OptionRefusal {
    OptionRefusal { names, without_effect, effect, instead }
}

const ONE_REGION: &str = "make a job for each region, with `offset` and `size`";
const NO_ZONES: &str = "leave it out, or make a job for each zone, with `offset` and `size`";
const NO_PLACEMENT: &str = "make a job for each stream and set `ftl.write_streams` to the number of jobs";
const SHARES: &str = "leave it out, or give each job its share with `rate_iops`";
const TIMES: &str = "make a file for the jobs that come later, or set their `startdelay`";

pub(super) const REFUSALS: &[OptionRefusal] = &[
    // Order of jobs and their shares.
    refusal(&["wait_for"], &[], "it delays the job until another has ended", TIMES),
    refusal(&["cgroup_weight"], OFF, "it gives jobs shares of the drive", SHARES),
    refusal(&["prio"], OFF, "it gives requests a priority", SHARES),
    refusal(&["prioclass"], OFF_OR_NONE, "it gives requests a priority", SHARES),
    refusal(&["priohint"], OFF, "it gives requests a limit of their duration", SHARES),
    refusal(&["cmdprio_percentage"], OFF, "it gives some requests a priority", SHARES),
    refusal(&["cmdprio_bssplit"], &[], "it gives some requests a priority", SHARES),
    refusal(
        &["lockfile"],
        OFF_OR_NONE,
        "it lets one job at a time send requests",
        "leave it out, or put the work of all jobs into one job",
    ),
    refusal(
        &["profile"],
        &[],
        "it stands for a load that is built into fio",
        "write the jobs of the profile into the file",
    ),
    refusal(&["create_only"], OFF, "the job creates its file and sends no requests", "remove the job"),
    // Pace of a job.
    refusal(
        &["iodepth_batch_complete_min", "iodepth_batch_complete"],
        &["0", "1"],
        "it waits for several completions before more requests are sent",
        "set `iodepth` alone; for batches with pauses, set `thinktime` and `thinktime_blocks`",
    ),
    refusal(
        &["iodepth_low"],
        OFF,
        "it lets the number of outstanding requests sink before more are sent",
        "set `iodepth` alone; for batches with pauses, set `thinktime` and `thinktime_blocks`",
    ),
    refusal(
        &["serialize_overlap"],
        OFF,
        "it delays requests that overlap outstanding ones",
        "leave it out; overlapping requests are sent as they come",
    ),
    refusal(
        &["thinktime_iotime"],
        OFF,
        "it pauses after a time of work rather than after requests",
        "set `thinktime_blocks` to the number of requests between two pauses",
    ),
    refusal(
        &["thinktime_blocks_type"],
        &["complete"],
        "it counts requests when they are sent",
        "leave it out; `thinktime_blocks` counts complete requests",
    ),
    refusal(&["thinkcycles"], OFF, "it pauses for cycles of the processor", "set `thinktime`"),
    refusal(
        &["latency_target"],
        OFF,
        "it searches for the depth at which a latency holds",
        "set `iodepth`, and let `venice sweep` vary it",
    ),
    refusal(
        &["ramp_size"],
        OFF,
        "it begins to measure after an amount of data",
        "set `ramp_time`, or use --warmup",
    ),
    // Addresses.
    refusal(&["nrfiles", "nr_files"], &["1"], "it divides the job among files", ONE_REGION),
    refusal(&["opendir"], &[], "it takes the files of a folder", ONE_REGION),
    refusal(&["file_service_type"], &["roundrobin"], "it chooses among files", ONE_REGION),
    refusal(
        &["filesize"],
        OFF,
        "it sets the region of each file",
        "give the region with `offset` and `size`",
    ),
    refusal(&["file_append"], OFF, "it begins at the end of a file", "set `offset`"),
    refusal(
        &["fill_device", "fill_fs"],
        OFF,
        "it writes until the drive is full",
        "set `size=100%` and `rw=write`",
    ),
    refusal(
        &["rw_sequencer"],
        &["sequential"],
        "it repeats the addresses of requests",
        "leave it out, or set `random_distribution`",
    ),
    refusal(
        &["percentage_sequential"],
        &[],
        "fio itself no longer takes it",
        "set `percentage_random` to the rest of 100",
    ),
    refusal(&["zonemode"], &["none"], "it goes through the drive zone by zone", NO_ZONES),
    refusal(&["zonesize"], OFF, "it goes through the drive zone by zone", NO_ZONES),
    // Sizes and kinds of requests.
    refusal(
        &["bsrange", "blocksize_range"],
        &[],
        "it draws sizes from a range",
        "list the sizes with `bssplit`",
    ),
    refusal(
        &["bs_unaligned", "blocksize_unaligned"],
        OFF,
        "it draws sizes that are not multiples of the smallest one",
        "list the sizes with `bssplit` and set `blockalign=512`",
    ),
    refusal(
        &["bs_is_seq_rand"],
        OFF,
        "it gives sequential and random requests sizes of their own",
        "make a job for each of them",
    ),
    refusal(&["rwmixcycle"], &[], "fio itself no longer takes it", "leave it out"),
    refusal(
        &["trim_percentage"],
        OFF,
        "it trims blocks",
        "leave it out; trims in a trace are read by --trace",
    ),
    refusal(
        &["write_mode"],
        &["write"],
        "it sends other commands than writes",
        "leave it out; jobs send reads and writes",
    ),
    refusal(
        &["sg_write_mode"],
        &["write"],
        "it sends other commands than writes",
        "leave it out; jobs send reads and writes",
    ),
    refusal(
        &["read_mode"],
        &["read"],
        "it sends other commands than reads",
        "leave it out; jobs send reads and writes",
    ),
    refusal(
        &["md_per_io_size"],
        OFF,
        "it adds metadata to each transfer",
        "leave it out; transfers carry data alone",
    ),
    refusal(&["read_iolog"], &[], "it replays a log", "give the log with --trace"),
    // Write order and durability.
    refusal(
        &["readfua"],
        OFF,
        "every read goes to the flash",
        "leave it out; `--set cache.mode=off` makes every read reach the flash",
    ),
    refusal(&["sync_file_range"], &[], "it makes the host write its page cache back", "leave it out"),
    refusal(
        &["uncached"],
        OFF,
        "requests go through the host's page cache",
        "leave it out; requests go to the drive as with `direct=1`",
    ),
    refusal(
        &["ioscheduler"],
        &["none", "noop"],
        "the host's kernel may reorder and merge requests",
        "leave it out; `host.scheduler.scheme` sets the order of requests in the drive's host",
    ),
    // Placement hints.
    refusal(&["write_hint"], OFF_OR_NONE, "it separates writes by their life time", NO_PLACEMENT),
    refusal(&["stream_id"], OFF, "it separates writes by stream", NO_PLACEMENT),
    refusal(&["fdp"], OFF, "it separates writes by placement identifier", NO_PLACEMENT),
    refusal(
        &["dataplacement", "data_placement"],
        &["none"],
        "it separates writes by placement identifier",
        NO_PLACEMENT,
    ),
    // Other phases of a job.
    refusal(
        &["verify"],
        OFF,
        "it reads back what was written",
        "leave it out; --audit checks the contents of the drive",
    ),
    refusal(&["verify_only"], OFF, "it reads back what an earlier run wrote", "set `rw=read`"),
    refusal(
        &["sprandom"],
        OFF,
        "it writes the drive to its steady state",
        "leave it out; `--set precondition.mode=steady_state` does it before the run",
    ),
];
