//! Drive with any fabric, behind one interface.
//!
//! # How
//! [`Device`] is monomorphised per fabric. Dynamic dispatch happens once per call of [`AnyDevice::run`], not
//! per transfer; inspection uses `Device<dyn Fabric>`.

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
    /// Geometry.
    pub geometry: Geometry,
    /// Chip settings.
    pub flash: FlashSettings,
    /// Host interface.
    pub host: HostInterface,
    /// Cores of the controller.
    pub cores: CoreParameters,
    /// Decoders of the controller, if the drive has any.
    pub decoders: Option<Decoders>,
    /// Data cache, if the drive has one.
    pub cache: Option<Cache>,
    /// Flash translation layer.
    pub ftl: Ftl,
    /// Fabric settings.
    pub paths: &'a FabricSettings,
    /// Probes of the run.
    pub probes: Probes,
}

/// Consumer of a fabric, which builds a drive that is monomorphised for the fabric.
pub trait FabricConsumer {
    /// Builds the drive with this fabric under the name `name`.
    fn join(self: Box<Self>, parts: Assembly<'_>, name: &str) -> Box<dyn AnyDevice>;
}

impl<F: Fabric + Send + 'static> FabricConsumer for F {
    fn join(self: Box<Self>, parts: Assembly<'_>, name: &str) -> Box<dyn AnyDevice> {
        Box::new(Device::new(parts, *self, name))
    }
}

/// Visitor that keeps the fabric as a trait object until it is part of a drive.
struct DriveBoxingVisitor;

impl FabricVisitor for DriveBoxingVisitor {
    type Output = Box<dyn FabricConsumer>;

    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output {
        Box::new(fabric)
    }
}

/// Builds a fabric of the catalogue for a drive.
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

    /// Returns the drive for modification while no request is in flight.
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
