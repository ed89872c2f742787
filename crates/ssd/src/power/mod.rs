//! Energy, power and board area, computed from what a run counted.
//!
//! # What it models
//! Energy by component: energy of each action × how often it happened, and static power × time.
//! Area of routers and links beside the chips, as the Venice paper counts it.
//!
//! # How
//! Nothing happens during a run: every figure follows from counters that the models keep anyway
//! ([`Activity`]) and from [`PowerSettings`]. The total is the sum of the components, by construction
//! and by test.
//!
//! Two energies are told, named apart. The *physical* one is [`Energy::total_uj`]. The *paper's* one
//! ([`PaperEnergy`]) is mean power × execution time, where power is that of the components which
//! serve a transfer, whether they are busy or not; see that type.
//!
//! # What is left out
//! Voltage and temperature; power states of controller, memory and link; the energy of suspensions;
//! peaks (a cap on the power of a chip is a matter of its configuration).
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §6.6 and Table 4 (routers, links, channels, areas); Chun et al.,
//! `PiF`, `HotStorage` 2022 (arrays). The other constants are the presets' assumptions.
//!
//! # Parameters
//! `power.*` and `area.*`.

mod activity;
mod area;
mod energy;
mod paper;
mod settings;

pub use activity::Activity;
pub use area::BoardArea;
pub use energy::{Component, Energy};
pub use paper::PaperEnergy;
pub(crate) use settings::MOST_MW;
pub use settings::{AreaSettings, PowerSettings};
