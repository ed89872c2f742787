//! Zeros that come from the system as they are needed, in large pages where it has them.
//!
//! # Why
//! The system hands memory out a page at a time, when it is first written. With pages of 4 KiB that took a tenth of a run of random requests
//! to a large drive, since each of them writes where nobody has. Linux takes 2 MiB at once if it is asked to.

use std::alloc::{Layout, handle_alloc_error};

use bytemuck::{Pod, cast_slice, cast_slice_mut, from_bytes, from_bytes_mut};
use memmap2::MmapMut;

/// Memory that holds zeros until it is written.
#[derive(Debug)]
pub(super) struct Zeros(MmapMut);

impl Zeros {
    /// So many bytes. As of any memory, that there is none is the end of the process.
    pub fn new(bytes: usize) -> Self {
        let Ok(memory) = MmapMut::map_anon(bytes) else {
            handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()));
        };
        // Asked for, not needed: a system that has no large pages gives small ones.
        #[cfg(target_os = "linux")]
        drop(memory.advise(memmap2::Advice::HugePage));
        Self(memory)
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The whole as one value, which is as large.
    #[inline]
    pub fn whole<T: Pod>(&self) -> &T {
        from_bytes(&self.0)
    }

    /// The same for writing.
    #[inline]
    pub fn whole_mut<T: Pod>(&mut self) -> &mut T {
        from_bytes_mut(&mut self.0)
    }

    /// The whole as a list.
    #[inline]
    pub fn list<T: Pod>(&self) -> &[T] {
        cast_slice(&self.0)
    }

    /// The same for writing.
    #[inline]
    pub fn list_mut<T: Pod>(&mut self) -> &mut [T] {
        cast_slice_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_memory_reads_as_zeros_of_any_kind_and_keeps_what_is_written() {
        let mut zeros = Zeros::new(1 << 12);
        assert_eq!((zeros.len(), zeros.whole::<[u64; 512]>()), (1 << 12, &[0; 512]));
        zeros.list_mut::<u32>()[3] = 7;
        assert_eq!((zeros.list::<u64>()[1], zeros.list::<u32>().len()), (7 << 32, 1024));
        zeros.whole_mut::<[[u32; 16]; 64]>()[63][15] = 1;
        assert_eq!(zeros.list::<u32>()[1023], 1);
    }
}
