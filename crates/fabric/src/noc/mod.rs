//! Topology, reachability and faults shared by the two mesh fabrics.

mod bits;
mod board;
mod bridges;
mod faults;
mod port_set;
mod router_set;
mod settings;
mod topology;

pub use board::{Board, Place, Strand};
pub use bridges::Bridges;
pub use faults::{Faults, Paths, Reach, loss};
pub use port_set::PortSet;
pub use router_set::RouterSet;
pub use settings::{ControllerChoice, MeshLink, MeshLinkParameters, MeshParameters};
pub use topology::{LinkId, Mesh, Offset, Port, RouterId};
