//! Values in flight, each at a place of its own.
//!
//! # How
//! A list of the values, and one of the places that are free, of which the one that was given back last is taken next. A slab of a library
//! keeps the free ones among the values, and so asks at each look-up which of the two a place is: a request is looked up dozens of times. Here
//! builds with debug assertions ask that, and no others.

/// Values in flight.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    values: Vec<T>,
    free: Vec<u32>,
    /// By place, whether it is taken, where that is asked.
    is_taken: Vec<bool>,
    /// What new places are filled with, so that a value is written at one line whether its place is new or not, and made there.
    blank: T,
}

impl<T: Copy> Slots<T> {
    /// None, with memory for so many; some value to fill new places with.
    pub fn new(values: usize, blank: T) -> Self {
        let (values, free) = (Vec::with_capacity(values), Vec::with_capacity(values));
        Self { values, free, is_taken: Vec::new(), blank }
    }

    /// A value gets a place.
    pub fn put(&mut self, value: T) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| self.grow());
        if cfg!(debug_assertions) {
            self.is_taken[place as usize] = true;
        }
        self.values[place as usize] = value;
        place
    }

    /// A new place.
    #[cold]
    fn grow(&mut self) -> u32 {
        self.values.push(self.blank);
        self.is_taken.push(false);
        (self.values.len() - 1) as u32
    }

    /// A value gives its place up.
    #[inline]
    pub fn give_up(&mut self, place: u32) {
        debug_assert!(self.is_taken[place as usize], "nothing is at place {place}");
        if cfg!(debug_assertions) {
            self.is_taken[place as usize] = false;
        }
        self.free.push(place);
    }

    /// The value at a place.
    #[inline]
    pub fn get(&self, place: u32) -> &T {
        debug_assert!(self.is_taken[place as usize], "nothing is at place {place}");
        &self.values[place as usize]
    }

    /// The value at a place, for change.
    #[inline]
    pub fn get_mut(&mut self, place: u32) -> &mut T {
        debug_assert!(self.is_taken[place as usize], "nothing is at place {place}");
        &mut self.values[place as usize]
    }

    /// All values, by place. It takes a list of the places, so that it is not for every event.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mut is_free = vec![false; self.values.len()];
        for &place in &self.free {
            is_free[place as usize] = true;
        }
        self.values.iter().zip(is_free).filter_map(|(value, is_free)| (!is_free).then_some(value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// Whether there are none.
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
    fn a_place_that_was_given_up_is_looked_up_by_nobody() {
        let mut slots = Slots::new(1, '-');
        let place = slots.put('a');
        slots.give_up(place);
        slots.get(place);
    }
}
