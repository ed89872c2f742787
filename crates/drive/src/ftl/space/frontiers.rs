//! Open blocks of a plane, one for each stream of writes.

use serde::{Deserialize, Serialize};
use venice_nand::geometry::BlockId;

/// Numbers of open blocks that a plane has for host writes and for translation pages.
#[derive(Clone, Copy, Debug)]
pub struct OpenBlockCounts {
    /// Number of open blocks for host writes, at least one.
    pub host: u16,
    /// Number of open blocks for translation pages, at least one.
    pub map: u16,
}

impl OpenBlockCounts {
    /// Returns the stream for the translation pages of an address range.
    pub fn of_map(self, range: usize) -> WriteStream {
        WriteStream::Mapping(range as u16 % self.map)
    }
}

/// Stream of writes. Each stream fills separate blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteStream {
    /// Host writes of the write stream with this number.
    Host(u16),
    /// Write-backs of the map, in the write stream with this number.
    Mapping(u16),
    /// Pages moved by garbage collection within their plane.
    Collection,
    /// Cold (resting) data, moved by wear levelling or by garbage collection of a cold victim.
    Resting,
    /// Guests: pages moved by garbage collection from another plane.
    Guest,
}

/// Open blocks (write frontiers) of a plane, one for each stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Frontiers {
    /// Open blocks for host writes, indexed by stream.
    host: Box<[Option<BlockId>]>,
    /// Open blocks for translation pages, indexed by stream.
    mapping: Box<[Option<BlockId>]>,
    collection: Option<BlockId>,
    /// Open block for cold (resting) data.
    resting: Option<BlockId>,
}

impl Frontiers {
    /// Creates the set of open blocks of a plane, without any open block.
    pub fn new(streams: OpenBlockCounts) -> Self {
        Self {
            host: vec![None; usize::from(streams.host)].into(),
            mapping: vec![None; usize::from(streams.map)].into(),
            collection: None,
            resting: None,
        }
    }

    /// Returns the open block of a write stream. Guests (pages moved from other planes) share the open block
    /// of garbage collection.
    #[inline]
    pub fn of(&self, stream: WriteStream) -> Option<BlockId> {
        match stream {
            WriteStream::Host(number) => self.host[usize::from(number)],
            WriteStream::Mapping(number) => self.mapping[usize::from(number)],
            WriteStream::Collection | WriteStream::Guest => self.collection,
            WriteStream::Resting => self.resting,
        }
    }

    /// Records that a block has been opened for a stream.
    #[inline]
    pub fn open(&mut self, stream: WriteStream, block: BlockId) {
        *self.place(stream) = Some(block);
    }

    #[inline]
    fn place(&mut self, stream: WriteStream) -> &mut Option<BlockId> {
        match stream {
            WriteStream::Host(number) => &mut self.host[usize::from(number)],
            WriteStream::Mapping(number) => &mut self.mapping[usize::from(number)],
            WriteStream::Collection | WriteStream::Guest => &mut self.collection,
            WriteStream::Resting => &mut self.resting,
        }
    }

    /// Records that an open block has become full. Returns its stream.
    #[inline]
    pub fn close(&mut self, block: BlockId) -> WriteStream {
        let place = |open: &[Option<BlockId>]| open.iter().position(|open| *open == Some(block));
        let stream = if let Some(number) = place(&self.host) {
            WriteStream::Host(number as u16)
        } else if let Some(number) = place(&self.mapping) {
            WriteStream::Mapping(number as u16)
        } else if self.resting == Some(block) {
            WriteStream::Resting
        } else {
            WriteStream::Collection
        };
        *self.place(stream) = None;
        stream
    }

    /// Returns the first open block for translation pages or, if there is none, the first open block for host
    /// writes.
    pub fn first_shared(&self) -> Option<BlockId> {
        self.mapping.iter().chain(&self.host).find_map(|&block| block)
    }

    /// Iterates over all open blocks.
    pub fn all(&self) -> impl Iterator<Item = BlockId> {
        self.host
            .iter()
            .chain(&self.mapping)
            .chain([&self.collection, &self.resting])
            .filter_map(|&block| block)
    }

    /// Returns the number of streams of host writes, and the number of streams of translation pages.
    pub const fn streams(&self) -> (usize, usize) {
        (self.host.len(), self.mapping.len())
    }

    /// Returns a copy of the open blocks with the block numbers of another plane. `self` belongs to the first
    /// plane of a drive, and `first` is the first block of the other plane.
    pub fn moved_to(&self, first: BlockId) -> Self {
        let place = |block: Option<BlockId>| block.map(|block| BlockId(first.0 + block.0));
        Self {
            host: self.host.iter().map(|&block| place(block)).collect(),
            mapping: self.mapping.iter().map(|&block| place(block)).collect(),
            collection: place(self.collection),
            resting: place(self.resting),
        }
    }
}
