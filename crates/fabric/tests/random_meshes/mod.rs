//! Random attachments of controllers to a mesh.

use proptest::prelude::*;
use venice_fabric::{Attachment, ControllerPorts};

/// Generates any valid number of ports, circuits and links of column 0.
pub(crate) fn attachments() -> impl Strategy<Value = Attachment> {
    let ports = vec![(ControllerPorts::One, 1)];
    let more = [ControllerPorts::Two, ControllerPorts::BothSides];
    let both = more.into_iter().flat_map(|ports| [(ports, 1), (ports, 2)]);
    let all = prop::sample::select(ports.into_iter().chain(both).collect::<Vec<_>>());
    (all, 1_u32..=2).prop_map(|((ports, circuits), column_0_links)| Attachment {
        ports,
        circuits,
        column_0_links,
    })
}
