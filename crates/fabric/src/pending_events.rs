//! Queue of private events that a fabric schedules.

use venice_kernel::SimTime;

use super::FabricEvent;

/// Private events of a fabric that the caller must schedule, in the order in which the fabric requested them.
#[derive(Clone, Debug, Default)]
pub struct PendingEvents {
    /// First event. It is stored outside the vector because it is usually the only one.
    first: Option<(SimTime, FabricEvent)>,
    others: Vec<(SimTime, FabricEvent)>,
}

impl PendingEvents {
    /// Appends a private event to be scheduled at `at`.
    #[inline]
    pub fn push(&mut self, at: SimTime, event: FabricEvent) {
        if self.first.is_none() {
            self.first = Some((at, event));
        } else {
            self.others.push((at, event));
        }
    }

    /// Removes all events and returns an iterator over them.
    pub fn drain(&mut self) -> impl Iterator<Item = (SimTime, FabricEvent)> + use<'_> {
        self.first.take().into_iter().chain(self.others.drain(..))
    }

    /// Removes all events and passes each one to `take`.
    #[inline]
    pub fn take_each(&mut self, mut take: impl FnMut(SimTime, FabricEvent)) {
        // After most events there is none, and nothing is written then.
        let Some((at, event)) = self.first else { return };
        self.first = None;
        take(at, event);
        if !self.others.is_empty() {
            self.take_others(take);
        }
    }

    fn take_others(&mut self, mut take: impl FnMut(SimTime, FabricEvent)) {
        for &(at, event) in &self.others {
            take(at, event);
        }
        self.others.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_taken_out_once_and_in_the_order_in_which_they_came() {
        let mut scheduled = PendingEvents::default();
        let events = [3, 1, 2].map(|number| (SimTime::from_ps(number), FabricEvent(number as u32)));
        for count in 0..=events.len() {
            for by_each in [false, true] {
                let mut taken = Vec::new();
                for &(at, event) in &events[..count] {
                    scheduled.push(at, event);
                }
                if by_each {
                    scheduled.take_each(|at, event| taken.push((at, event)));
                } else {
                    taken.extend(scheduled.drain());
                }
                assert_eq!(taken, events[..count]);
            }
        }
        assert_eq!(scheduled.drain().count(), 0);
    }
}
