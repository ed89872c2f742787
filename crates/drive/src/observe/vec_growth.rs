//! Access to an entry of a vector that extends the vector if it is too short.

/// Returns the entry `number` of a vector. Extends the vector with default values if it is too short.
#[inline]
pub(super) fn entry<T: Clone + Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if number >= table.len() {
        return grown(table, number);
    }
    &mut table[number]
}

/// Extends a vector until it has the entry `number`. Not inlined, to keep the code of the common case small.
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
