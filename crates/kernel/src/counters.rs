//! Counters that only grow.

/// Declares a struct of counters that only grow. The difference of two states of it, the later minus the
/// earlier, is what was counted between them.
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
        /// Two of them.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Two {
            /// A number.
            pub events: u64,
            /// A time.
            pub busy: SimSpan,
        }
    }

    #[test]
    fn the_difference_is_what_was_counted_in_between() {
        let at = |events, us| Two { events, busy: SimSpan::from_us(us) };
        assert_eq!(at(9, 70) - at(4, 30), at(5, 40));
    }
}
