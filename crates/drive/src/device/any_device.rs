//! Drive with any fabric, as a trait object.
//!
//! # How
//! [`Device`] is compiled separately for each fabric, so that transfers need no dynamic dispatch. Dynamic
//! dispatch occurs only once for each call of [`AnyDevice::run`]. Code that inspects a drive uses `Device<dyn
//! Fabric>`.

use venice_fabric::catalogue::FabricVisitor;
use venice_fabric::{Fabric, FabricError, FabricKind, FabricSettings};
use venice_host::HostInterface;
use venice_kernel::{Engine, EngineError, EventQueue, Progress};
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::Geometry;

use crate::cache::Cache;
use crate::controller::{CoreParameters, Decoders};
use crate::ftl::Ftl;
use crate::observe::Probes;

use super::{Device, DriveEvent};

/// Components of a drive without its fabric.
pub struct Assembly<'a> {
    /// Geometry of the drive.
    pub geometry: Geometry,
    /// Settings of the flash chips.
    pub flash: FlashSettings,
    /// Host interface of the drive.
    pub host: HostInterface,
    /// Parameters of the controller's processor cores.
    pub cores: CoreParameters,
    /// Decoders of the controller; `None` if reads have no errors.
    pub decoders: Option<Decoders>,
    /// Data cache, if the drive has one.
    pub cache: Option<Cache>,
    /// Flash translation layer of the drive.
    pub ftl: Ftl,
    /// Settings of the fabric.
    pub paths: &'a FabricSettings,
    /// Probes that observe the run.
    pub probes: Probes,
}

/// Fabric from which a drive is built, with code compiled for the type of the fabric.
pub trait FabricConsumer {
    /// Joins the fabric to the other components `parts`, and returns the complete drive. `name` is the name
    /// of the fabric.
    fn join(self: Box<Self>, parts: Assembly<'_>, name: &str) -> Box<dyn AnyDevice>;
}

impl<F: Fabric + Send + 'static> FabricConsumer for F {
    fn join(self: Box<Self>, parts: Assembly<'_>, name: &str) -> Box<dyn AnyDevice> {
        Box::new(Device::new(parts, *self, name))
    }
}

/// Visitor that boxes a fabric, so that it can be joined to the rest of a drive later.
struct DriveBoxingVisitor;

impl FabricVisitor for DriveBoxingVisitor {
    type Output = Box<dyn FabricConsumer>;

    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output {
        Box::new(fabric)
    }
}

/// Creates a fabric of the catalogue, which can then be joined to the other components of a drive.
///
/// # Errors
/// Returns the errors of [`FabricKind::validate`].
pub fn joining(kind: FabricKind, settings: &FabricSettings) -> Result<Box<dyn FabricConsumer>, FabricError> {
    kind.build_with(settings, DriveBoxingVisitor)
}

/// Drive with any fabric.
pub trait AnyDevice: Send {
    /// Issues the first requests of every flow.
    fn start(&mut self, future: &mut EventQueue<DriveEvent>);

    /// Executes at most `budget` events.
    ///
    /// # Errors
    /// Returns an [`EngineError`]; the drive can then be inspected but not continued.
    fn run(&mut self, engine: &mut Engine<DriveEvent>, budget: u64) -> Result<Progress, EngineError>;

    /// Returns the drive for inspection.
    fn device(&self) -> &Device<dyn Fabric>;

    /// Returns mutable access to the drive, for use while no request is in flight.
    fn device_mut(&mut self) -> &mut Device<dyn Fabric>;
}

impl<F: Fabric + Send + 'static> AnyDevice for Device<F> {
    fn start(&mut self, future: &mut EventQueue<DriveEvent>) {
        self.start(future);
    }

    fn run(&mut self, engine: &mut Engine<DriveEvent>, budget: u64) -> Result<Progress, EngineError> {
        engine.run(self, budget)
    }

    fn device(&self) -> &Device<dyn Fabric> {
        self
    }

    fn device_mut(&mut self) -> &mut Device<dyn Fabric> {
        self
    }
}
