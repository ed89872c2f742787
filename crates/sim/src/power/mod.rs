//! Energy, power and board area, computed from the counters of a run.
//!
//! # What it models
//! The energy of a component is energy per operation × number of operations, plus static power × time. The
//! area of routers and links between the chips is computed as in the Venice paper.
//!
//! # How
//! All figures are computed after the run from counters of the models ([`RunActivity`]) and from
//! [`PowerSettings`]. The total is the sum of the components.
//!
//! Two energies are reported. The *physical* energy is [`Energy::total_uj`]. The *paper's* energy
//! ([`PaperEnergy`]) is the mean power of a busy array and of a path in use, times the execution time.
//!
//! # What is left out
//! Voltage and temperature; power states of controller, memory and link; energy of suspensions; peak power.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §6.6 and Table 4 (routers, links, channels, areas); Chun et al., `PiF`,
//! `HotStorage` 2022 (arrays). The other constants are assumptions, stated in the presets.
//!
//! # Parameters
//! `power.*` and `area.*`.

mod activity;
mod area;
mod energy;
mod paper;
mod settings;

pub use activity::RunActivity;
pub use area::BoardArea;
pub use energy::{Component, Energy};
pub use paper::PaperEnergy;
pub use settings::{AreaSettings, MAX_MW, PowerSettings};
