//! What the two mesh fabrics share: the shape of the mesh.

mod port_set;
mod topology;

pub use port_set::PortSet;
pub use topology::{LinkId, Mesh, Offset, Port, RouterId};
