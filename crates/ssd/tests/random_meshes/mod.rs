//! How controllers are joined to a mesh, drawn at random.

use proptest::prelude::*;
use venice_ssd::fabric::{Attachment, ControllerPorts};

/// Any number of ports, circuits and links of column 0 that is allowed.
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
