//! Vectors that grow when an entry is accessed.

/// Returns the entry `number`. If the vector is too short, it is extended with default values.
#[inline]
pub(super) fn entry<T: Clone + Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if number >= table.len() {
        return grown(table, number);
    }
    &mut table[number]
}

/// Extends the vector to the given length. Not inlined, so that the code for the common case stays small.
#[cold]
fn grown<T: Clone + Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    table.resize(number + 1, T::default());
    &mut table[number]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_grows_to_the_accessed_index_and_keeps_its_content() {
        let mut table: Vec<u32> = Vec::new();
        *entry(&mut table, 2) += 5;
        *entry(&mut table, 0) += 1;
        *entry(&mut table, 2) += 1;
        assert_eq!(table, [1, 0, 6]);
    }
}
