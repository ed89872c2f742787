//! Energy as computed in the Venice paper: mean power × execution time.
//!
//! The paper gives one mean power for each design and multiplies it by the execution time of the workload. A
//! drive that is twice as fast therefore takes half the energy for the same work. This differs from the
//! physical energy, so both are reported. The paper does not define the mean power. Here it is the power of a
//! busy array, averaged over operations, plus the power of a path with all its components, averaged over
//! transfers.

use venice_kernel::SimSpan;

use super::energy::uj;
use super::{Component, Energy, PowerSettings, RunActivity};

/// Energy as computed in the Venice paper: mean power of a busy array and of a path in use, times the
/// execution time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaperEnergy {
    /// Power of a busy array, averaged over the busy time of all arrays.
    pub array_mw: f64,
    /// Power of a path, averaged over the duration of transfers.
    pub path_mw: f64,
    /// Energy of array and path over the execution time, in microjoules.
    pub energy_uj: f64,
}

impl PaperEnergy {
    /// Computes the energy of a run with this activity.
    pub fn of(activity: &RunActivity, power: &PowerSettings) -> Self {
        let energy = Energy::of(activity, power);
        let sum = |components: &[Component]| -> f64 {
            components.iter().map(|&component| energy.component_uj(component)).sum()
        };
        let arrays = sum(&[Component::FlashRead, Component::FlashProgram, Component::FlashErase]);
        let (always, wiring) = (|mw| uj(mw, activity.until_drained), &activity.wiring);
        let standing = always(power.router_static_mw) * f64::from(wiring.routers)
            + always(power.channel_static_mw) * wiring.channels_of_baseline()
            + always(power.link_static_mw) * wiring.links_of_eight_bits();
        let paths =
            sum(&[Component::Channels, Component::Links, Component::Routers, Component::Scouts]) - standing;
        let array_mw = mean_mw(arrays, activity.arrays.working());
        let path_mw = mean_mw(paths, activity.transfer_time);
        Self { array_mw, path_mw, energy_uj: uj(array_mw + path_mw, activity.time) }
    }

    /// Returns the mean power, in milliwatts.
    pub fn power_mw(&self) -> f64 {
        self.array_mw + self.path_mw
    }
}

/// Returns the mean power over a time in milliwatts, or 0 if the time is zero.
fn mean_mw(energy_uj: f64, time: SimSpan) -> f64 {
    if time.is_zero() { 0.0 } else { energy_uj * 1e3 / time.as_us() }
}
