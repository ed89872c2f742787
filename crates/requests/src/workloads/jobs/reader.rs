//! Conversion of a job file's sections to flows. All problems of a file are reported together.

use venice_kernel::SimTime;

use super::super::workload::FlowSpec;
use super::JobProblem;
use super::flow::{self, WITHOUT_END};
use super::lines::{self, GLOBAL, JobSection};
use super::option::{self, FioJob};
use super::options;

/// Maximum number of flows in a job file.
const MAX_FLOWS: usize = 1024;

/// Reader of a job file, with the flows read so far.
pub(super) struct JobReader<'a> {
    label: &'a str,
    global: FioJob,
    /// False after an invalid value in a global section, since later jobs then lack this value.
    is_sound: bool,
    jobs: usize,
    group: u32,
    /// Line number of the first `exitall`.
    exitall_line: Option<usize>,
    flows: Vec<FlowSpec>,
    faults: Vec<JobProblem>,
}

impl<'a> JobReader<'a> {
    /// Creates a reader. `faults` are the problems that are already known.
    pub(super) fn new(label: &'a str, faults: Vec<JobProblem>) -> Self {
        let is_sound = faults.is_empty();
        let (global, flows) = (FioJob::default(), Vec::new());
        Self { label, global, is_sound, jobs: 0, group: 0, exitall_line: None, flows, faults }
    }

    /// Reads the text of a job file. Returns its flows, or its problems in the order of lines.
    pub(super) fn read(mut self, text: &str) -> Result<Vec<FlowSpec>, Vec<JobProblem>> {
        let (sections, faults) = lines::sections(text);
        self.faults.extend(faults);
        for section in &sections {
            if section.name == GLOBAL { self.add_global(section) } else { self.add_job(section) }
        }
        self.check_whole();
        if self.faults.is_empty() {
            return Ok(self.flows);
        }
        self.faults.sort_by_key(|fault| fault.line);
        self.faults.dedup();
        Err(self.faults)
    }

    fn add_global(&mut self, section: &JobSection<'_>) {
        let mut global = std::mem::take(&mut self.global);
        self.is_sound &= self.set(&mut global, section);
        self.global = global;
    }

    fn add_job(&mut self, section: &JobSection<'_>) {
        let mut job = self.global.clone();
        let mut is_sound = self.set(&mut job, section) && self.is_sound;
        if let Some(problem) = job.page_cache.take() {
            self.faults.push(problem);
            is_sound = false;
        }
        self.check_order(&job);
        self.jobs += 1;
        self.group += u32::from(job.new_group);
        if !is_sound {
            return;
        }
        let alone = (MAX_FLOWS + self.flows.len()) as u32;
        let first_queue = self.flows.iter().map(|flow| flow.queue.saturating_add(1)).max().unwrap_or(0);
        match flow::clones(&job, section, self.label, self.group, alone, first_queue) {
            Ok(flows) => self.flows.extend(flows),
            Err(faults) => self.faults.extend(faults),
        }
    }

    /// Sets the options of a section in `job`. Returns false if a value is invalid.
    fn set(&mut self, job: &mut FioJob, section: &JobSection<'_>) -> bool {
        let mut is_sound = true;
        for entry in &section.entries {
            let name = options::read_as(entry).unwrap_or_else(|fault| {
                self.faults.push(fault);
                None
            });
            if let Some(Err(fault)) = name.map(|name| option::apply(job, name, entry)) {
                self.faults.push(fault);
                is_sound = false;
            }
        }
        is_sound
    }

    /// Reports a problem if the job waits for earlier jobs to end.
    fn check_order(&mut self, job: &FioJob) {
        self.exitall_line = self.exitall_line.or(job.ends_others);
        if let Some(line) = job.after_others.filter(|_| self.jobs > 0) {
            let message = "`stonewall` is not simulated: all jobs of a file run concurrently; \
                           expected: a separate file for later jobs";
            self.faults.push(JobProblem::new(line, message));
        }
    }

    fn check_whole(&mut self) {
        if self.jobs == 0 {
            let message =
                "the file has no jobs; expected: a line with the name of a job in brackets, and its options";
            self.faults.push(JobProblem::new(1, message));
        }
        if self.flows.len() > MAX_FLOWS {
            self.faults.push(JobProblem::new(1, format!("too many jobs; expected: at most {MAX_FLOWS}")));
        }
        if let Some(line) = self.exitall_line.filter(|_| !self.ends_at_once()) {
            let message = "`exitall` is not simulated: it ends all jobs with the first one; \
                           expected: `time_based` and an equal `runtime` in all jobs";
            self.faults.push(JobProblem::new(line, message));
        }
    }

    /// Returns true if the runtimes of all jobs end at the same time, regardless of the drive.
    fn ends_at_once(&self) -> bool {
        let end = |flow: &FlowSpec| flow.spec.stop().filter(|_| flow.spec.requests() >= WITHOUT_END);
        let ends: Vec<Option<SimTime>> = self.flows.iter().map(end).collect();
        ends.len() < 2 || (ends[0].is_some() && ends.iter().all(|end| *end == ends[0]))
    }
}
