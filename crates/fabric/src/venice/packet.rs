//! Wire format of the scout packet.
//!
//! # What it models
//! A scout packet has two flits, each with two leading type bits. The first type bit is 0 for the header and
//! 1 for the tail. The second is 0 for cancel mode and 1 for reserve mode. The header contains the
//! destination chip, the tail the source controller, whose number is also the packet id. For 64 chips and 8
//! controllers:
//!
//! ```text
//!           bit 7      bit 6     bits 5..0
//!   header  0          mode      destination chip
//!   tail    1          mode      source controller (5..3), unused (2..0)
//! ```
//!
//! # How
//! Field widths follow from the array: ⌈log2 chips⌉ and ⌈log2 controllers⌉. A flit has two type bits plus the
//! wider of the two fields; fields are left-aligned and unused bits are zero. A flit wider than the link
//! crosses it in several beats.
//!
//! # What is left out
//! Check bits.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4. The paper does not define the alignment; rejecting packets with
//! unused bits set is an addition.
//!
//! # Parameters
//! `array`.

use thiserror::Error;
use venice_nand::geometry::{Array, ChipId};

use super::ControllerId;

/// Number of flits per scout packet: header and tail.
pub const FLITS: u32 = 2;

/// Mode of a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoutMode {
    /// The scout returns from a dead end. The table row at the router from which it came is removed.
    Cancel,
    /// The scout searches for a path. Each router that it passes adds a table row.
    Reserve,
}

/// Contents of a scout packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoutPacket {
    /// Mode of the scout: reserve or cancel.
    pub mode: ScoutMode,
    /// Chip to which the scout searches a path.
    pub destination: ChipId,
    /// Sender of the scout; its number is the packet id.
    pub source: ControllerId,
}

/// Decoding error of a scout packet.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacketError {
    /// A flit has bits beyond its width.
    #[error("invalid scout packet: flit {flit:#x} is wider than {width_bits} bits")]
    TooWide {
        /// Value of the flit.
        flit: u64,
        /// Flit width of this array, in bits.
        width_bits: u32,
    },
    /// The first flit is a tail, or the second flit is a header.
    #[error("invalid scout packet: flits are out of order; expected: a header, then a tail")]
    OutOfOrder,
    /// Header and tail have different modes.
    #[error("invalid scout packet: header and tail have different modes (reserve, cancel)")]
    MixedModes,
    /// The destination chip does not exist.
    #[error("invalid scout packet: destination chip {chip} does not exist; expected: below {chips}")]
    NoSuchChip {
        /// Number of the chip.
        chip: u32,
        /// Number of chips in the array.
        chips: u32,
    },
    /// The source controller does not exist.
    #[error(
        "invalid scout packet: source controller {controller} does not exist; expected: below {controllers}"
    )]
    NoSuchController {
        /// Number of the controller.
        controller: u32,
        /// Number of controllers.
        controllers: u32,
    },
    /// Unused bits of a flit are set.
    #[error("invalid scout packet: unused bits are set in flit {flit:#x}")]
    UnusedBitsSet {
        /// Value of the flit.
        flit: u64,
    },
}

/// Bit layout of scout packets, for the numbers of chips and controllers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoutPacketFormat {
    array: Array,
    sources: u32,
    chip_bits: u32,
    controller_bits: u32,
}

/// Returns the number of bits that distinguish `count` values.
pub(super) const fn bits_for(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

impl ScoutPacketFormat {
    /// Type bits at the beginning of each flit.
    const TYPE_BITS: u32 = 2;

    /// Computes the layout for an array with one sender per row.
    pub const fn new(array: Array) -> Self {
        Self::with_sources(array, array.rows)
    }

    /// Computes the layout for an array with `sources` senders, such as twice the number of rows if
    /// controllers have two ports.
    pub const fn with_sources(array: Array, sources: u32) -> Self {
        Self { array, sources, chip_bits: bits_for(array.chips()), controller_bits: bits_for(sources) }
    }

    /// Returns the number of bits per flit.
    pub const fn flit_bits(self) -> u32 {
        Self::TYPE_BITS + self.field_bits()
    }

    /// Returns the number of beats (link cycles) for which a scout packet occupies a link of the given width:
    /// the number of flits times the beats per flit.
    pub const fn beats(self, link_width_bits: u32) -> u32 {
        FLITS * self.flit_bits().div_ceil(link_width_bits)
    }

    /// Returns the number of bits per flit without the type bits.
    const fn field_bits(self) -> u32 {
        if self.chip_bits > self.controller_bits { self.chip_bits } else { self.controller_bits }
    }

    /// Encodes a packet as two flits: header and tail.
    pub fn encode(self, packet: ScoutPacket) -> [u64; 2] {
        let chip = u64::from(packet.destination.0) << (self.field_bits() - self.chip_bits);
        let controller = u64::from(packet.source.0) << (self.field_bits() - self.controller_bits);
        [self.typed(false, packet.mode) | chip, self.typed(true, packet.mode) | controller]
    }

    fn typed(self, is_tail: bool, mode: ScoutMode) -> u64 {
        let bits = (u64::from(is_tail) << 1) | u64::from(mode == ScoutMode::Reserve);
        bits << self.field_bits()
    }

    /// Decodes the two flits of a packet: header and tail.
    ///
    /// # Errors
    /// Returns a [`PacketError`] if [`ScoutPacketFormat::encode`] cannot produce these flits.
    pub fn decode(self, flits: [u64; 2]) -> Result<ScoutPacket, PacketError> {
        let (header_is_tail, mode) = self.type_of(flits[0])?;
        let (tail_is_tail, tail_mode) = self.type_of(flits[1])?;
        if header_is_tail || !tail_is_tail {
            return Err(PacketError::OutOfOrder);
        }
        if mode != tail_mode {
            return Err(PacketError::MixedModes);
        }
        let destination = self.destination(self.field(flits[0], self.chip_bits)?)?;
        let source = self.source(self.field(flits[1], self.controller_bits)?)?;
        Ok(ScoutPacket { mode, destination, source })
    }

    fn type_of(self, flit: u64) -> Result<(bool, ScoutMode), PacketError> {
        let kind = flit >> self.field_bits();
        if kind > 0b11 {
            return Err(PacketError::TooWide { flit, width_bits: self.flit_bits() });
        }
        Ok((kind & 0b10 != 0, if kind & 1 == 0 { ScoutMode::Cancel } else { ScoutMode::Reserve }))
    }

    /// Extracts the left-aligned field of `bits` bits after the type bits.
    fn field(self, flit: u64, bits: u32) -> Result<u32, PacketError> {
        let field = flit & ((1 << self.field_bits()) - 1);
        let unused_bits = self.field_bits() - bits;
        if field & ((1 << unused_bits) - 1) != 0 {
            return Err(PacketError::UnusedBitsSet { flit });
        }
        Ok((field >> unused_bits) as u32)
    }

    fn destination(self, chip: u32) -> Result<ChipId, PacketError> {
        let chips = self.array.chips();
        if chip < chips { Ok(ChipId(chip)) } else { Err(PacketError::NoSuchChip { chip, chips }) }
    }

    fn source(self, controller: u32) -> Result<ControllerId, PacketError> {
        let controllers = self.sources;
        if controller < controllers {
            Ok(ControllerId(controller))
        } else {
            Err(PacketError::NoSuchController { controller, controllers })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EIGHT: ScoutPacketFormat = ScoutPacketFormat::new(Array { rows: 8, cols: 8 });

    fn bits(text: &str) -> u64 {
        u64::from_str_radix(&text.replace(' ', ""), 2).unwrap()
    }

    #[test]
    fn sixty_four_chips_and_eight_controllers_make_two_8_bit_flits() {
        assert_eq!(EIGHT.flit_bits(), 8);
        assert_eq!(EIGHT.beats(8), 2);
        let packet =
            ScoutPacket { mode: ScoutMode::Reserve, destination: ChipId(37), source: ControllerId(5) };
        assert_eq!(EIGHT.encode(packet), [bits("01 100101"), bits("11 101 000")]);
        let cancel = ScoutPacket { mode: ScoutMode::Cancel, ..packet };
        assert_eq!(EIGHT.encode(cancel), [bits("00 100101"), bits("10 101 000")]);
    }

    #[test]
    fn larger_arrays_widen_the_flit() {
        for (rows, cols, flit_bits, beats) in
            [(16, 16, 10, 4), (4, 16, 8, 2), (16, 4, 8, 2), (4, 5, 7, 2), (32, 16, 11, 4), (1, 1, 2, 2)]
        {
            let format = ScoutPacketFormat::new(Array { rows, cols });
            assert_eq!((format.flit_bits(), format.beats(8)), (flit_bits, beats), "{rows}x{cols}");
        }
    }

    #[test]
    fn what_is_no_packet_is_refused_with_its_reason() {
        use PacketError as E;
        let three_by_five = ScoutPacketFormat::new(Array { rows: 3, cols: 5 });
        let cases = [
            (EIGHT, [0x140, 0xc0], E::TooWide { flit: 0x140, width_bits: 8 }),
            (EIGHT, [0xc0, 0xc0], E::OutOfOrder),
            (EIGHT, [0x40, 0x40], E::OutOfOrder),
            (EIGHT, [0x40, 0x80], E::MixedModes),
            (EIGHT, [0x40, 0xc1], E::UnusedBitsSet { flit: 0xc1 }),
            (three_by_five, [bits("01 1111"), bits("11 0000")], E::NoSuchChip { chip: 15, chips: 15 }),
            (
                three_by_five,
                [bits("01 0000"), bits("11 1100")],
                E::NoSuchController { controller: 3, controllers: 3 },
            ),
        ];
        for (format, flits, error) in cases {
            assert_eq!(format.decode(flits), Err(error), "{flits:x?}");
        }
    }

    proptest! {
        #[test]
        fn every_packet_survives_the_wire(
            rows in 1_u32..40, cols in 1_u32..40, chip in any::<u32>(), fc in any::<u32>(), reserve in any::<bool>(),
        ) {
            let format = ScoutPacketFormat::new(Array { rows, cols });
            let mode = if reserve { ScoutMode::Reserve } else { ScoutMode::Cancel };
            let packet =
                ScoutPacket { mode, destination: ChipId(chip % (rows * cols)), source: ControllerId(fc % rows) };
            prop_assert_eq!(format.decode(format.encode(packet)), Ok(packet));
        }

        #[test]
        fn decoded_packets_encode_to_equal_flits(header in 0_u64..1024, tail in 0_u64..1024) {
            if let Ok(packet) = EIGHT.decode([header, tail]) {
                prop_assert_eq!(EIGHT.encode(packet), [header, tail]);
            }
        }
    }
}
