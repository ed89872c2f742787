//! Victim policy implemented in Python, as an object with the methods of `venice.VictimPolicy`.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use venice_drive::ftl::{Candidate, Candidates, VictimSelection};

use crate::error;
use crate::python_policies::{PolicyFailure, expect_methods};

/// Block that is eligible for garbage collection.
#[pyclass(frozen, get_all, module = "venice._native")]
pub struct CandidateBlock {
    /// Number of the block within its plane.
    index: u32,
    /// Number of valid pages, which garbage collection would have to relocate.
    valid: u32,
    /// Number of blocks of the drive that have become full since this block became full, counting this block.
    age: u64,
    /// Number of erases of the block.
    erases: u32,
}

#[pymethods]
impl CandidateBlock {
    /// Returns a text with all fields.
    fn __repr__(&self) -> String {
        let Self { index, valid, age, erases } = self;
        format!("CandidateBlock(index={index}, valid={valid}, age={age}, erases={erases})")
    }
}

impl From<Candidate> for CandidateBlock {
    fn from(Candidate { index, valid, age, erases }: Candidate) -> Self {
        Self { index, valid, age, erases }
    }
}

/// Victim policy that calls a Python object. Copies of the policy share the object.
#[derive(Clone, Debug)]
pub struct PythonVictim {
    object: Arc<Py<PyAny>>,
    failure: PolicyFailure,
}

impl PythonVictim {
    /// Creates the policy. Exceptions of the object are stored in `failure`.
    ///
    /// # Errors
    /// Returns `UsageError` if the object has no method `choose`.
    pub fn new(object: &Bound<'_, PyAny>, failure: PolicyFailure) -> PyResult<Self> {
        expect_methods(object, "victim_policy", &["choose"])?;
        Ok(Self { object: Arc::new(object.clone().unbind()), failure })
    }
}

impl VictimSelection for PythonVictim {
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32> {
        if self.failure.is_set() {
            return None;
        }
        let blocks: Vec<CandidateBlock> = candidates.all().map(CandidateBlock::from).collect();
        let chosen = Python::attach(|py| -> PyResult<Option<u32>> {
            let blocks = PyList::new(py, blocks)?;
            let chosen = self.object.bind(py).call_method1("choose", (blocks, must))?;
            chosen
                .extract()
                .map_err(|_| error::wrong_result("choose", &chosen, "the `index` of a candidate, or None"))
        });
        chosen.unwrap_or_else(|raised| {
            self.failure.set(raised);
            // No block has this number, so that the run ends with an error.
            Some(u32::MAX)
        })
    }
}
