//! Steady-state verdict on the measured phase, in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::observe::{ROUNDS, RoundFigure, SteadyStateTest, SteadyStateVerdict};

/// Steady state of the measured phase, tested by the rule of SNIA's Performance Test Specification 2.0.2. In
/// five rounds of equal length, the range must be at most 20 % and the slope at most 10 % of the average.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SteadyStateReport {
    /// Verdict over all figures: `settled`, `not_settled`, or `undecided` if the run is too short for five
    /// rounds of 100 requests.
    pub verdict: &'static str,
    /// Number of rounds into which the measured phase is divided.
    #[schemars(extend("unit" = ""))]
    pub rounds: u32,
    /// Length of a round in microseconds. The length and all figures by round are absent if the run is too
    /// short.
    pub round_us: Option<f64>,
    /// Mean latency of the requests completed in each round, in microseconds.
    pub latency_us: Option<RoundReport>,
    /// Requests completed per second in each round.
    pub iops: Option<RoundReport>,
    /// Bytes programmed per byte written by the host in each round; absent without garbage collection, or if
    /// a round has no write.
    pub write_amplification: Option<RoundReport>,
    /// Number of free blocks at the end of each round.
    pub free_blocks: Option<RoundReport>,
    /// Increase, over the last four rounds, of the data in the write buffer that is not on flash, in % of
    /// the data that the host wrote to the buffer in the same time. At most 10 in steady state. Absent
    /// without a write buffer, or if the host wrote fewer than 100 mapping units in this time.
    pub unprogrammed_rise_pct: Option<f64>,
    /// Data that the host wrote per plane in the measured phase, in blocks.
    #[schemars(extend("unit" = "blocks"))]
    pub blocks_written_per_plane: f64,
    /// True if there is no garbage collection, or if the host has written at least one block per plane and at
    /// least half as many blocks were erased as written. Otherwise write amplification is not settled.
    pub write_amplification_settled: bool,
    /// Approximate number of requests that a run in steady state would need; absent if this run is in steady
    /// state.
    #[schemars(extend("unit" = "requests"))]
    pub requests_needed: Option<u64>,
}

/// Figure in each of the five rounds, with the test for a steady state.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RoundReport {
    /// Value of the figure in each round.
    #[schemars(extend("unit" = "the figure's"))]
    pub rounds: Vec<f64>,
    /// Mean of the figure over the rounds.
    #[schemars(extend("unit" = "the figure's"))]
    pub average: f64,
    /// Largest minus smallest value of the rounds, in % of the average. At most 20 for a steady figure.
    pub range_pct: f64,
    /// Rise of the least-squares line from the first round to the last, in % of the average. Between -10 and
    /// 10 for a steady figure.
    pub slope_pct: f64,
    /// True if the range and the slope are within their limits.
    pub steady: bool,
}

impl From<RoundFigure> for RoundReport {
    fn from(figure: RoundFigure) -> Self {
        Self {
            rounds: figure.rounds.to_vec(),
            average: figure.average(),
            range_pct: figure.range_pct(),
            slope_pct: figure.slope_pct(),
            steady: figure.is_steady(),
        }
    }
}

impl From<&SteadyStateTest> for SteadyStateReport {
    fn from(found: &SteadyStateTest) -> Self {
        let judged = found.judged;
        Self {
            verdict: match found.verdict() {
                SteadyStateVerdict::Settled => "settled",
                SteadyStateVerdict::NotSettled => "not_settled",
                SteadyStateVerdict::Undecided => "undecided",
            },
            rounds: ROUNDS as u32,
            round_us: judged.map(|judged| judged.round.as_us()),
            latency_us: judged.map(|judged| judged.latency_us.into()),
            iops: judged.map(|judged| judged.iops.into()),
            write_amplification: judged.and_then(|judged| judged.write_amplification).map(Into::into),
            free_blocks: judged.map(|judged| judged.free_blocks.into()),
            unprogrammed_rise_pct: judged.and_then(|judged| judged.unprogrammed_rise_pct),
            blocks_written_per_plane: found.blocks_per_plane,
            write_amplification_settled: found.has_settled_writes(),
            requests_needed: found.requests_needed(),
        }
    }
}
