//! Tests of workloads that extend others.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;

use tempfile::TempDir;
use venice_requests::workloads::{
    AddressPattern, DescribedWorkload, Footprint, Gaps, OpenLoop, Pacing, SizeMix, Workload,
    complete_workload, load_workload,
};

fn written(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn described(text: &str) -> DescribedWorkload {
    DescribedWorkload { label: "mine".to_owned(), text: text.to_owned() }
}

/// Returns the error message for a definition.
#[track_caller]
fn message(text: &str) -> String {
    described(text).load().expect_err("it is faulty").to_string()
}

fn open_loop(workload: &Workload) -> OpenLoop {
    match workload.flows()[0].spec.pacing() {
        Pacing::OpenLoop(open_loop) => open_loop,
        closed @ Pacing::ClosedLoop { .. } => panic!("{closed:?}"),
    }
}

#[test]
fn own_values_override_inherited_ones() {
    let text = "extends = 'bursty-oltp'\nrequests = 7\naddress.align_bytes = 8192\nsize.fixed_bytes = 512";
    let workload = described(text).load().unwrap();
    let spec = &workload.flows()[0].spec;
    assert_eq!((workload.requests(), workload.label()), (7, "mine"));
    assert_eq!(spec.sizes(), &SizeMix::Fixed(1));
    let places = spec.places();
    assert_eq!((places.align_sectors, places.footprint), (16, Footprint::DriveRatio(0.25)));
    assert!(matches!(places.pattern, AddressPattern::HotCold { .. }));
    let base = load_workload("bursty-oltp").unwrap();
    assert_eq!(open_loop(&workload), open_loop(&base));
    assert_eq!(workload.description(), "bursty-oltp, but for: address, requests, size");
    assert!(
        workload.provenance().starts_with("mine; the rest: assumed: the shape of"),
        "{}",
        workload.provenance()
    );
}

#[test]
fn a_closed_loop_takes_the_place_of_an_open_one_and_a_rate_that_of_a_gap() {
    let closed = described("extends = 'bursty-oltp'\nclosed_loop_depth = 3").load().unwrap();
    assert!(matches!(closed.flows()[0].spec.pacing(), Pacing::ClosedLoop { depth: 3, .. }));
    let open = "extends = 'random-read'\nopen_loop = { mean_gap_us = 5, gaps = 'constant' }";
    assert_eq!(open_loop(&described(open).load().unwrap()).gaps, Gaps::Constant);
    let faster = described("extends = 'bursty-oltp'\nopen_loop.mb_per_s = 8192").load().unwrap();
    // One tenth 4,096 bytes, eight tenths 8,192 and one tenth 16,384, at 8,192 bytes per microsecond.
    assert_eq!(open_loop(&faster).mean_gap.as_ps(), 1_050_000);
}

#[test]
fn files_extend_files_in_their_folder_and_keep_their_own_name() {
    let folder = TempDir::new().unwrap();
    written(&folder, "base.toml", "extends = 'random-read'\nread_pct = 30\nname = 'under'");
    let name = written(&folder, "mine.toml", "extends = 'base.toml'\nrequests = 5\ndescription = 'told'");
    let workload = load_workload(&name).unwrap();
    let spec = &workload.flows()[0].spec;
    assert_eq!((workload.label(), workload.description(), workload.requests()), ("mine", "told", 5));
    assert!((spec.read_ratio() - 0.3).abs() < 1e-12);
    let named = written(&folder, "named.toml", "extends = 'mine.toml'\nname = 'own'");
    assert_eq!(load_workload(&named).unwrap().label(), "own");
}

#[test]
fn mixes_are_extended_as_mixes_and_have_flows_that_are_described() {
    let mix = described("extends = 'mix1'\nrequests = 100\nmean_gap_us = 3").load().unwrap();
    assert_eq!((mix.requests(), mix.flows().len()), (100, 2));
    assert!(message("extends = 'mix1'\nread_pct = 3").contains("unknown key `read_pct`"));
    let text = "extends = 'mix1'\nflows = [{ extends = 'hm_0', name = 'half', read_pct = 50 }, 'proj_3']";
    let mix = described(text);
    let loaded = mix.load().unwrap();
    assert!((loaded.flows()[0].spec.read_ratio() - 0.5).abs() < 1e-12);
    assert_eq!(loaded.flows()[0].spec.label(), "mine/half");
    let complete = mix.complete().unwrap();
    assert_eq!(
        (&complete["flows"][0]["name"], &complete["flows"][0]["read_pct"]),
        (&"half".into(), &50.0.into())
    );
    assert_eq!(complete["flows"][1]["read_pct"], 95.0);
}

#[test]
fn a_mix_finds_the_files_of_its_flows_beside_the_file_that_names_them() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("flows")).unwrap();
    written(&folder, "base.toml", "extends = 'random-read'\nread_pct = 30");
    written(&folder, "flows/one.toml", "extends = '../base.toml'\nread_pct = 10");
    let flows = "flows = ['one.toml', { extends = '../base.toml', name = 'two' }, { extends = 'hm_0' }]";
    let mix = format!("description = 'd'\nsource = 's'\nsynthetic = true\nrequests = 30\n{flows}");
    let mix = written(&folder, "flows/mix.toml", &mix);
    let over = written(&folder, "over.toml", "extends = 'flows/mix.toml'\nrequests = 20");
    for (path, label) in [(mix, "mix"), (over, "over")] {
        let workload = load_workload(&path).unwrap();
        let told: Vec<_> = workload.flows().iter().map(|flow| flow.spec.label()).collect();
        assert_eq!(told, ["one", "two", "flow 3"].map(|name| format!("{label}/{name}")));
        let reads: Vec<_> = workload.flows().iter().map(|flow| flow.spec.read_ratio()).collect();
        assert_eq!(reads[..2], [0.1, 0.3]);
        let complete = described(&toml::to_string(&complete_workload(&path).unwrap()).unwrap());
        let again: Vec<_> =
            complete.load().unwrap().flows().iter().map(|flow| flow.spec.read_ratio()).collect();
        assert_eq!(again, reads);
    }
}

#[test]
fn an_error_in_a_flow_names_the_flow() {
    let mix = |flow: &str| message(&format!("extends = 'mix1'\nflows = [{flow}, 'proj_3']"));
    assert_eq!(
        mix("{ extends = 'hm_0', read_pct = 101 }"),
        "`read_pct` is 101\n  --> mine, flow 1\n   = expected: from 0 to 100"
    );
    assert!(
        mix("{ extends = 'hm_0', raed_pct = 1 }").starts_with("unknown key `raed_pct`\n  --> mine, flow 1\n")
    );
    let missing = mix("{ read_pct = 1 }");
    assert!(missing.starts_with("the keys `description`, `source`, "), "{missing}");
    assert!(missing.contains(" are missing\n  --> mine, flow 1\n"), "{missing}");
    assert!(
        mix("3").starts_with("invalid flow\n  --> mine\n   = expected: the name of a workload"),
        "{}",
        mix("3")
    );
    assert!(mix("'mix2'").contains("unknown key `flows`"), "{}", mix("'mix2'"));
    let folder = TempDir::new().unwrap();
    let job = written(&folder, "jobs.fio", "[one]\nrw=read\n");
    let said = mix(&format!("'{job}'"));
    assert!(said.contains("jobs.fio` is a job file, which cannot be a flow of a mix\n"), "{said}");
}

#[test]
fn a_complete_workload_has_no_base_and_gives_equal_requests() {
    for text in ["extends = 'bursty-oltp'\nrequests = 7", "extends = 'random-read'\nthink_us = 2"] {
        let complete = described(text).complete().unwrap();
        assert!(complete.get("extends").is_none());
        let again = described(&toml::to_string(&complete).unwrap()).load().unwrap();
        assert_eq!(again, described(text).load().unwrap());
    }
}

#[test]
fn what_cannot_be_extended_is_refused_by_one_message() {
    assert_eq!(
        message("extends = 'random-raed'"),
        "unknown workload `random-raed`\n   = did you mean `random-read`?\n   = expected: a built-in workload (see `venice \
         workloads`), a workload file (.toml), or a fio job file (.fio)"
    );
    let folder = TempDir::new().unwrap();
    let circle = written(&folder, "circle.toml", "extends = 'circle.toml'");
    let said = load_workload(&circle).unwrap_err().to_string();
    assert!(said.starts_with("more than 16 workloads extend one another\n"), "{said}");
    let job = written(&folder, "jobs.fio", "[one]\nrw=read\n");
    let said = message(&format!("extends = '{job}'"));
    assert!(said.contains("jobs.fio` is a job file, which cannot be extended\n"), "{said}");
    assert_eq!(
        message("extends = 'random-read'\nread_pct = 101"),
        "`read_pct` is 101\n  --> mine\n   = expected: from 0 to 100"
    );
    let said = message("extends = 'random-read'\nrequests = 'many'");
    assert!(said.starts_with("`requests` is \"many\"\n"), "{said}");
    let said = message("extends = 'random-read'\nread_pct = ");
    assert!(said.starts_with("invalid TOML\n  --> mine:2:"), "{said}");
}
