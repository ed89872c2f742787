//! The columns that a request is made of.

/// What a column may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Op,
    Offset,
    Size,
    Device,
}

/// The words of a description for them.
pub(super) const ROLES: [(&str, Role); 5] = [
    ("time", Role::Time),
    ("op", Role::Op),
    ("offset", Role::Offset),
    ("size", Role::Size),
    ("device", Role::Device),
];

/// The columns that a request is made of, as they stand in a line. One that is not there is empty.
#[derive(Clone, Copy, Default)]
pub(super) struct Fields<'a> {
    pub(super) time: &'a [u8],
    pub(super) op: &'a [u8],
    pub(super) offset: &'a [u8],
    pub(super) size: &'a [u8],
    pub(super) device: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Returns the place of a column.
    pub(super) fn column(&mut self, role: Role) -> &mut &'a [u8] {
        match role {
            Role::Time => &mut self.time,
            Role::Op => &mut self.op,
            Role::Offset => &mut self.offset,
            Role::Size => &mut self.size,
            Role::Device => &mut self.device,
        }
    }
}

/// Returns the role that a word means.
pub(super) fn role_named(name: &str) -> Option<Role> {
    ROLES.iter().find(|(word, _)| *word == name).map(|&(_, role)| role)
}
