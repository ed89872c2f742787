//! Error correction of flash pages: the code, its decoders, raw bit errors, and measured failure curves.
//!
//! # Modules
//!
//! - [`code`]: the (9216, 8192) QC-LDPC code of a 1-KB sub-page, and its encoder.
//! - [`decoder`]: interface and catalogue of the decoders.
//! - [`channel`]: raw bit errors of hard reads, strengths of soft reads.
//! - [`curve`]: the statistical mode, which draws failures without decoding.
//! - [`failure_table`]: failure probabilities of the statistical mode, by raw bit error rate.
//!
//! The raw bit error rate is a property of the cells (`venice_nand::wear`). This crate is used by chips that
//! search their pages, and by the controller to decode ordinary reads.
//!
//! `docs/models/pif-codes.md` has the curves, the sources and the limits.

pub mod channel;
pub mod code;
pub mod curve;
pub mod decoder;
pub mod failure_table;
