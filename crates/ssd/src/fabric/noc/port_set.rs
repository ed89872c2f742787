//! A set of router ports, as one byte.

use super::Port;

/// Some of a router's ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSet(u8);

impl PortSet {
    /// No port.
    pub const EMPTY: Self = Self(0);
    /// The four ports that lead to other routers, whether or not one is there.
    pub const MESH: Self = Self::EMPTY.with(Port::Right).with(Port::Left).with(Port::Up).with(Port::Down);

    /// The set and `port`.
    #[inline]
    #[must_use]
    pub const fn with(self, port: Port) -> Self {
        Self(self.0 | (1 << port.index()))
    }

    /// The set without `port`.
    #[inline]
    #[must_use]
    pub const fn without(self, port: Port) -> Self {
        Self(self.0 & !(1 << port.index()))
    }

    /// The set without `port` if it has it, and with it if not.
    #[inline]
    #[must_use]
    pub const fn with_flipped(self, port: Port) -> Self {
        Self(self.0 ^ (1 << port.index()))
    }

    /// The ports in both sets.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The ports of this set that the other lacks.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `port` is in the set.
    #[inline]
    pub const fn contains(self, port: Port) -> bool {
        self.0 & (1 << port.index()) != 0
    }

    /// Whether no port is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many ports are in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The port of the set that `before` others come before, in the order of [`Self::iter`].
    #[inline]
    pub const fn nth(self, before: u32) -> Option<Port> {
        let (mut left, mut more) = (self.0, before);
        while more > 0 && left != 0 {
            left &= left - 1;
            more -= 1;
        }
        if left == 0 { None } else { Some(Port::ALL[left.trailing_zeros() as usize]) }
    }

    /// The ports of the set in the order right, left, up, down, chip, controller.
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
}
