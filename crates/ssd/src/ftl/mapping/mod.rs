//! Where logical pages are, and what it costs to know.
//!
//! # The contract
//!
//! 1. The page map always knows where every page is: it is the truth that reads, moves and the audit
//!    go by. The seam, `ftl.mapping`, is what a look-up costs.
//! 2. `ideal`: nothing. `cached`: a transaction whose entry is not in the cached table waits until
//!    its translation page was read from flash.

mod cached_table;
mod demand_paging;
mod first_map;
mod page_map;

pub use cached_table::CachedTable;
pub use demand_paging::{DemandPaging, LookUps, StoredTable};
pub use first_map::{FirstMap, PlaneTables, Shift};
pub use page_map::PageMap;
