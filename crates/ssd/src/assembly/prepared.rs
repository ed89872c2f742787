//! Drives prepared once for several runs.
//!
//! # How
//! What preconditioning leaves follows from the settings that it reads, the fabric not among them; so runs with equal settings begin with
//! copies of one drive. A copy takes as long as its memory, some hundredths of a second for a terabyte.

use std::sync::{Arc, Mutex, PoisonError};

use crate::chip::FlashSettings;
use crate::ftl::{Ftl, FtlSettings, OwnVictim, PreconditionMode, PreconditionSettings, choose_victims_by};
use crate::geometry::{Geometry, KeptMemory};

use super::DriveSettings;

/// Prepared drives, for runs on any number of threads.
#[derive(Debug)]
pub struct Preparations {
    most_bytes: u64,
    /// The last one that was asked for comes last.
    kept: Mutex<Vec<Kept>>,
    /// Runs that share prepared drives follow each other; so do their tables.
    _memory: KeptMemory,
}

/// Of a drive, once somebody has prepared it.
type Place = Arc<Mutex<Option<Ftl>>>;

/// All that a drive's preparation follows from.
#[derive(Clone, Debug, PartialEq)]
struct Cause {
    geometry: Geometry,
    ftl: FtlSettings,
    flash: FlashSettings,
    precondition: PreconditionSettings,
    is_audited: bool,
}

#[derive(Clone, Debug)]
struct Kept {
    cause: Cause,
    /// Locked while it is prepared.
    drive: Place,
}

impl Preparations {
    /// Keeps drives of about so many bytes of memory, those that were asked for last; the last one in any case.
    pub fn new(most_bytes: u64) -> Self {
        Self { most_bytes, kept: Mutex::default(), _memory: KeptMemory::open() }
    }

    /// How many drives are kept.
    pub fn count(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// A drive of these settings, prepared. Who asks for one that another thread prepares waits for it.
    pub(super) fn drive(&self, settings: &DriveSettings, audit: bool) -> Ftl {
        if settings.precondition.mode == PreconditionMode::None {
            return drive(settings, None, audit);
        }
        let place = self.place_of(&Cause::of(settings, audit));
        let mut prepared = place.lock().unwrap_or_else(PoisonError::into_inner);
        prepared.get_or_insert_with(|| drive(settings, None, audit)).clone()
    }

    fn place_of(&self, cause: &Cause) -> Place {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match kept.iter().position(|one| one.cause == *cause) {
            Some(place) => kept.remove(place),
            None => Kept { cause: cause.clone(), drive: Arc::default() },
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

impl Cause {
    fn of(settings: &DriveSettings, is_audited: bool) -> Self {
        Self {
            geometry: settings.geometry,
            ftl: settings.ftl.clone(),
            flash: settings.flash.clone(),
            precondition: settings.precondition.clone(),
            is_audited,
        }
    }
}

/// Bytes of the tables of a filled drive, about: 1.2 for a flash page, measured on drives of 100 million to 1.6 billion pages.
const fn memory_of(geometry: &Geometry) -> u64 {
    geometry.pages() * 6 / 5
}

/// A drive of these settings, prepared; a victim policy from outside the catalogue takes the place of that of the settings.
pub(super) fn drive(settings: &DriveSettings, victim: Option<OwnVictim>, audit: bool) -> Ftl {
    let mut ftl = erased(settings, victim, audit);
    ftl.precondition(&settings.precondition);
    ftl
}

/// The same before it is prepared.
pub(super) fn erased(settings: &DriveSettings, victim: Option<OwnVictim>, audit: bool) -> Ftl {
    let mut ftl = Ftl::new(settings.geometry, settings.ftl.clone(), settings.flash.clone(), audit);
    if let Some(victim) = victim {
        choose_victims_by(&mut ftl, victim);
    }
    ftl
}
