//! Topology, reachability and faults shared by the two mesh fabrics.

mod bits;
mod bridges;
mod faults;
mod free_links;
mod port_set;
mod router_set;
mod settings;
mod topology;

pub use bridges::Bridges;
pub use faults::{Faults, ReachableChips, RoutablePaths, loss};
pub use free_links::{FreeLinks, LinkIndex, PathLinks};
pub use port_set::PortSet;
pub use router_set::RouterSet;
pub use settings::{ControllerChoice, MeshLink, MeshLinkParameters, MeshParameters};
pub use topology::{LinkId, Mesh, Port, RouterId, RouterOffset};
