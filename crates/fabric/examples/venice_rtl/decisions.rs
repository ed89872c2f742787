//! Decisions of a single router for all inputs, and packet contents, for test benches of single hardware
//! modules.

use std::error::Error;
use std::io::Write;

use venice_fabric::noc::{Port, PortSet, RouterOffset};
use venice_fabric::venice::{Lfsr, LfsrCycle, RoutingDecision, RoutingInput, RoutingRules, decide};
use venice_fabric::{PortChoice, Routing};

/// Routers and destinations in an 8 x 8 mesh that cover all signs of dx and dy.
const PLACES: [(u32, u32); 4] = [(0, 0), (3, 4), (7, 7), (5, 1)];

/// Writes lines of `routing choice row col chip open chip_free register flip | eject forward port`; open
/// ports are a bit mask.
pub fn write(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let routings = [Routing::NonMinimalAdaptive, Routing::MinimalAdaptive, Routing::DimensionOrder];
    let choices = [PortChoice::Random, PortChoice::Unbiased, PortChoice::Fixed];
    for (r, routing) in routings.into_iter().enumerate() {
        for (c, port_choice) in choices.into_iter().enumerate() {
            let rules = RoutingRules { routing, port_choice };
            for (row, col) in PLACES {
                for chip in 0..64 {
                    for open in (0..16u32).filter(|open| open.count_ones() < 4) {
                        for turn in 0..12 {
                            write_one(out, (r, c, rules), (row, col, chip), open, turn)?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn write_one(
    out: &mut impl Write,
    (r, c, rules): (usize, usize, RoutingRules),
    (row, col, chip): (u32, u32, u32),
    open: u32,
    turn: u64,
) -> Result<(), Box<dyn Error>> {
    let (chip_free, turn) = (turn >= 6, LfsrCycle::after(turn % 6));
    let ports = Port::MESH.into_iter().filter(|port| open >> port.index() & 1 == 1);
    let free: PortSet = ports.chain(chip_free.then_some(Port::Chip)).collect();
    let offset = RouterOffset {
        dx: (chip % 8).cast_signed() - col.cast_signed(),
        dy: (chip / 8).cast_signed() - row.cast_signed(),
    };
    // The input port is not open; if three ports are open, it is the fourth port.
    let input = Port::MESH.into_iter().find(|port| open >> port.index() & 1 == 0).ok_or("an input")?;
    let seen = RoutingInput { offset, free, input, tried: PortSet::EMPTY };
    let lfsr = Lfsr::STATES[0];
    let (eject, forward, port) = match decide(rules, &seen, lfsr, turn) {
        RoutingDecision::Eject => (1, 0, 0),
        RoutingDecision::Forward(port) => (0, 1, port.index()),
        RoutingDecision::Back => (0, 0, 0),
    };
    // The first state is 1, so the flip-flop is set in the second period of three states.
    let flip = u8::from((3..6).any(|late| turn == LfsrCycle::after(late)));
    let (bits, chip_free) = (lfsr.bits(turn), u8::from(chip_free));
    writeln!(out, "{r} {c} {row} {col} {chip} {open} {chip_free} {bits} {flip} {eject} {forward} {port}")?;
    Ok(())
}
