//! How long command cycles occupy the path to a chip, flat or from an ONFI NV-DDR2 interface.
//!
//! # What it models
//! The cycles that are not data: command and address bytes, the waits between them, and what comes
//! before data out.
//!
//! # How
//! Flat: the same time for every command and any number of planes. NV-DDR2, for n planes:
//!
//! - read: tCS + 6n tWC + (n − 1) tDBSY + tWB + tRR;
//! - program: tCS + (n − 1)(5 tWC + tADL + tWPST + tCALS + tWB + tDBSY) + 6 tWC + tADL + tWPST + tWPSTH + tWB;
//! - erase: tCS + n (4 tWC + tWB) + (n − 1) tDBSY;
//! - data out of each plane: tRPRE + tDQSRE;
//! - suspend, resume: tCS + 3 tWC.
//!
//! A copyback is a read without data out and a program without data in, as in MQSim.
//!
//! # What is left out
//! The column change between the planes of a multi-plane read (tRHW, tCCS), status commands.
//!
//! # Source
//! NV-DDR2 command sequences as MQSim counts them (Tavakkol et al., FAST 2018; `ONFI_Channel_NVDDR2.cpp`),
//! not checked against the text of the ONFI standard. Resuming takes as long as suspending, where MQSim takes no
//! time for it (assumed). MQSim leaves the
//! time in front of data out unused; set both its parameters to 0 for that.
//!
//! # Parameters
//! `flash.command.*`

use venice_kernel::SimSpan;

use crate::chip::CommandTimes;

use super::choice::CommandTiming;
use super::settings::span_from_ns;
use super::table::CommandConfig;

/// The command times of a die with this many planes.
pub(super) fn command_times(command: &CommandConfig, planes_per_die: u32) -> CommandTimes {
    match command.timing {
        CommandTiming::Flat => flat(command, planes_per_die),
        CommandTiming::Nvddr2 => nvddr2(command, planes_per_die),
    }
}

fn flat(command: &CommandConfig, planes: u32) -> CommandTimes {
    let same = vec![span_from_ns(command.t_cmd_ns); planes as usize];
    CommandTimes {
        read: same.clone(),
        data_out: SimSpan::ZERO,
        program: same.clone(),
        erase: same,
        suspend: span_from_ns(command.t_cmd_ns),
    }
}

fn nvddr2(t: &CommandConfig, planes: u32) -> CommandTimes {
    let [cs, wc, wb, rr] = [t.t_cs_ns, t.t_wc_ns, t.t_wb_ns, t.t_rr_ns].map(span_from_ns);
    let [dbsy, adl, cals] = [t.t_dbsy_ns, t.t_adl_ns, t.t_cals_ns].map(span_from_ns);
    let [wpst, wpsth] = [t.t_wpst_ns, t.t_wpsth_ns].map(span_from_ns);
    let by_planes = |time: &dyn Fn(u64) -> SimSpan| (1..=u64::from(planes)).map(time).collect();
    let further_plane = wc * 5 + adl + wpst + cals + wb + dbsy;
    let last_plane = wc * 6 + adl + wpst + wpsth + wb;
    CommandTimes {
        read: by_planes(&|n| cs + wc * (6 * n) + dbsy * (n - 1) + wb + rr),
        data_out: span_from_ns(t.t_rpre_ns) + span_from_ns(t.t_dqsre_ns),
        program: by_planes(&|n| cs + further_plane * (n - 1) + last_plane),
        erase: by_planes(&|n| cs + (wc * 4 + wb) * n + dbsy * (n - 1)),
        suspend: cs + wc * 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interface that MQSim assumes, with different numbers where two would hide a mix-up.
    fn onfi() -> CommandConfig {
        CommandConfig {
            timing: CommandTiming::Nvddr2,
            t_cmd_ns: 10.0,
            t_cs_ns: 20.0,
            t_wc_ns: 25.0,
            t_wb_ns: 100.0,
            t_rr_ns: 20.0,
            t_dbsy_ns: 500.0,
            t_adl_ns: 70.0,
            t_wpst_ns: 6.0,
            t_wpsth_ns: 15.0,
            t_cals_ns: 15.0,
            t_rpre_ns: 15.0,
            t_dqsre_ns: 15.0,
        }
    }

    fn in_ns(spans: &[SimSpan]) -> Vec<u64> {
        spans.iter().map(|span| span.as_ps() / 1000).collect()
    }

    #[test]
    fn nvddr2_commands_of_one_to_four_planes_take_what_mqsim_charges() {
        let times = command_times(&onfi(), 4);
        assert_eq!(in_ns(&times.read), [290, 940, 1590, 2240]);
        assert_eq!(in_ns(&times.program), [361, 1177, 1993, 2809]);
        assert_eq!(in_ns(&times.erase), [220, 920, 1620, 2320]);
        assert_eq!(times.data_out, SimSpan::from_ns(30));
        assert_eq!(times.suspend, SimSpan::from_ns(95));
    }

    #[test]
    fn each_timing_parameter_enters_each_command_as_often_as_the_formula_says() {
        let grown = |grow: fn(&mut CommandConfig)| {
            let mut command = onfi();
            grow(&mut command);
            let (before, after) = (command_times(&onfi(), 3), command_times(&command, 3));
            let growth = |a: &[SimSpan], b: &[SimSpan]| (b[2].as_ps() - a[2].as_ps()) / 1000;
            let [read, program, erase] = [
                growth(&before.read, &after.read),
                growth(&before.program, &after.program),
                growth(&before.erase, &after.erase),
            ];
            (read, program, erase, (after.data_out - before.data_out).as_ps() / 1000)
        };
        assert_eq!(grown(|t| t.t_cs_ns += 1.0), (1, 1, 1, 0));
        assert_eq!(grown(|t| t.t_wc_ns += 1.0), (18, 16, 12, 0));
        assert_eq!(grown(|t| t.t_wb_ns += 1.0), (1, 3, 3, 0));
        assert_eq!(grown(|t| t.t_rr_ns += 1.0), (1, 0, 0, 0));
        assert_eq!(grown(|t| t.t_dbsy_ns += 1.0), (2, 2, 2, 0));
        assert_eq!(grown(|t| t.t_adl_ns += 1.0), (0, 3, 0, 0));
        assert_eq!(grown(|t| t.t_wpst_ns += 1.0), (0, 3, 0, 0));
        assert_eq!(grown(|t| t.t_wpsth_ns += 1.0), (0, 1, 0, 0));
        assert_eq!(grown(|t| t.t_cals_ns += 1.0), (0, 2, 0, 0));
        assert_eq!(grown(|t| t.t_rpre_ns += 1.0), (0, 0, 0, 1));
        assert_eq!(grown(|t| t.t_dqsre_ns += 1.0), (0, 0, 0, 1));
        assert_eq!(grown(|t| t.t_cmd_ns += 1.0), (0, 0, 0, 0), "flat only");
    }

    #[test]
    fn flat_commands_all_take_the_same_and_data_out_nothing() {
        let command = CommandConfig { timing: CommandTiming::Flat, t_cmd_ns: 10.0, ..onfi() };
        let times = command_times(&command, 2);
        assert_eq!(times.read, [SimSpan::from_ns(10); 2]);
        assert_eq!((&times.program, &times.erase), (&times.read, &times.read));
        assert_eq!(times.data_out, SimSpan::ZERO);
        assert_eq!(times.suspend, SimSpan::from_ns(10));
    }
}
