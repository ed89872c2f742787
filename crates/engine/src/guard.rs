//! Conversion of panics (internal errors) to values that become Python exceptions.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Message and location of a caught panic.
#[derive(Debug, PartialEq, Eq)]
pub struct CaughtPanic(String);

impl CaughtPanic {
    /// Returns the message of the panic with its location.
    pub fn cause(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CaughtPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.0;
        write!(
            f,
            "the simulator crashed: {message}; this is a bug in the simulator: please report it with the \
             configuration"
        )
    }
}

/// Installs a panic hook that records panics within [`guarded`], and passes other panics to the previous
/// hook.
pub fn install() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if GUARDED.get() {
            MESSAGE.set(Some(info.to_string().replace('\n', " ")));
        } else {
            usual(info);
        }
    }));
}

/// Runs `work` and converts a panic to a [`CaughtPanic`]. After a panic, values borrowed by `work` must not
/// be used, because their invariants may be violated.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    GUARDED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    done.map_err(|_| CaughtPanic(MESSAGE.take().unwrap_or_else(|| "for an unknown reason".to_owned())))
}
