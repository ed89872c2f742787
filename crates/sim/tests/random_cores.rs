//! Random processor cores of drives, with limits of the writes that they admit, and of hosts.

use proptest::prelude::*;
use venice_drive::controller::{AdmissionParameters, CoreParameters};
use venice_host::HostCoreParameters;
use venice_kernel::SimSpan;

/// Generates cores for a third of the drives, of which about half limit the rate of writes and half have pauses.
pub fn core_options() -> impl Strategy<Value = CoreParameters> {
    let span = |longest_ns: u64| (0..=longest_ns).prop_map(SimSpan::from_ns);
    let costs = (span(2_000), span(500), span(2_000), span(500), span(3_000), span(3_000));
    let admission = (prop_oneof![Just(SimSpan::ZERO), span(30_000)], 1_u32..=8);
    let pauses = (prop_oneof![Just(0_u64), 1_u64..=40], span(400_000), 0_u64..=10);
    let drawn = (1_u32..=3, costs, prop_oneof![Just(0.0), 0.0..=100.0], admission, pauses);
    let drawn = drawn.prop_map(|(cores, costs, hidden_pct, admission, pauses)| {
        let (read_command, read_unit, write_command, write_unit, read_delay, write_delay) = costs;
        let (write_admission_unit, write_admission_burst) = admission;
        let (write_pause_interval, write_pause, write_pause_buffer) = pauses;
        CoreParameters {
            cores,
            read_command,
            read_unit,
            read_delay,
            write_command,
            write_unit,
            write_delay,
            hidden_pct,
            admission: AdmissionParameters {
                write_admission_unit,
                write_admission_burst,
                write_pause_interval,
                write_pause,
                write_pause_buffer,
            },
            ..CoreParameters::default()
        }
    });
    prop_oneof![2 => Just(CoreParameters::default()), 1 => drawn]
}

/// Generates cores of the host for a third of the drives, of which most run processes in time slices.
pub fn host_core_options() -> impl Strategy<Value = HostCoreParameters> {
    let span = |longest_ns: u64| (0..=longest_ns).prop_map(SimSpan::from_ns);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let slice = prop_oneof![1 => Just(SimSpan::ZERO), 3 => span(200_000)];
    let times = (span(3_000), span(3_000), span(5_000));
    let drawn = (1_u32..=3, times, prop_oneof![Just(0.0), 0.0..=100.0], slice, flags);
    let drawn = drawn.prop_map(|(cores, times, variation_pct, core_slice, flags)| {
        let (core_request, core_write, core_dispatch) = times;
        let (core_per_queue, core_polling, core_lock) = flags;
        HostCoreParameters {
            cores,
            core_request,
            core_write,
            variation_pct,
            core_dispatch,
            core_per_queue,
            core_slice,
            core_polling,
            core_lock,
        }
    });
    prop_oneof![2 => Just(HostCoreParameters::default()), 1 => drawn]
}
