//! Integration tests of the crate, compiled into one program.

mod mqsim_config;
mod mqsim_flows;
