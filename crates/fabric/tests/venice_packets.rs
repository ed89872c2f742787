//! Scout packets and reservation table rows against test vectors shared by all implementations of the router.

use venice_fabric::noc::Port;
use venice_fabric::venice::{
    ControllerId, PacketError, ReservationRow, RowFormat, ScoutMode, ScoutPacket, ScoutPacketFormat,
};
use venice_nand::geometry::{Array, ChipId};

use crate::venice_golden::conformance;

/// One test vector: array, decoded flits or the error, and the flits.
struct Vector {
    array: Array,
    says: Result<ScoutPacket, String>,
    flits: [u64; 2],
    flit_bits: Vec<usize>,
}

fn number(text: &str) -> u32 {
    text.parse().expect("a decimal number")
}

fn says(fields: &[&str]) -> Result<ScoutPacket, String> {
    let mode = match fields[0] {
        "reserve" => ScoutMode::Reserve,
        "cancel" => ScoutMode::Cancel,
        _ => return Err(fields[1].to_owned()),
    };
    let (destination, source) = (ChipId(number(fields[1])), ControllerId(number(fields[2])));
    Ok(ScoutPacket { mode, destination, source })
}

fn vector(line: &str) -> Vector {
    let parts: Vec<Vec<&str>> = line.split('|').map(|part| part.split_whitespace().collect()).collect();
    let binary = |text: &str| u64::from_str_radix(text, 2).expect("a binary number");
    Vector {
        array: Array { rows: number(parts[0][0]), cols: number(parts[0][1]) },
        says: says(&parts[1]),
        flits: [binary(parts[2][0]), binary(parts[2][1])],
        flit_bits: parts[2].iter().map(|flit| flit.len()).collect(),
    }
}

fn vectors() -> Vec<Vector> {
    let text = std::fs::read_to_string(conformance("vectors/scout_packets.txt")).expect("the vectors exist");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(vector).collect()
}

fn reason(error: PacketError) -> &'static str {
    match error {
        PacketError::TooWide { .. } => "too-wide",
        PacketError::OutOfOrder => "out-of-order",
        PacketError::MixedModes => "mixed-modes",
        PacketError::UnusedBitsSet { .. } => "unused-bits",
        PacketError::NoSuchChip { .. } => "no-such-chip",
        PacketError::NoSuchController { .. } => "no-such-controller",
        _ => "another reason",
    }
}

#[test]
fn the_vectors_hold_in_both_directions() {
    let packets: Vec<Vector> = vectors().into_iter().filter(|v| v.says.is_ok()).collect();
    assert!(packets.len() >= 16, "the list of packets is nearly empty");
    for Vector { array, says, flits, flit_bits } in packets {
        let (format, packet) = (ScoutPacketFormat::new(array), says.unwrap());
        assert_eq!(format.encode(packet), flits, "{packet:?} on {array:?}");
        assert_eq!(format.decode(flits), Ok(packet), "{flits:x?} on {array:?}");
        assert_eq!(flit_bits, [format.flit_bits() as usize; 2], "{array:?}");
    }
}

#[test]
fn what_is_no_packet_is_refused_for_the_reason_given() {
    let refused: Vec<Vector> = vectors().into_iter().filter(|v| v.says.is_err()).collect();
    assert!(refused.len() >= 10, "the list of refusals is nearly empty");
    for Vector { array, says, flits, .. } in refused {
        let error = ScoutPacketFormat::new(array).decode(flits).unwrap_err();
        assert_eq!(reason(error), says.unwrap_err(), "{flits:x?} on {array:?}");
    }
}

#[test]
fn refusals_read_as_sentences() {
    let format = ScoutPacketFormat::new(Array { rows: 3, cols: 5 });
    let text = |flits| format.decode(flits).unwrap_err().to_string();
    assert_eq!(text([0b1_111_111, 0]), "invalid scout packet: flit 0x7f is wider than 6 bits");
    assert_eq!(text([0, 0]), "invalid scout packet: flits are out of order; expected: a header, then a tail");
    assert_eq!(
        text([0b01_1111, 0b11_0000]),
        "invalid scout packet: destination chip 15 does not exist; expected: below 15"
    );
    assert_eq!(
        text([0b01_0000, 0b11_1100]),
        "invalid scout packet: source controller 3 does not exist; expected: below 3"
    );
    assert_eq!(text([0b01_0000, 0b11_0001]), "invalid scout packet: unused bits are set in flit 0x31");
}

fn port(name: &str) -> Port {
    match name {
        "right" => Port::Right,
        "left" => Port::Left,
        "up" => Port::Up,
        "down" => Port::Down,
        "chip" => Port::Chip,
        "controller" => Port::Controller,
        _ => panic!("no port is called {name}"),
    }
}

#[test]
fn rows_of_reservation_tables_name_all_six_ports_in_both_directions() {
    let text =
        std::fs::read_to_string(conformance("vectors/reservation_rows.txt")).expect("the vectors exist");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut named = Vec::new();
    for line in lines {
        let parts: Vec<Vec<&str>> = line.split('|').map(|part| part.split_whitespace().collect()).collect();
        let array = Array { rows: number(parts[0][0]), cols: number(parts[0][1]) };
        let (format, col) = (RowFormat::new(array), number(parts[0][2]));
        let says = (parts[1][0] != "empty").then(|| ReservationRow {
            packet: ControllerId(number(parts[1][0])),
            entry: port(parts[1][1]),
            exit: port(parts[1][2]),
        });
        let bits = u32::from_str_radix(&parts[2].concat(), 2).expect("a binary number");
        assert_eq!(format.bits() as usize, parts[2].concat().len(), "{line}");
        assert_eq!(format.encode(says), bits, "{line}");
        assert_eq!(format.decode(bits, col), says, "{line}");
        named.extend(says.into_iter().flat_map(|row| [row.entry, row.exit]));
    }
    assert!(Port::PAPER.iter().all(|port| named.contains(port)), "a port is in no vector: {named:?}");
}

#[test]
fn bits_that_name_no_port_are_no_row() {
    let format = RowFormat::new(Array { rows: 8, cols: 8 });
    for bits in [0b1_000_101_000, 0b1_000_000_111, 0b0_000_001_000] {
        assert_eq!(format.decode(bits, 3), None, "{bits:b}");
    }
}
