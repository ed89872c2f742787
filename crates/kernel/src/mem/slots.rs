//! Slots: a collection of values with small, reusable numbers.
//!
//! # How
//!
//! Values are stored in a vector, and the numbers of free slots in a stack. Slab crates keep the free list
//! among the values, and therefore check at each look-up that the slot is occupied. This module checks it
//! only with debug assertions, because each request is looked up dozens of times.

/// Collection of values with small numbers (slots), which are reused after removal.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    values: Vec<T>,
    free: Vec<u32>,
    /// True for each occupied slot; maintained only with debug assertions.
    is_taken: Vec<bool>,
    /// Initial value of new slots, so that values are constructed in place for new and reused slots alike.
    blank: T,
}

impl<T: Copy> Slots<T> {
    /// Creates an empty collection with capacity for `values` values; new slots are initialised to `blank`.
    pub fn new(values: usize, blank: T) -> Self {
        let (values, free) = (Vec::with_capacity(values), Vec::with_capacity(values));
        Self { values, free, is_taken: Vec::new(), blank }
    }

    /// Stores a value. Returns its slot.
    pub fn put(&mut self, value: T) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| self.grow());
        if cfg!(debug_assertions) {
            self.is_taken[place as usize] = true;
        }
        self.values[place as usize] = value;
        place
    }

    /// Appends a slot.
    #[cold]
    fn grow(&mut self) -> u32 {
        self.values.push(self.blank);
        self.is_taken.push(false);
        (self.values.len() - 1) as u32
    }

    /// Frees a slot.
    #[inline]
    pub fn give_up(&mut self, place: u32) {
        debug_assert!(self.is_taken[place as usize], "nothing is at place {place}");
        if cfg!(debug_assertions) {
            self.is_taken[place as usize] = false;
        }
        self.free.push(place);
    }

    /// Returns the value in a slot.
    #[inline]
    pub fn get(&self, place: u32) -> &T {
        debug_assert!(self.is_taken[place as usize], "nothing is at place {place}");
        &self.values[place as usize]
    }

    /// Returns the value in a slot for modification.
    #[inline]
    pub fn get_mut(&mut self, place: u32) -> &mut T {
        debug_assert!(self.is_taken[place as usize], "nothing is at place {place}");
        &mut self.values[place as usize]
    }

    /// Iterates over all values in the order of their slots. Allocates memory, so it is not for the hot path.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mut is_free = vec![false; self.values.len()];
        for &place in &self.free {
            is_free[place as usize] = true;
        }
        self.values.iter().zip(is_free).filter_map(|(value, is_free)| (!is_free).then_some(value))
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_that_was_given_up_last_is_taken_next_and_the_others_keep_their_values() {
        let mut slots = Slots::new(1, '-');
        let places = ['a', 'b', 'c', 'd'].map(|value| slots.put(value));
        assert_eq!(places, [0, 1, 2, 3]);
        slots.give_up(2);
        slots.give_up(0);
        assert_eq!((slots.len(), slots.iter().collect::<String>()), (2, "bd".to_owned()));
        assert_eq!(['e', 'f', 'g'].map(|value| slots.put(value)), [0, 2, 4]);
        *slots.get_mut(2) = 'h';
        assert_eq!((slots.iter().collect::<String>(), *slots.get(4)), ("ebhdg".to_owned(), 'g'));
        assert!(!slots.is_empty());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "nothing is at place 0")]
    fn a_removed_position_is_not_found() {
        let mut slots = Slots::new(1, '-');
        let place = slots.put('a');
        slots.give_up(place);
        slots.get(place);
    }
}
