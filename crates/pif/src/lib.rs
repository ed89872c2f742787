//! Processing in flash.
pub mod channel;
pub mod code;
pub mod decoder;
