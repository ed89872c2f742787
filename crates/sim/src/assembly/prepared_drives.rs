//! Cache of preconditioned drives for several runs.
//!
//! # How
//!
//! Preconditioning depends only on some settings, which do not include the fabric. Runs with equal
//! settings start with copies of the same drive. Copying a drive of a terabyte takes some hundredths of a
//! second.

use std::sync::{Arc, Mutex, PoisonError};

use venice_drive::ftl::{ExternalVictim, Ftl, FtlSettings, PreconditionMode, PreconditionSettings};
use venice_kernel::mem::KeptMemory;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::Geometry;

use super::{DriveSettings, SelectedPolicies};

/// Cache of preconditioned drives, shared by runs on any number of threads.
#[derive(Debug)]
pub struct PreparedDrives {
    most_bytes: u64,
    /// Preconditioned drives in the order of their last use.
    kept: Mutex<Vec<PreparedDrive>>,
    /// Guard that keeps the memory of tables allocated between runs, so that the next run can reuse this
    /// memory.
    _memory: KeptMemory,
}

/// Preconditioned drive, or `None` while a thread is preparing it.
type SharedDrive = Arc<Mutex<Option<Ftl>>>;

/// All settings on which the preconditioning of a drive depends.
#[derive(Clone, Debug, PartialEq)]
struct PreconditionKey {
    geometry: Geometry,
    ftl: FtlSettings,
    flash: FlashSettings,
    precondition: PreconditionSettings,
    own: SelectedPolicies,
    is_audited: bool,
}

#[derive(Clone, Debug)]
struct PreparedDrive {
    cause: PreconditionKey,
    /// Preconditioned drive. The mutex is locked during preconditioning.
    drive: SharedDrive,
}

impl PreparedDrives {
    /// Creates a cache of about `most_bytes` bytes for the most recently used drives. The most recent drive
    /// is always kept.
    pub fn new(most_bytes: u64) -> Self {
        Self { most_bytes, kept: Mutex::default(), _memory: KeptMemory::open() }
    }

    /// Returns the number of drives in the cache.
    pub fn count(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns a preconditioned drive for the settings `settings`. If another thread is preparing the drive,
    /// the calling thread waits for it.
    pub(super) fn drive(&self, settings: &DriveSettings, audit: bool) -> Ftl {
        if settings.precondition.mode == PreconditionMode::None {
            return drive(settings, None, audit);
        }
        let place = self.place_of(&PreconditionKey::of(settings, audit));
        let mut prepared = place.lock().unwrap_or_else(PoisonError::into_inner);
        prepared.get_or_insert_with(|| drive(settings, None, audit)).clone()
    }

    fn place_of(&self, cause: &PreconditionKey) -> SharedDrive {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match kept.iter().position(|one| one.cause == *cause) {
            Some(place) => kept.remove(place),
            None => PreparedDrive { cause: cause.clone(), drive: Arc::default() },
        };
        kept.push(found.clone());
        while kept.len() > 1
            && kept.iter().map(|one| memory_of(&one.cause.geometry)).sum::<u64>() > self.most_bytes
        {
            kept.remove(0);
        }
        found.drive
    }
}

impl PreconditionKey {
    fn of(settings: &DriveSettings, is_audited: bool) -> Self {
        Self {
            geometry: settings.geometry,
            ftl: settings.ftl.clone(),
            flash: settings.flash.clone(),
            precondition: settings.precondition.clone(),
            own: SelectedPolicies { victim: settings.own.victim.clone(), ..SelectedPolicies::default() },
            is_audited,
        }
    }
}

/// Returns the approximate memory of the tables of a full drive: 1.2 bytes per flash page, measured on drives
/// of 100 million to 1.6 billion pages.
const fn memory_of(geometry: &Geometry) -> u64 {
    geometry.pages() * 6 / 5
}

/// Creates a preconditioned drive. A user-defined victim selection policy replaces the one in the settings.
pub(super) fn drive(settings: &DriveSettings, victim: Option<ExternalVictim>, audit: bool) -> Ftl {
    let mut ftl = erased(settings, victim, audit);
    ftl.precondition(&settings.precondition);
    ftl
}

/// Creates an erased drive, which has not been preconditioned.
pub(super) fn erased(settings: &DriveSettings, victim: Option<ExternalVictim>, audit: bool) -> Ftl {
    let mut ftl = Ftl::new(settings.geometry, settings.ftl.clone(), &settings.flash, audit);
    let victim = victim.or_else(|| settings.own.build_victim(&settings.geometry, settings.ftl.seed));
    if let Some(victim) = victim {
        ftl.choose_victims_by(victim);
    }
    ftl
}
