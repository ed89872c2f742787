//! Processing in flash.
pub mod channel;
pub mod code;
pub mod decoder;
pub mod matcher;
pub mod page;
pub mod wear;
