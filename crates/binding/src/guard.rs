//! Panics are bugs of ours, and Python shall hear of them as an exception with a text, not see a process
//! die or a half-told story on stderr.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What a caught panic said, and where it was raised.
#[derive(Debug, PartialEq, Eq)]
pub struct Crash(String);

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = &self.0;
        write!(
            f,
            "the simulator crashed: {said}; this is a bug in the simulator: please report it with the \
             configuration"
        )
    }
}

/// Makes guarded panics silent: they are kept for [`guarded`] to return. Others are told as before.
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

/// Does `work` and turns a panic in it into a [`Crash`].
///
/// What `work` borrows must not be used after a crash: it may be half changed.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Crash> {
    GUARDED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    done.map_err(|_| Crash(MESSAGE.take().unwrap_or_else(|| "for an unknown reason".to_owned())))
}
