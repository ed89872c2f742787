//! The event loop, and the two ways in which a run can go wrong without a model noticing.

use thiserror::Error;

use crate::{EventQueue, SimTime};

/// What is simulated: it receives one event at a time and schedules further ones.
pub trait World {
    /// A small value; whoever schedules it says when it comes back.
    type Event: Copy;

    /// Lets `event` happen at `now`.
    fn handle(&mut self, event: Self::Event, now: SimTime, future: &mut EventQueue<Self::Event>);
}

/// How far a call of [`Engine::run`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget is spent and events remain.
    More,
    /// No event is left. Whether that is a good end only the world can say.
    Idle,
}

/// Ways in which the loop itself stops a run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineError {
    /// So many events happened at one instant that time is taken to have stopped. Fatal.
    #[error("time stands still: more than {limit} events at {at}")]
    TimeStandsStill {
        /// The instant.
        at: SimTime,
        /// The stated number of events that one instant may have.
        limit: u64,
    },
}

/// Runs a [`World`].
#[derive(Clone, Debug)]
pub struct Engine<E> {
    /// What is still to happen.
    pub future: EventQueue<E>,
    executed: u64,
    /// The last instant that had several events.
    repeated: SimTime,
    /// How many behind its first.
    at_this_instant: u64,
    instant_limit: u64,
}

impl<E: Copy> Engine<E> {
    /// An engine that lets at most `instant_limit` events happen at one instant.
    pub fn new(instant_limit: u64) -> Self {
        Self {
            future: EventQueue::new(),
            executed: 0,
            repeated: SimTime::ZERO,
            at_this_instant: 0,
            instant_limit,
        }
    }

    /// Events executed so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Executes at most `budget` events.
    ///
    /// # Errors
    /// [`EngineError::TimeStandsStill`]; the engine can be inspected afterwards, not continued.
    pub fn run<W: World<Event = E>>(&mut self, world: &mut W, budget: u64) -> Result<Progress, EngineError> {
        for done in 0..budget {
            let before = self.future.now();
            let Some((now, event)) = self.future.pop() else {
                self.executed += done;
                return Ok(Progress::Idle);
            };
            if now == before && self.stands_still(now) {
                self.executed += done + 1;
                return Err(EngineError::TimeStandsStill { at: now, limit: self.instant_limit });
            }
            world.handle(event, now, &mut self.future);
        }
        self.executed += budget;
        Ok(Progress::More)
    }

    /// One more event of the instant of the one before it. Whether these are too many.
    #[inline]
    fn stands_still(&mut self, now: SimTime) -> bool {
        if self.repeated != now {
            (self.repeated, self.at_this_instant) = (now, 0);
        }
        self.at_this_instant += 1;
        self.at_this_instant > self.instant_limit
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

    impl World for Countdown {
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
        let mut world = Countdown { left: 9, step: SimSpan::from_ns(1) };
        let mut engine = Engine::new(100);
        engine.future.schedule(SimTime::ZERO, ());
        assert_eq!(engine.run(&mut world, 4), Ok(Progress::More));
        assert_eq!(engine.run(&mut world, 100), Ok(Progress::Idle));
        assert_eq!(engine.executed(), 10);
        assert_eq!(engine.future.now(), SimTime::from_ps(9_000));
    }

    #[test]
    fn a_world_that_never_lets_time_pass_is_stopped() {
        let mut world = Countdown { left: u32::MAX, step: SimSpan::ZERO };
        let mut engine = Engine::new(100);
        engine.future.schedule(SimTime::ZERO, ());
        let error = EngineError::TimeStandsStill { at: SimTime::ZERO, limit: 100 };
        assert_eq!(engine.run(&mut world, 1_000), Err(error));
    }
}
