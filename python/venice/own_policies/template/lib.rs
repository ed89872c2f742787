//! Policies of Venice: a Python module with the complete engine, whose catalogues also contain these policies.

MODULES
use venice_engine::crates::config::OwnPolicies;

venice_engine::python_module!(MODULE, policies);

/// Returns the policies with their names and descriptions.
fn policies() -> OwnPolicies {
    OwnPolicies::new()
POLICIES
}
