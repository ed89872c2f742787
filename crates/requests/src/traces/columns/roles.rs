//! Columns of a request.

/// Role of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Op,
    Offset,
    Size,
    Device,
}

/// Words of a description for the roles.
pub(super) const ROLES: [(&str, Role); 5] = [
    ("time", Role::Time),
    ("op", Role::Op),
    ("offset", Role::Offset),
    ("size", Role::Size),
    ("device", Role::Device),
];

/// Fields of a line by role; a missing column is empty.
#[derive(Clone, Copy, Default)]
pub(super) struct Fields<'a> {
    pub(super) time: &'a [u8],
    pub(super) op: &'a [u8],
    pub(super) offset: &'a [u8],
    pub(super) size: &'a [u8],
    pub(super) device: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Returns the field of a role.
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

/// Returns the role of a word.
pub(super) fn role_named(name: &str) -> Option<Role> {
    ROLES.iter().find(|(word, _)| *word == name).map(|&(_, role)| role)
}
