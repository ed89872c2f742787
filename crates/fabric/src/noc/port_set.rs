//! Bit set of router ports.

use super::Port;

/// Set of ports of a router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSet(u16);

impl PortSet {
    /// Empty set of ports.
    pub const EMPTY: Self = Self(0);
    /// Set of all ports.
    pub const ALL: Self = Self((1 << Port::ALL.len()) - 1);
    /// Ports that can lead to other routers. A router at the edge of the mesh has only some of them.
    pub const MESH: Self = Self::EMPTY
        .with(Port::Right)
        .with(Port::Left)
        .with(Port::Up)
        .with(Port::Down)
        .with(Port::SecondUp)
        .with(Port::SecondDown);
    /// The ports up and down, whose links may be doubled.
    const VERTICAL: u16 = Self::EMPTY.with(Port::Up).with(Port::Down).0;
    /// Difference between the index of a second port and the index of the first port in its direction.
    const TO_SECOND: usize = Port::SecondUp.index() - Port::Up.index();

    /// Returns this set, extended by the second port of each vertical port that it contains.
    #[inline]
    #[must_use]
    pub const fn with_seconds(self) -> Self {
        Self(self.0 | (self.0 & Self::VERTICAL) << Self::TO_SECOND)
    }

    /// Returns the ports that lead in the direction of `port`: `port` itself and, if the link is doubled, the
    /// other port.
    #[inline]
    pub const fn beside(port: Port) -> Self {
        Self::BESIDE[port.index()]
    }

    const BESIDE: [Self; Port::ALL.len()] = {
        let mut all = [Self::EMPTY; Port::ALL.len()];
        let mut place = 0;
        while place < all.len() {
            let first = match Port::ALL[place] {
                Port::SecondUp => Port::Up,
                Port::SecondDown => Port::Down,
                port => port,
            };
            all[place] = Self::EMPTY.with(first).with_seconds();
            place += 1;
        }
        all
    };

    /// Returns the set as one byte, without the second controller port.
    #[inline]
    pub const fn links_bits(self) -> u8 {
        self.0 as u8
    }

    /// Creates a set from the byte that [`Self::links_bits`] returns.
    #[inline]
    pub const fn of_links_bits(bits: u8) -> Self {
        Self(bits as u16)
    }

    /// Returns this set with at most one port per direction: a second port is removed if its first port is a
    /// member.
    #[inline]
    #[must_use]
    pub const fn one_each_way(self) -> Self {
        Self(self.0 & !((self.0 & Self::VERTICAL) << Self::TO_SECOND))
    }

    /// Returns the set plus `port`.
    #[inline]
    #[must_use]
    pub const fn with(self, port: Port) -> Self {
        Self(self.0 | (1 << port.index()))
    }

    /// Returns the set minus `port`.
    #[inline]
    #[must_use]
    pub const fn without(self, port: Port) -> Self {
        Self(self.0 & !(1 << port.index()))
    }

    /// Returns the set with the membership of `port` inverted.
    #[inline]
    #[must_use]
    pub const fn with_flipped(self, port: Port) -> Self {
        Self(self.0 ^ (1 << port.index()))
    }

    /// Returns the intersection of two port sets.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the union of two port sets.
    #[inline]
    #[must_use]
    pub const fn and_also(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the ports of the first set that are not in the second.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if `port` is a member.
    #[inline]
    pub const fn contains(self, port: Port) -> bool {
        self.0 & (1 << port.index()) != 0
    }

    /// True if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of ports in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the member that follows `before` other members in the order of [`Self::iter`].
    #[inline]
    pub const fn nth(self, before: u32) -> Option<Port> {
        let (mut left, mut more) = (self.0, before);
        while more > 0 && left != 0 {
            left &= left - 1;
            more -= 1;
        }
        if left == 0 { None } else { Some(Port::ALL[left.trailing_zeros() as usize]) }
    }

    /// Iterates over the ports in the order right, left, up, down, chip, controller, then second ports.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Port> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let port = *Port::ALL.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(port)
        })
    }
}

impl FromIterator<Port> for PortSet {
    fn from_iter<I: IntoIterator<Item = Port>>(ports: I) -> Self {
        ports.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_its_ports_in_the_order_of_their_numbers() {
        let set: PortSet = [Port::Chip, Port::Up, Port::Right].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Port::Right, Port::Up, Port::Chip]);
        assert_eq!((set.len(), set.is_empty(), PortSet::EMPTY.is_empty()), (3, false, true));
        assert_eq!(set.and(PortSet::MESH).iter().collect::<Vec<_>>(), [Port::Right, Port::Up]);
        assert_eq!(set.minus(PortSet::MESH).iter().collect::<Vec<_>>(), [Port::Chip]);
        assert_eq!(set.without(Port::Up).with(Port::Up), set);
        assert_eq!(set.with_flipped(Port::Up), set.without(Port::Up));
        assert_eq!(set.with_flipped(Port::Left), set.with(Port::Left));
        assert_eq!(
            [0, 1, 2, 3].map(|before| set.nth(before)),
            [Some(Port::Right), Some(Port::Up), Some(Port::Chip), None]
        );
    }

    #[test]
    fn of_two_ports_that_lead_the_same_way_the_first_stands_for_both() {
        let both: PortSet = [Port::Right, Port::Up, Port::SecondUp, Port::SecondDown].into_iter().collect();
        assert_eq!(both.one_each_way().iter().collect::<Vec<_>>(), [Port::Right, Port::Up, Port::SecondDown]);
        let up: PortSet = [Port::Up, Port::SecondUp].into_iter().collect();
        assert_eq!((PortSet::beside(Port::Up), PortSet::beside(Port::SecondUp)), (up, up));
        assert_eq!(PortSet::beside(Port::Left), PortSet::EMPTY.with(Port::Left));
        assert_eq!(PortSet::EMPTY.with(Port::Up).with_seconds(), up);
    }
}
