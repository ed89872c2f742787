//! Remarks on settings in a workload definition that have no effect on its requests.

use super::spec::{Trims, WorkloadSpec};

/// Returns one sentence for each setting of a definition that has no effect, with the reason. Returns none
/// for a fio job except of `num_range`, since its other options are checked during parsing.
pub(super) fn idle_settings(spec: &WorkloadSpec) -> Vec<String> {
    let ranges_are_idle = spec.trim_ranges > 1 && spec.trims == Trims::NONE;
    if spec.has_extra_flushes {
        // All clones of a job have the same remark, which is reported once.
        let remark = "`num_range` has no effect on jobs without trims".to_owned();
        return ranges_are_idle.then_some(remark).into_iter().collect();
    }
    let writes = spec.writes;
    let of_trims = ranges_are_idle.then_some(("trim_ranges", "the workload has no trims"));
    let set_is_idle = spec.pattern_set > 0 && spec.search_ratio == 0.0;
    let of_searches = set_is_idle.then_some(("pattern_set", "the workload has no searches"));
    let rereads = spec.read_after_write.is_some_and(|reads| reads.ratio > 0.0);
    let of_writes = [
        ("flush_every", writes.flush_every > 0),
        ("fua_pct", writes.fua_ratio > 0.0),
        ("zeroes_pct", writes.zeroes_ratio > 0.0),
        ("zeroes_deallocate", writes.zeroes_deallocate),
        ("read_after_write", rereads),
    ];
    let others = [
        ("zeroes_deallocate", writes.zeroes_deallocate && writes.zeroes_ratio == 0.0, "`zeroes_pct` is 0"),
        ("fua_pct", writes.fua_ratio > 0.0 && writes.zeroes_ratio >= 1.0, "all writes write zeroes"),
        ("read_after_write", rereads && !has_reads(spec), "the workload has no reads"),
    ];
    let found: Vec<_> = if has_writes(spec) {
        others.into_iter().filter(|(_, is_idle, _)| *is_idle).map(|(key, _, why)| (key, why)).collect()
    } else {
        let idle = of_writes.into_iter().filter(|(_, is_set)| *is_set);
        idle.map(|(key, _)| (key, "the workload has no writes")).collect()
    };
    let sentence = |(key, reason)| format!("{}: `{key}` has no effect: {reason}", spec.label());
    found.into_iter().chain(of_trims).chain(of_searches).map(sentence).collect()
}

fn has_writes(spec: &WorkloadSpec) -> bool {
    spec.read_ratio < 1.0 && has_reads_or_writes(spec)
}

fn has_reads(spec: &WorkloadSpec) -> bool {
    spec.read_ratio > 0.0 && has_reads_or_writes(spec)
}

fn has_reads_or_writes(spec: &WorkloadSpec) -> bool {
    let only_trims = matches!(spec.trims, Trims::Share(ratio) if ratio >= 1.0);
    spec.gather_ratio < 1.0 && spec.search_ratio < 1.0 && !only_trims
}

#[cfg(test)]
mod tests {
    use super::super::described_workload::DescribedWorkload;

    /// Returns the keys that the remarks name if `lines` are added to the preset `mixed-70-30`.
    fn idle_keys(lines: &str) -> Vec<String> {
        let text = format!("extends = \"mixed-70-30\"\n{lines}");
        let workload = DescribedWorkload { label: "mine".to_owned(), text }.load().unwrap();
        let key = |remark: &String| remark.split('`').nth(1).unwrap().to_owned();
        workload.remarks().iter().map(key).collect()
    }

    #[test]
    fn settings_of_writes_are_idle_without_writes() {
        let of_writes = "flush_every = 4\nfua_pct = 10\nzeroes_pct = 5\nzeroes_deallocate = true\n";
        assert_eq!(idle_keys(of_writes), [""; 0]);
        let all = ["flush_every", "fua_pct", "zeroes_pct", "zeroes_deallocate"];
        for without_writes in ["read_pct = 100", "gather_pct = 100", "search_pct = 100", "trim_pct = 100"] {
            assert_eq!(idle_keys(&format!("{of_writes}{without_writes}")), all, "{without_writes}");
        }
    }

    #[test]
    fn closed_loops_beside_flows_with_rates_get_few_requests() {
        let remarks = |first: &str, second: &str| {
            let flows = format!(
                "[{{ extends = \"random-read\", {first} }}, {{ extends = \"random-read\", {second} }}]"
            );
            let text = format!(
                "description = \"a\"\nsource = \"b\"\nsynthetic = true\nrequests = 1000\nflows = {flows}\n"
            );
            DescribedWorkload { label: "mine".to_owned(), text }.load().unwrap().remarks()
        };
        let (closed, open) =
            ("closed_loop_depth = 4", "open_loop = { mean_gap_us = 10.0, gaps = \"constant\" }");
        assert_eq!(remarks(closed, closed), [""; 0]);
        assert_eq!(remarks(open, open), [""; 0]);
        let [remark] = remarks(open, closed).try_into().unwrap();
        assert!(remark.contains("`closed_loop_depth` gives this flow 1 of 1000 requests"), "{remark}");
    }

    #[test]
    fn settings_are_idle_without_the_requests_that_they_change() {
        assert_eq!(idle_keys("zeroes_deallocate = true"), ["zeroes_deallocate"]);
        assert_eq!(idle_keys("fua_pct = 10\nzeroes_pct = 100"), ["fua_pct"]);
        assert_eq!(idle_keys("trim_ranges = 2"), ["trim_ranges"]);
        assert_eq!(idle_keys("trim_ranges = 2\ntrim_pct = 1"), [""; 0]);
        assert_eq!(idle_keys("pattern_set = 2"), ["pattern_set"]);
        assert_eq!(idle_keys("pattern_set = 2\nsearch_pct = 1"), [""; 0]);
        let rereads = "read_after_write = { pct = 10, within_writes = 4 }\nread_pct = 0";
        assert_eq!(idle_keys(rereads), ["read_after_write"]);
    }
}
