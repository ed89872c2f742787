//! MQSim's input files: `ssdconfig.xml` and `workload.xml`, with MQSim's interpretation.
//!
//! # How
//! [`read_config`] and [`read_workload`] return typed parameters. Errors are reported as a [`ConfigError`]
//! with their locations, doubtful values as a [`Notice`]. [`drive()`] converts the device to a drive
//! configuration, which `--fabric` and `--set` can change like a drive file. [`flows()`] converts a scenario
//! to request sources. [`remarks`] lists the requested features that Venice does not have.
//!
//! # What is left out
//! `USE_INTERNAL_PARAMS` in place of a workload, and the files that MQSim writes if its input is missing.
//!
//! # Source
//! Tavakkol et al., "MQSim: A Framework for Enabling Realistic Studies of Modern Multi-Queue SSD Devices",
//! FAST 2018; parameters and their meaning as of commit 7ec40e3 of its public code.

mod drive;
mod execution;
mod finding;
mod flows;
mod generator;
mod parameters;
mod partition;
mod precondition;
mod tag_types;
mod tree;
mod unsupported_features;
mod workload;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use venice_config::{
    ConfigError, Document, FabricOption, Problem, ResolvedDrive, SourcePosition, load_table, read_text,
};

use finding::Findings;
use tree::Element;

pub use execution::{
    AddressMapping, CachingMechanism, DeviceParameters, Execution, FlashParameters, FlashProtocol,
    FlashTechnology, HostInterface, HostParameters, MemoryType, Scheduling, SharingMode, Suspension,
    VictimSelection,
};
pub use finding::{Notice, Severity};
pub use flows::{FlowPlan, flow, flows};
pub use partition::{FlowSpace, page_cuts, spaces};
pub use precondition::precondition;
pub use tag_types::{IdList, PlaneOrder, TaggedValue};
pub use workload::{
    AddressDistribution, CachingMode, CommonParameters, FlowOrigin, FlowParameters, Generator, MqsimWorkload,
    PriorityClass, Scenario, SizeDistribution, SyntheticParameters, TimeUnit, TraceParameters,
};

/// Content of a configuration file that requests MQSim's compiled-in values for all parameters.
const INTERNAL: &str = "USE_INTERNAL_PARAMS";

/// Reads `ssdconfig.xml`.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems of the file.
pub fn read_config(path: &Path) -> Result<(Execution, Vec<Notice>), ConfigError> {
    config_of(open(path)?)
}

/// Reads the text of an `ssdconfig.xml`; messages show `name` as the file name.
///
/// # Errors
/// Returns the errors of [`read_config`].
pub fn parse_config(name: &str, text: &str) -> Result<(Execution, Vec<Notice>), ConfigError> {
    config_of(Document { name: name.to_owned(), text: text.to_owned() })
}

/// Reads `workload.xml`. Relative paths of traces refer to the folder of the file.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems of the file, including resources that the drive does not have.
pub fn read_workload(
    path: &Path,
    execution: &Execution,
) -> Result<(MqsimWorkload, Vec<Notice>), ConfigError> {
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    workload_of(open(path)?, folder, execution)
}

/// Reads the text of a `workload.xml`. Messages show `name` as the file name, and relative paths of traces
/// refer to `folder`.
///
/// # Errors
/// Returns the errors of [`read_workload`].
pub fn parse_workload(
    name: &str,
    text: &str,
    folder: &Path,
    execution: &Execution,
) -> Result<(MqsimWorkload, Vec<Notice>), ConfigError> {
    let document = Document { name: name.to_owned(), text: text.to_owned() };
    workload_of(document, folder.to_owned(), execution)
}

fn workload_of(
    document: Document,
    folder: PathBuf,
    execution: &Execution,
) -> Result<(MqsimWorkload, Vec<Notice>), ConfigError> {
    let document = Arc::new(document);
    let mut findings = Findings::new(Arc::clone(&document));
    let root = root(&document, MqsimWorkload::ROOT, &mut findings)?;
    let workload = MqsimWorkload::read(&root, &document, folder, &mut findings);
    check_ids(execution, workload.as_ref(), &mut findings);
    findings.conclude(workload)
}

/// Returns the drive that a configuration defines for a scenario. The flows of the scenario determine the
/// data cache; without a scenario the cache is disabled. `fabric`, `sets` and `seed` are the values of the
/// command-line options.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems. Problems of the file have their locations.
pub fn drive(
    execution: &Execution,
    scenario: Option<&Scenario>,
    fabric: Option<&str>,
    sets: &[String],
    seed: Option<u64>,
) -> Result<ResolvedDrive, ConfigError> {
    load_table(drive::table(execution, scenario), fabric.map(FabricOption::from), sets, seed)
}

/// Returns remarks on features which Venice does not have, but which a configuration or the chosen scenarios
/// of a workload request. Equal remarks on several lines are merged.
pub fn remarks(execution: &Execution, workload: Option<(&MqsimWorkload, &[usize])>) -> Vec<Notice> {
    let mut all = unsupported_features::of_execution(execution);
    if let Some((workload, chosen)) = workload {
        let scenarios = chosen.iter().filter_map(|&number| workload.scenarios.get(number));
        all.extend(
            scenarios.flat_map(|scenario| unsupported_features::of_scenario(execution, workload, scenario)),
        );
    }
    finding::merged(all)
}

fn open(path: &Path) -> Result<Document, ConfigError> {
    let text = read_text(path).map_err(|message| {
        let expected = "expected: a file of MQSim, ssdconfig.xml or workload.xml";
        ConfigError::new(vec![Problem::new(message).note(expected)])
    })?;
    Ok(Document { name: path.display().to_string(), text })
}

fn config_of(document: Document) -> Result<(Execution, Vec<Notice>), ConfigError> {
    let document = Arc::new(document);
    let mut findings = Findings::new(Arc::clone(&document));
    let root = if document.text.trim() == INTERNAL {
        Element::default()
    } else {
        root(&document, Execution::ROOT, &mut findings)?
    };
    let execution = Execution::read(&root, &document, &mut findings);
    findings.conclude(execution)
}

/// Returns the outermost element of a document. Reports an error if the element is not called `name`.
fn root(document: &Arc<Document>, name: &str, findings: &mut Findings) -> Result<Element, ConfigError> {
    let located = |problem: Problem, span| {
        let place = SourcePosition { document: Arc::clone(document), span: Some(span) };
        ConfigError::new(vec![problem.at(Some(place))])
    };
    let tree = tree::parse(&document.text).map_err(|broken| {
        located(Problem::new("this is not valid XML").hint(Some(broken.message)), broken.span)
    })?;
    for mismatch in &tree.mismatches {
        let text = format!("the closing tag is read as </{}>, as in MQSim", mismatch.name);
        findings.warn(&mismatch.span, text);
    }
    let found = tree.roots.first().map_or(0..0, |root| root.name_span.clone());
    let mut roots = tree.roots.into_iter();
    roots.find(|root| root.name == name).ok_or_else(|| {
        let problem = Problem::new(format!("the tag `{name}` is missing"));
        located(problem.note(format!("expected: <{name}> as the outermost tag")), found)
    })
}

/// Reports resource identifiers of flows beyond the resources of the drive.
fn check_ids(execution: &Execution, workload: Option<&MqsimWorkload>, findings: &mut Findings) {
    let scenarios = workload.map_or(&[][..], |workload| &workload.scenarios);
    for flow in scenarios.iter().flat_map(|scenario| &scenario.flows) {
        for (list, count) in unsupported_features::id_lists(execution, flow) {
            let beyond = list.value.0.iter().find(|&&id| u32::from(id) >= count);
            if let (Some(id), Some(span)) = (beyond, &list.span) {
                let problem =
                    Problem::new(format!("`{}` contains {id}, but the drive has {count}", list.tag));
                findings.refuse(span, problem.note(format!("expected: numbers from 0 to {}", count - 1)));
            }
        }
    }
}
