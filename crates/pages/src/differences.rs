//! Whole numbers as differences (`DELTA_BINARY_PACKED`): of each 256 the least difference, and of each 64 as many bits as the largest needs above it.

/// Differences of a block; of each, a quarter has a width of its own.
const BLOCK: usize = 256;
/// Differences that share a width: as many bits each make as many words of 64.
const PART: usize = 64;
const PARTS: usize = BLOCK / PART;

/// A number as wide as its column: what wraps around there wraps around here.
pub trait Number: Copy + Default + Send + 'static {
    /// This less another, as a signed number.
    fn less(self, other: Self) -> i64;
    /// As a signed number.
    fn signed(self) -> i64;
}

impl Number for i64 {
    fn less(self, other: Self) -> i64 {
        self.wrapping_sub(other)
    }

    fn signed(self) -> i64 {
        self
    }
}

impl Number for i32 {
    fn less(self, other: Self) -> i64 {
        self.wrapping_sub(other).into()
    }

    fn signed(self) -> i64 {
        self.into()
    }
}

/// The numbers of a page.
pub struct Differences<N> {
    first: Option<N>,
    last: N,
    count: usize,
    /// Those that do not fill a block yet.
    block: [i64; BLOCK],
    filled: usize,
    /// The least of them.
    least: i64,
    /// The bits of all of them: none if nothing has changed.
    bits: i64,
    packed: Vec<u8>,
}

impl<N: Number> Default for Differences<N> {
    fn default() -> Self {
        let (last, block) = (N::default(), [0; BLOCK]);
        Self { first: None, last, count: 0, block, filled: 0, least: i64::MAX, bits: 0, packed: Vec::new() }
    }
}

impl<N: Number> Differences<N> {
    /// Further numbers: `of` each of these.
    #[inline]
    pub fn extend<T>(&mut self, from: &[T], of: impl Fn(&T) -> N) {
        let mut left = from;
        self.count += from.len();
        if self.first.is_none()
            && let Some((first, others)) = from.split_first()
        {
            self.last = of(first);
            self.first = Some(self.last);
            left = others;
        }
        while !left.is_empty() {
            let (now, later) = left.split_at(left.len().min(BLOCK - self.filled));
            let (mut last, mut least, mut bits) = (self.last, self.least, self.bits);
            for (place, each) in self.block[self.filled..].iter_mut().zip(now) {
                let number = of(each);
                let difference = number.less(last);
                *place = difference;
                least = least.min(difference);
                bits |= difference;
                last = number;
            }
            (self.last, self.least, self.bits) = (last, least, bits);
            self.filled += now.len();
            if self.filled == BLOCK {
                self.pack();
            }
            left = later;
        }
    }

    /// Appends all numbers to a page, and begins anew. Gives how many they are.
    pub fn finish(&mut self, page: &mut Vec<u8>) -> usize {
        if self.filled > 0 {
            self.pack();
        }
        let count = std::mem::take(&mut self.count);
        for part in [BLOCK as u64, PARTS as u64, count as u64] {
            put(page, part);
        }
        put_signed(page, self.first.take().unwrap_or_default().signed());
        page.append(&mut self.packed);
        count
    }

    fn pack(&mut self) {
        let (filled, bits) = (std::mem::take(&mut self.filled), std::mem::take(&mut self.bits));
        let least = std::mem::replace(&mut self.least, i64::MAX);
        if bits == 0 {
            self.packed.extend([0; 1 + PARTS]);
            return;
        }
        // What does not fill a part takes no bits.
        self.block[filled..].fill(least);
        let (parts, _) = self.block.as_chunks::<PART>();
        put_signed(&mut self.packed, least);
        let widths: [u8; PARTS] = std::array::from_fn(|part| width(&parts[part], least));
        self.packed.extend(widths);
        for (part, width) in parts.iter().zip(widths) {
            WAYS[usize::from(width)](part, least, &mut self.packed);
        }
    }
}

/// Bits that the largest needs above the least of all.
fn width(differences: &[i64; PART], least: i64) -> u8 {
    let all = differences.iter().fold(0, |all, difference| all | difference.wrapping_sub(least));
    (u64::BITS - all.leading_zeros()) as u8
}

type Way = fn(&[i64; PART], i64, &mut Vec<u8>);

/// How numbers of each width are written: one after another, the lowest bits first.
const WAYS: [Way; 65] = [
    nothing, bits::<1>, bits::<2>, bits::<3>, bits::<4>, bits::<5>, bits::<6>, bits::<7>, bits::<8>,
    bits::<9>, bits::<10>, bits::<11>, bits::<12>, bits::<13>, bits::<14>, bits::<15>, bits::<16>,
    bits::<17>, bits::<18>, bits::<19>, bits::<20>, bits::<21>, bits::<22>, bits::<23>, bits::<24>,
    bits::<25>, bits::<26>, bits::<27>, bits::<28>, bits::<29>, bits::<30>, bits::<31>, bits::<32>,
    bits::<33>, bits::<34>, bits::<35>, bits::<36>, bits::<37>, bits::<38>, bits::<39>, bits::<40>,
    bits::<41>, bits::<42>, bits::<43>, bits::<44>, bits::<45>, bits::<46>, bits::<47>, bits::<48>,
    bits::<49>, bits::<50>, bits::<51>, bits::<52>, bits::<53>, bits::<54>, bits::<55>, bits::<56>,
    bits::<57>, bits::<58>, bits::<59>, bits::<60>, bits::<61>, bits::<62>, bits::<63>, bits::<64>,
];

fn nothing(_: &[i64; PART], _: i64, _: &mut Vec<u8>) {}

/// Does something 64 times, with numbers that are known when the program is compiled.
macro_rules! for_each_of_64 {
    ($do:ident) => {
        for_each_of_64!(@four $do 0 16 32 48);
    };
    (@four $do:ident $($at:literal)*) => {
        $(for_each_of_64!(@sixteen $do $at);)*
    };
    (@sixteen $do:ident $at:literal) => {
        $do!($at);
        $do!($at + 1);
        $do!($at + 2);
        $do!($at + 3);
        $do!($at + 4);
        $do!($at + 5);
        $do!($at + 6);
        $do!($at + 7);
        $do!($at + 8);
        $do!($at + 9);
        $do!($at + 10);
        $do!($at + 11);
        $do!($at + 12);
        $do!($at + 13);
        $do!($at + 14);
        $do!($at + 15);
    };
}

fn bits<const WIDTH: usize>(differences: &[i64; PART], least: i64, packed: &mut Vec<u8>) {
    let mut words = [0; WIDTH];
    macro_rules! write {
        ($at:expr) => {
            let number = differences[$at].wrapping_sub(least).cast_unsigned();
            let (word, used) = ($at * WIDTH / 64, $at * WIDTH % 64);
            words[word] |= number << used;
            if used + WIDTH > 64 {
                words[word + 1] = number >> (64 - used);
            }
        };
    }
    for_each_of_64!(write);
    packed.extend_from_slice(words.map(u64::to_le_bytes).as_flattened());
}

/// Seven bits a byte, the lowest first.
pub fn put(page: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        page.push(number as u8 | 0x80);
        number >>= 7;
    }
    page.push(number as u8);
}

/// The same, the sign in the lowest bit.
fn put_signed(page: &mut Vec<u8>, number: i64) {
    put(page, ((number << 1) ^ (number >> 63)).cast_unsigned());
}
