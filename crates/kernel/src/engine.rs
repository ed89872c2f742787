//! Event loop. It stops after too many events at one instant (event storm), and reports an empty queue to the
//! caller ([`Progress::QueueEmpty`]).

use thiserror::Error;

use crate::{EventQueue, SimTime};

/// Simulated system, which handles one event at a time and schedules further events.
pub trait EventHandler {
    /// Event type: a small `Copy` value that only the handler interprets.
    type Event: Copy;

    /// Handles `event` at the instant `now`.
    fn handle(&mut self, event: Self::Event, now: SimTime, future: &mut EventQueue<Self::Event>);
}

/// Result of [`Engine::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The maximum number of events was executed; events may remain in the queue.
    BudgetSpent,
    /// No event is left in the queue. The handler checks for outstanding requests.
    QueueEmpty,
}

/// Error of the event loop.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineError {
    /// More than `limit` events occurred at one instant, so the simulation does not advance.
    #[error("simulated time does not advance: more than {limit} events at {at}")]
    EventStorm {
        /// Instant of the events.
        at: SimTime,
        /// Maximum number of events at one instant.
        limit: u64,
    },
}

/// Event loop that runs an [`EventHandler`] and counts its events.
#[derive(Clone, Debug)]
pub struct Engine<E> {
    /// Scheduled events.
    pub future: EventQueue<E>,
    executed: u64,
    /// Number of events since the last check at which the simulated time had advanced.
    at_this_instant: u64,
    instant_limit: u64,
}

impl<E: Copy> Engine<E> {
    /// Returns an engine that reports an event storm after `instant_limit` further events at one instant.
    pub fn new(instant_limit: u64) -> Self {
        Self { future: EventQueue::new(), executed: 0, at_this_instant: 0, instant_limit }
    }

    /// Returns the number of executed events.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Executes at most `budget` events.
    ///
    /// # Errors
    /// [`EngineError::EventStorm`]: the engine can be inspected afterwards but not continued.
    pub fn run<W: EventHandler<Event = E>>(
        &mut self,
        handler: &mut W,
        budget: u64,
    ) -> Result<Progress, EngineError> {
        let mut left = budget;
        while left > 0 {
            let part = left.min(self.instant_limit.max(1));
            if self.run_part(handler, part)? == Progress::QueueEmpty {
                return Ok(Progress::QueueEmpty);
            }
            left -= part;
        }
        Ok(Progress::BudgetSpent)
    }

    /// Executes at most `budget` events, and checks afterwards if the simulated time has advanced. A check
    /// after each event would take several instructions of each.
    fn run_part<W: EventHandler<Event = E>>(
        &mut self,
        handler: &mut W,
        budget: u64,
    ) -> Result<Progress, EngineError> {
        let begun = self.future.now();
        for done in 0..budget {
            let Some((now, event)) = self.future.pop() else {
                self.executed += done;
                return Ok(Progress::QueueEmpty);
            };
            handler.handle(event, now, &mut self.future);
        }
        self.executed += budget;
        self.check_advance(begun, budget)?;
        Ok(Progress::BudgetSpent)
    }

    /// Returns an error if more events than permitted have been executed since the simulated time advanced.
    /// `events` is the number of events since it was `begun`.
    fn check_advance(&mut self, begun: SimTime, events: u64) -> Result<(), EngineError> {
        let now = self.future.now();
        self.at_this_instant = if now == begun { self.at_this_instant + events } else { 0 };
        if self.at_this_instant > self.instant_limit {
            return Err(EngineError::EventStorm { at: now, limit: self.instant_limit });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimSpan;

    struct Countdown {
        left: u32,
        step: SimSpan,
    }

    impl EventHandler for Countdown {
        type Event = ();
        fn handle(&mut self, (): (), now: SimTime, future: &mut EventQueue<()>) {
            if self.left > 0 {
                self.left -= 1;
                future.schedule(now + self.step, ());
            }
        }
    }

    #[test]
    fn a_run_pauses_at_its_budget_and_ends_idle() {
        let mut handler = Countdown { left: 9, step: SimSpan::from_ns(1) };
        let mut engine = Engine::new(100);
        engine.future.schedule(SimTime::ZERO, ());
        assert_eq!(engine.run(&mut handler, 4), Ok(Progress::BudgetSpent));
        assert_eq!(engine.run(&mut handler, 100), Ok(Progress::QueueEmpty));
        assert_eq!(engine.executed(), 10);
        assert_eq!(engine.future.now(), SimTime::from_ps(9_000));
    }

    #[test]
    fn a_world_that_never_lets_time_pass_is_stopped() {
        let mut handler = Countdown { left: u32::MAX, step: SimSpan::ZERO };
        let mut engine = Engine::new(100);
        engine.future.schedule(SimTime::ZERO, ());
        let error = EngineError::EventStorm { at: SimTime::ZERO, limit: 100 };
        assert_eq!(engine.run(&mut handler, 1_000), Err(error));
    }

    #[test]
    fn without_a_permitted_repetition_a_second_event_at_an_instant_is_a_storm() {
        let mut handler = Countdown { left: 9, step: SimSpan::ZERO };
        let mut engine = Engine::new(0);
        engine.future.schedule(SimTime::from_ps(1), ());
        assert_eq!(engine.run(&mut handler, 1), Ok(Progress::BudgetSpent));
        let error = EngineError::EventStorm { at: SimTime::from_ps(1), limit: 0 };
        assert_eq!(engine.run(&mut handler, 5), Err(error));
    }

    #[test]
    fn events_at_one_instant_count_over_several_runs() {
        let mut handler = Countdown { left: u32::MAX, step: SimSpan::ZERO };
        let mut engine = Engine::new(100);
        engine.future.schedule(SimTime::ZERO, ());
        for _ in 0..100 {
            assert_eq!(engine.run(&mut handler, 1), Ok(Progress::BudgetSpent));
        }
        let error = EngineError::EventStorm { at: SimTime::ZERO, limit: 100 };
        assert_eq!(engine.run(&mut handler, 1), Err(error));
    }
}
