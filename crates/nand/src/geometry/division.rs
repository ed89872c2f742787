//! Division by the dimensions of a drive, most of which are powers of two.
//!
//! A division takes the processor about as long as a dozen other instructions, and an event needs several
//! divisions.

/// Returns `number / size`.
#[inline]
pub const fn quotient(number: u32, size: u32) -> u32 {
    if is_power_of_two(size) { number >> size.trailing_zeros() } else { number / size }
}

/// Returns `number / size` for a 64-bit number.
#[inline]
pub const fn long_quotient(number: u64, size: u32) -> u64 {
    if is_power_of_two(size) { number >> size.trailing_zeros() } else { number / size as u64 }
}

/// Returns `number % size`.
#[inline]
pub const fn remainder(number: u32, size: u32) -> u32 {
    if is_power_of_two(size) { number & (size - 1) } else { number % size }
}

/// True if `size`, which must not be zero, is a power of two. The method of the standard library counts bits,
/// which takes two more instructions on most processors.
#[inline]
const fn is_power_of_two(size: u32) -> bool {
    debug_assert!(size != 0, "a size of zero");
    size & size.wrapping_sub(1) == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_size_divides_as_numbers_do(number: u32, size in prop_oneof![1..=u32::MAX, (0..32_u32).prop_map(|bit| 1_u32 << bit)]) {
            prop_assert_eq!((quotient(number, size), remainder(number, size)), (number / size, number % size));
            let long = u64::from(number) << 20;
            prop_assert_eq!(long_quotient(long, size), long / u64::from(size));
        }
    }
}
