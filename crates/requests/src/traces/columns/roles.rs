//! Roles of the columns in a trace file.

/// Role of a column: the property of a request that the column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnRole {
    Time,
    Op,
    Offset,
    Size,
    Device,
    PatternSet,
}

impl ColumnRole {
    /// Returns true if files may lack the column.
    pub(super) const fn is_optional(self) -> bool {
        matches!(self, Self::Device | Self::PatternSet)
    }
}

/// Words for the roles in a column description.
pub(super) const ROLES: [(&str, ColumnRole); 6] = [
    ("time", ColumnRole::Time),
    ("op", ColumnRole::Op),
    ("offset", ColumnRole::Offset),
    ("size", ColumnRole::Size),
    ("device", ColumnRole::Device),
    ("set", ColumnRole::PatternSet),
];

/// Fields of a line by role; a missing column is empty.
#[derive(Clone, Copy, Default)]
pub(super) struct LineFields<'a> {
    pub(super) time: &'a [u8],
    pub(super) op: &'a [u8],
    pub(super) offset: &'a [u8],
    pub(super) size: &'a [u8],
    pub(super) device: &'a [u8],
    pub(super) pattern_set: &'a [u8],
}

impl<'a> LineFields<'a> {
    /// Returns the field with this role.
    pub(super) fn column(&mut self, role: ColumnRole) -> &mut &'a [u8] {
        match role {
            ColumnRole::Time => &mut self.time,
            ColumnRole::Op => &mut self.op,
            ColumnRole::Offset => &mut self.offset,
            ColumnRole::Size => &mut self.size,
            ColumnRole::Device => &mut self.device,
            ColumnRole::PatternSet => &mut self.pattern_set,
        }
    }
}

/// Returns the role that a word in a column description names.
pub(super) fn role_named(name: &str) -> Option<ColumnRole> {
    ROLES.iter().find(|(word, _)| *word == name).map(|&(_, role)| role)
}
