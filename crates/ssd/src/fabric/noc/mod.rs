//! What the two mesh fabrics share: the shape of the mesh, and what fails in it.

mod faults;
mod port_set;
mod topology;

pub use faults::{Faults, Paths, Reach, lost_chips};
pub use port_set::PortSet;
pub use topology::{LinkId, Mesh, Offset, Port, RouterId};
