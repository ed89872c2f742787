//! Command-line options.

use venice_fabric::{PathLoops, PortChoice, Routing};
use venice_nand::geometry::Array;

/// Options with their values.
pub struct Options {
    pub array: Array,
    pub routing: Routing,
    pub port_choice: PortChoice,
    pub path_loops: PathLoops,
    /// Seed of the traffic and of the routers' LFSRs.
    pub seed: u64,
    /// Number of scouts after which no more transfers are offered.
    pub scouts: u64,
    /// Maximum transfer length, in words of a link.
    pub words: u64,
    /// Mean number of cycles between two transfers.
    pub gap: u64,
    /// Maximum number of concurrently searching scouts.
    pub searching: usize,
    /// Path of a recorded trace.
    pub file: String,
    /// Number of runs of the worked example.
    pub runs: u64,
}

impl Options {
    /// Parses `key=value` arguments.
    pub fn of(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            array: Array { rows: 8, cols: 8 },
            routing: Routing::NonMinimalAdaptive,
            port_choice: PortChoice::Random,
            path_loops: PathLoops::Kept,
            seed: 1,
            scouts: 1000,
            words: 32,
            gap: 4,
            searching: usize::MAX,
            file: String::new(),
            runs: 100,
        };
        for argument in arguments {
            let (key, value) = argument.split_once('=').ok_or(format!("`{argument}` is not KEY=VALUE"))?;
            options.set(key, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || value.parse::<u64>().map_err(|_| format!("`{key}={value}`: not a whole number"));
        match key {
            "rows" => self.array.rows = number()? as u32,
            "cols" => self.array.cols = number()? as u32,
            "seed" => self.seed = number()?,
            "scouts" => self.scouts = number()?,
            "words" => self.words = number()?,
            "gap" => self.gap = number()?,
            "searching" => self.searching = number()? as usize,
            "runs" => self.runs = number()?,
            "file" => value.clone_into(&mut self.file),
            "routing" => self.routing = routing(value)?,
            "port_choice" => self.port_choice = port_choice(value)?,
            "path_loops" => self.path_loops = path_loops(value)?,
            _ => return Err(format!("`{key}`: no such option")),
        }
        Ok(())
    }
}

fn routing(value: &str) -> Result<Routing, String> {
    match value {
        "non_minimal_adaptive" => Ok(Routing::NonMinimalAdaptive),
        "minimal_adaptive" => Ok(Routing::MinimalAdaptive),
        "dimension_order" => Ok(Routing::DimensionOrder),
        _ => Err(format!("`routing={value}`: no routing that routers know")),
    }
}

fn port_choice(value: &str) -> Result<PortChoice, String> {
    match value {
        "random" => Ok(PortChoice::Random),
        "unbiased" => Ok(PortChoice::Unbiased),
        "fixed" => Ok(PortChoice::Fixed),
        _ => Err(format!("`port_choice={value}`: no such choice")),
    }
}

fn path_loops(value: &str) -> Result<PathLoops, String> {
    match value {
        "kept" => Ok(PathLoops::Kept),
        "cut" => Ok(PathLoops::Cut),
        _ => Err(format!("`path_loops={value}`: no such treatment of loops")),
    }
}
