//! What the two mesh fabrics share: the shape of the mesh.

mod topology;

pub use topology::{LinkId, Mesh, Offset, Port, RouterId};
