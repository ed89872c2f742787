//! Where requests come from and how they reach the drive.

mod settings;

pub use settings::HostSettings;
