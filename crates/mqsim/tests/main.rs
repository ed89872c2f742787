//! Every test of MQSim's files from outside, in one program.

mod mqsim_config;
mod mqsim_flows;
