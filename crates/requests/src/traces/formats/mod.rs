//! Text trace formats, with one module per format. `super::registry` lists them.

pub(crate) mod alibaba_csv;
pub(crate) mod blkparse;
pub(crate) mod disksim_ascii;
pub(crate) mod fio_iolog;
pub(crate) mod fiu_blkparse;
mod five_columns;
pub(crate) mod mqsim_ascii;
pub(crate) mod msr_blank;
pub(crate) mod msr_csv;
pub(crate) mod msr_rounded;
pub(crate) mod replay_ms;
pub(super) mod scsi;
pub(crate) mod spc;
pub(crate) mod ssdsim_100ns;
pub(crate) mod ssdsim_us;
pub(crate) mod systor_csv;
pub(crate) mod tencent_cbs;
pub(crate) mod tencent_replay;
pub(crate) mod vscsi_csv;

#[cfg(test)]
mod testing {
    //! Helpers for the tests of formats.

    use super::super::{LineFault, ParsedLine, Record, TraceFormat, TraceOptions};

    /// Parses a line as if it were the first line of a file.
    pub(super) fn row<F: TraceFormat>(line: &str) -> Result<ParsedLine, LineFault> {
        F::new(&TraceOptions::default()).parse(line.as_bytes())
    }

    /// Parses a line that is a request.
    #[track_caller]
    pub(super) fn record<F: TraceFormat>(line: &str) -> Record {
        match row::<F>(line) {
            Ok(ParsedLine::Request(record)) => record,
            other => panic!("{line}: {other:?}"),
        }
    }

    /// Parses an invalid line. Returns the name of the column that causes the error.
    #[track_caller]
    pub(super) fn wrong<F: TraceFormat>(line: &str) -> &'static str {
        row::<F>(line).expect_err(line).field
    }
}
