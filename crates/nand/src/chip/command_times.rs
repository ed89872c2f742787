//! Wire time of command cycles: a constant, or computed for an ONFI NV-DDR2 interface. Array times (tR,
//! tPROG, tBERS) are in `array_times`.

use venice_kernel::SimSpan;
use venice_params::{LONGEST_NS, choices, declare, number, one_of};

/// Wire time of command cycles, by command. An element at index i is the time for i + 1 planes. In the flat
/// model all values are equal; the NV-DDR2 model computes each from the timing parameters of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTimes {
    /// Time of a read command with its address, until the start of tR.
    pub read: Vec<SimSpan>,
    /// Time of the command cycles before the data output of each plane.
    pub data_out: SimSpan,
    /// Time of a program command with its address, without the data.
    pub program: Vec<SimSpan>,
    /// Time of an erase command with its address, until the start of tBERS.
    pub erase: Vec<SimSpan>,
    /// Time of a suspend or resume command.
    pub suspend: SimSpan,
}

/// Model of the wire time of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandTiming {
    /// All commands take the same time.
    Flat,
    /// Times are computed from the timing parameters of an ONFI NV-DDR2 interface.
    Nvddr2,
}

choices! {
    CommandTiming, "command timing": "flat" => Flat, "nvddr2" => Nvddr2;
}

declare! {
    /// Wire time of command cycles.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CommandParameters in "flash.command." {
        /// Model of command times.
        ///
        /// `flat`: `t_cmd_ns` for each read, program and erase of any number of planes, and no time before
        /// data output. `nvddr2`: computed from the interface's timing parameters below.
        timing: CommandTiming = one_of::<CommandTiming>(), unit "", default "flat",
            source "Nadig et al., Venice, ISCA 2023, §3.1 (flat); MQSim, ONFI_Channel_NVDDR2 (nvddr2)";
        /// Time that a command occupies the chip's interface, for `timing = "flat"`.
        flat as t_cmd_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "10",
            source "Nadig et al., Venice, ISCA 2023, §3.1";
        /// Chip select setup time (tCS). This parameter and the ones below have an effect only with
        /// `timing = "nvddr2"`.
        cs as t_cs_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "20", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Duration of a command or address cycle (tWC).
        wc as t_wc_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "25", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Time from the last command cycle to busy (tWB).
        wb as t_wb_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "100", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Time from ready to data output (tRR).
        rr as t_rr_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "20", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Busy time between the planes of a multi-plane command (tDBSY).
        dbsy as t_dbsy_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "500", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Time from the last address cycle to data input (tADL).
        adl as t_adl_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "70", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Duration of the write postamble of the data strobe (tWPST).
        wpst as t_wpst_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "6", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Hold time of the write postamble (tWPSTH).
        wpsth as t_wpsth_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "15", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Setup time of the latch-enable signals (tCALS).
        cals as t_cals_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "15", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Duration of the read preamble of the data strobe (tRPRE), before the data output of each plane.
        rpre as t_rpre_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "15", source "MQSim, ONFI_Channel_NVDDR2.h";
        /// Time from read enable to the data strobe (tDQSRE), before the data output of each plane.
        dqsre as t_dqsre_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "15", source "MQSim, ONFI_Channel_NVDDR2.h";
    }
}

impl CommandParameters {
    /// Returns the command times of a die with `planes_per_die` planes.
    pub fn times(&self, planes_per_die: u32) -> CommandTimes {
        match self.timing {
            CommandTiming::Flat => self.flat(planes_per_die),
            CommandTiming::Nvddr2 => self.nvddr2(planes_per_die),
        }
    }

    fn flat(&self, planes: u32) -> CommandTimes {
        let same = vec![self.flat; planes as usize];
        CommandTimes {
            read: same.clone(),
            data_out: SimSpan::ZERO,
            program: same.clone(),
            erase: same,
            suspend: self.flat,
        }
    }

    fn nvddr2(&self, planes: u32) -> CommandTimes {
        let Self { cs, wc, wb, rr, dbsy, adl, cals, wpst, wpsth, .. } = *self;
        let by_planes = |time: &dyn Fn(u64) -> SimSpan| (1..=u64::from(planes)).map(time).collect();
        let further_plane = wc * 5 + adl + wpst + cals + wb + dbsy;
        let last_plane = wc * 6 + adl + wpst + wpsth + wb;
        CommandTimes {
            read: by_planes(&|n| cs + wc * (6 * n) + dbsy * (n - 1) + wb + rr),
            data_out: self.rpre + self.dqsre,
            program: by_planes(&|n| cs + further_plane * (n - 1) + last_plane),
            erase: by_planes(&|n| cs + (wc * 4 + wb) * n + dbsy * (n - 1)),
            suspend: cs + wc * 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the parameters of MQSim's interface, but with pairwise different values, so that tests detect
    /// exchanged parameters.
    fn onfi() -> CommandParameters {
        CommandParameters {
            timing: CommandTiming::Nvddr2,
            flat: SimSpan::from_ns(10),
            cs: SimSpan::from_ns(20),
            wc: SimSpan::from_ns(25),
            wb: SimSpan::from_ns(100),
            rr: SimSpan::from_ns(20),
            dbsy: SimSpan::from_ns(500),
            adl: SimSpan::from_ns(70),
            wpst: SimSpan::from_ns(6),
            wpsth: SimSpan::from_ns(15),
            cals: SimSpan::from_ns(15),
            rpre: SimSpan::from_ns(15),
            dqsre: SimSpan::from_ns(15),
        }
    }

    fn in_ns(spans: &[SimSpan]) -> Vec<u64> {
        spans.iter().map(|span| span.as_ps() / 1000).collect()
    }

    #[test]
    fn nvddr2_commands_of_one_to_four_planes_take_what_mqsim_charges() {
        let times = onfi().times(4);
        assert_eq!(in_ns(&times.read), [290, 940, 1590, 2240]);
        assert_eq!(in_ns(&times.program), [361, 1177, 1993, 2809]);
        assert_eq!(in_ns(&times.erase), [220, 920, 1620, 2320]);
        assert_eq!(times.data_out, SimSpan::from_ns(30));
        assert_eq!(times.suspend, SimSpan::from_ns(95));
    }

    #[test]
    fn each_timing_parameter_enters_each_command_as_often_as_the_formula_says() {
        let grown = |grow: fn(&mut CommandParameters)| {
            let mut command = onfi();
            grow(&mut command);
            let (before, after) = (onfi().times(3), command.times(3));
            let growth = |a: &[SimSpan], b: &[SimSpan]| (b[2].as_ps() - a[2].as_ps()) / 1000;
            let [read, program, erase] = [
                growth(&before.read, &after.read),
                growth(&before.program, &after.program),
                growth(&before.erase, &after.erase),
            ];
            (read, program, erase, (after.data_out - before.data_out).as_ps() / 1000)
        };
        assert_eq!(grown(|t| t.cs += SimSpan::from_ns(1)), (1, 1, 1, 0));
        assert_eq!(grown(|t| t.wc += SimSpan::from_ns(1)), (18, 16, 12, 0));
        assert_eq!(grown(|t| t.wb += SimSpan::from_ns(1)), (1, 3, 3, 0));
        assert_eq!(grown(|t| t.rr += SimSpan::from_ns(1)), (1, 0, 0, 0));
        assert_eq!(grown(|t| t.dbsy += SimSpan::from_ns(1)), (2, 2, 2, 0));
        assert_eq!(grown(|t| t.adl += SimSpan::from_ns(1)), (0, 3, 0, 0));
        assert_eq!(grown(|t| t.wpst += SimSpan::from_ns(1)), (0, 3, 0, 0));
        assert_eq!(grown(|t| t.wpsth += SimSpan::from_ns(1)), (0, 1, 0, 0));
        assert_eq!(grown(|t| t.cals += SimSpan::from_ns(1)), (0, 2, 0, 0));
        assert_eq!(grown(|t| t.rpre += SimSpan::from_ns(1)), (0, 0, 0, 1));
        assert_eq!(grown(|t| t.dqsre += SimSpan::from_ns(1)), (0, 0, 0, 1));
        assert_eq!(grown(|t| t.flat += SimSpan::from_ns(1)), (0, 0, 0, 0), "flat only");
    }

    #[test]
    fn flat_commands_all_take_the_same_and_data_out_nothing() {
        let command = CommandParameters { timing: CommandTiming::Flat, flat: SimSpan::from_ns(10), ..onfi() };
        let times = command.times(2);
        assert_eq!(times.read, [SimSpan::from_ns(10); 2]);
        assert_eq!((&times.program, &times.erase), (&times.read, &times.read));
        assert_eq!(times.data_out, SimSpan::ZERO);
        assert_eq!(times.suspend, SimSpan::from_ns(10));
    }
}
