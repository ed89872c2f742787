//! A drive with any fabric, for who runs it and looks at it.
//!
//! # How
//! [`Device`] is compiled once for each fabric. Which one a drive has is asked once for each call of [`AnyDevice::run`], not with
//! every transfer; its rooms are seen as those of a `Device<dyn Fabric>`.

use venice_kernel::{Engine, EngineError, EventQueue, Progress};

use crate::cache::Cache;
use crate::chip::FlashSettings;
use crate::fabric::{Fabric, FabricError, FabricSettings};
use crate::ftl::Ftl;
use crate::geometry::Geometry;
use crate::host::HostInterface;
use crate::observe::Probes;
use crate::registry::{FabricKind, FabricVisitor};

use super::{Device, Event};

/// What a drive is assembled from, but for its fabric.
pub struct Assembly<'a> {
    /// How many of everything.
    pub geometry: Geometry,
    /// The chips.
    pub flash: FlashSettings,
    /// The host's side.
    pub host: HostInterface,
    /// The data cache, if the drive has one.
    pub cache: Option<Cache>,
    /// The flash translation layer.
    pub ftl: Ftl,
    /// What fabrics are told.
    pub paths: &'a FabricSettings,
    /// Who looks at the run.
    pub probes: Probes,
}

/// A fabric about to be built into a drive that is compiled for it.
pub trait Joins {
    /// The drive with this fabric, which is called `name`.
    fn join(self: Box<Self>, parts: Assembly<'_>, name: &str) -> Box<dyn AnyDevice>;
}

impl<F: Fabric + Send + 'static> Joins for F {
    fn join(self: Box<Self>, parts: Assembly<'_>, name: &str) -> Box<dyn AnyDevice> {
        Box::new(Device::new(parts, *self, name))
    }
}

/// Hides the type of a fabric until it joins a drive.
struct Boxed;

impl FabricVisitor for Boxed {
    type Output = Box<dyn Joins>;

    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output {
        Box::new(fabric)
    }
}

/// Builds a fabric of the catalogue for a drive.
///
/// # Errors
/// Those of [`FabricKind::validate`].
pub fn joining(kind: FabricKind, settings: &FabricSettings) -> Result<Box<dyn Joins>, FabricError> {
    kind.build_with(settings, Boxed)
}

/// A drive with one of the fabrics.
pub trait AnyDevice: Send {
    /// Issues the first requests of every flow.
    fn start(&mut self, future: &mut EventQueue<Event>);

    /// Executes at most `budget` events.
    ///
    /// # Errors
    /// [`EngineError`]; the drive can be inspected afterwards, not continued.
    fn run(&mut self, engine: &mut Engine<Event>, budget: u64) -> Result<Progress, EngineError>;

    /// Its rooms.
    fn device(&self) -> &Device<dyn Fabric>;

    /// Its rooms, for what is done to them when nothing is in flight.
    fn device_mut(&mut self) -> &mut Device<dyn Fabric>;
}

impl<F: Fabric + Send + 'static> AnyDevice for Device<F> {
    fn start(&mut self, future: &mut EventQueue<Event>) {
        self.start(future);
    }

    fn run(&mut self, engine: &mut Engine<Event>, budget: u64) -> Result<Progress, EngineError> {
        engine.run(self, budget)
    }

    fn device(&self) -> &Device<dyn Fabric> {
        self
    }

    fn device_mut(&mut self) -> &mut Device<dyn Fabric> {
        self
    }
}
