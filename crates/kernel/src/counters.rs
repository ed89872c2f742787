//! Macro [`counters!`](crate::counters!): structs of monotonic counters.

/// Declares a struct of monotonic counters. The difference `later - earlier` of two copies contains the
/// counts of the interval between them.
#[macro_export]
macro_rules! counters {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$what:meta])* pub $field:ident: $kind:ty,)* }
    ) => {
        $(#[$about])*
        pub struct $name { $($(#[$what])* pub $field: $kind,)* }

        impl ::std::ops::Sub for $name {
            type Output = Self;

            fn sub(self, earlier: Self) -> Self {
                Self { $($field: self.$field - earlier.$field,)* }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::SimSpan;

    counters! {
        /// Example with two counters of different types.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Two {
            /// Number of events.
            pub events: u64,
            /// Accumulated busy time.
            pub busy: SimSpan,
        }
    }

    #[test]
    fn the_difference_of_counters_covers_the_interval() {
        let at = |events, us| Two { events, busy: SimSpan::from_us(us) };
        assert_eq!(at(9, 70) - at(4, 30), at(5, 40));
    }
}
