//! Components inside a drive: controller, flash translation layer, data cache, and the device that connects
//! them.
//!
//! # Structure
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
//! The host is in the crate [`venice_host`], its requests in [`venice_requests`]; fabrics are in
//! [`venice_fabric`], chips in [`venice_nand`]. The crate `venice_sim` builds drives from settings, runs them
//! and reports results.
//!
//! [`device::Device`] is the event handler of the event loop: one event at a time is passed to the front end
//! or to the back end ([`controller::Backend`]), which then offers the fabric all transfers that have become
//! possible. [`observe::Probes`] are notified of each step, to record it.
//!
//! # Path of a read
//!
//! 1. The host issues the request; when the drive has a free entry, the command crosses the host link.
//! 2. The FTL creates a transaction for each page, translates its address, and enqueues the transaction at
//!    its die.
//! 3. When the die is idle and the chip's turn in the arbitration has come, the controller selects the die's
//!    next command and offers it to the fabric; if a path is free, the read command is sent.
//! 4. The array works for tR; the data then wait in the page register.
//! 5. When the fabric has a path, the data are transferred to a flash controller; the die is idle again.
//! 6. After the last page, completion and data cross the link, and the host completes the request.
//!
//! # Path of a write
//!
//! Data arrive with the command. A partially written page is read first. The physical page is allocated at
//! the start of the program command. After tPROG the completion crosses the link. A data cache ([`cache`]),
//! if present, completes the write once its memory holds the data. Planes with few free blocks run garbage
//! collection in the background.
//!
//! # Guarantees
//!
//! - Each accepted request completes exactly once.
//! - Each instant of a request's latency belongs to exactly one [`Stage`](venice_nand::latency::Stage).
//!
//! # Reading order
//!
//! [`device`] (events), [`controller`] (scheduling), [`venice_fabric`] (interface contract), [`ftl`]
//! (writes), [`venice_fabric::catalogue`] (the fabrics), then any policy. A module of this crate imports only
//! the modules before it in this order: `observe` ← `controller` ← `ftl` ← `cache` ← `device`.

pub mod cache;
pub mod controller;
pub mod device;
pub mod ftl;
pub mod observe;
pub mod testkit;
