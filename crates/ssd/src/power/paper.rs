//! Energy as the Venice paper computes it: mean power × execution time.
//!
//! The paper gives one mean power for each design and multiplies it by the time that the workload
//! took, so a drive that is twice as fast takes half the energy, although it does the same work. That
//! is not the physical sum; it is told beside it. The paper does not print how the mean is formed. Here
//! it is the power of what serves a transfer: an array of the mean operation, and the mean path with
//! all that is on it, while that transfer is under way.

use venice_kernel::SimSpan;

use super::energy::uj;
use super::{Activity, Component, Energy, PowerSettings};

/// Mean power of serving a transfer, and that power for the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaperEnergy {
    /// Power of an array at work, averaged over the time for which arrays worked.
    pub array_mw: f64,
    /// Power of a path, averaged over the time for which transfers were under way.
    pub path_mw: f64,
    /// Both, for the time of the run, in microjoules.
    pub energy_uj: f64,
}

impl PaperEnergy {
    /// Of a run of this activity.
    pub fn of(activity: &Activity, power: &PowerSettings) -> Self {
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

    /// The mean power, in milliwatts.
    pub fn power_mw(&self) -> f64 {
        self.array_mw + self.path_mw
    }
}

/// Nothing was done in no time.
fn mean_mw(energy_uj: f64, time: SimSpan) -> f64 {
    if time.is_zero() { 0.0 } else { energy_uj * 1e3 / time.as_us() }
}
