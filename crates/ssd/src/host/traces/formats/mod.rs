//! One file per format; `super::registry` names them.

pub(crate) mod mqsim_ascii;
pub(crate) mod msr_csv;
pub(crate) mod replay_ms;
