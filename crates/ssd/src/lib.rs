//! Models of solid-state drives whose flash chips are joined by a bus, a mesh or something better.
//!
//! # The mental model
//!
//! ```text
//!  front end                              back end
//!  ─────────────────────────────          ──────────────────────────────────────────────────
//!  host            ftl                    controller          fabric              chip
//!  requests   →    transactions      →    commands       →    transfers      →    operations
//!                  (a page each)          (a die each)        (command, data)     (read, program, erase)
//!  link, queue     map, blocks,           queues of dies,     bus, pSSD, pnSSD,   chips, dies, planes
//!                  collection             turns               NoSSD, Venice, …
//! ```
//!
//! [`device::Device`] is the world of the event loop: it hands one event at a time to the front end or to the back end
//! ([`controller::Backend`]), which then offers the fabric whatever became possible. [`observe::Probes`] are told what
//! happens. [`assembly::Simulation`] builds one from [`assembly::DriveSettings`] and runs it; [`report::Report`] is what it says at the end.
//!
//! # The life of one read
//!
//! 1. The host issues it; when the drive has a place, its command crosses the host link.
//! 2. The FTL makes a transaction for each page, finds its physical page, and queues it at its die.
//! 3. When the die is idle, and it is its chip's turn, the controller asks for the die's next command and offers it to the fabric;
//!    if there is a path, the read command goes out.
//! 4. The array works for tR; the data waits in the page register.
//! 5. When the fabric has a path, the data goes to a flash controller; the die is idle again.
//! 6. With its last page in, the request's answer and data cross the link; the host completes it.
//!
//! # The life of one write
//!
//! Data comes with the command; a page that is written in part is read first; the physical page is
//! given out when the program command starts; after tPROG the answer crosses the link. A data cache
//! ([`cache`]), if there is one, answers when its memory has the data. Planes that
//! run short of free blocks collect one in the background.
//!
//! # What can be relied on
//!
//! - Events leave in the order (instant, order of scheduling), see [`venice_kernel`]; the same settings,
//!   requests and seed give the same report, byte for byte.
//! - Every accepted request completes exactly once, or the run ends in an error that says what is stuck.
//! - Every instant of a request's latency belongs to exactly one [`accounting::Stage`].
//!
//! # Reading order
//!
//! [`device`] (events), [`controller`] (whose turn it is), [`fabric`] (the contract), [`ftl`] (life of a write), [`registry`] (the
//! fabrics), then any policy.
//! Requests and where they come from are in [`venice_requests`], which knows no drive.
//! Rooms import only what lies before them: `geometry`, `accounting` ← `work`, `chip`, `fabric`, `host` ← `observe` ←
//! `controller` ← `ftl` ← `cache` ← `device` ← `report` ← `assembly`, and `observe` ← [`perfetto`]; `tests/rooms.rs` holds them to it. [`pif`] times the searches of
//! drives that search what they hold, apart from `device`.

pub mod accounting;
pub mod assembly;
pub mod cache;
pub mod chip;
pub mod config;
pub mod controller;
pub mod device;
pub mod fabric;
pub mod ftl;
pub mod geometry;
pub mod host;
pub mod observe;
mod parameters;
pub mod perfetto;
pub mod pif;
pub mod power;
pub mod report;
pub mod state;
mod suggest;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod work;

pub use fabric::catalogue as registry;
