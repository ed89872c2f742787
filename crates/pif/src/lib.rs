//! Processing in flash: chips correct and search their own pages. The crate computes results, time and energy
//! of such searches.
//!
//! # Modules
//!
//! - [`page`]: a page as stored in the cells, sixteen codewords for 16 KB.
//! - [`matcher`]: the pattern matcher's tables, and an equivalent faster matcher.
//! - [`store`]: stored pages, their error correction, and searches over pages.
//! - [`grep`]: searches with the options and the output of `grep`.
//! - [`search_run`]: time and energy of a search, which the drive's engine executes.
//!
//! # Example
//!
//! ```
//! use venice_kernel::RandomStream;
//! use venice_ecc::decoder::HardDecoderKind;
//! use venice_pif::matcher::{Matcher, PatternSet};
//! use venice_pif::page::StoredPage;
//! use venice_nand::wear::{PageWear, WearModel};
//!
//! // The controller encodes a page once and writes the pattern into the chip's tables.
//! let mut data = vec![b'.'; 16 * 1024];
//! data[5000..5006].copy_from_slice(b"venice");
//! let stored = StoredPage::encode(&data)?;
//! let matcher = Matcher::new(&PatternSet::new(["venice"])?)?;
//!
//! // Half a year later the cells have lost some bits.
//! let wear = PageWear { program_erase_cycles: 1000.0, retention_days: 182.0, reads: 0.0 };
//! let rate = WearModel::default().raw_bit_error_rate(wear);
//! let mut read = stored.clone();
//! let errors = read.corrupt(rate, &mut RandomStream::new(1, "page 0"));
//! assert!(errors > 600);
//!
//! // The chip corrects and matches.
//! let mut ecc_w = HardDecoderKind::TwoBit.build(300);
//! let outcome = read.decode(&mut ecc_w);
//! assert!(outcome.is_corrected());
//! assert_eq!(outcome.flips, errors);
//! assert_eq!(matcher.find(&read.data())[0].start, 5000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Only [`search_run`] computes times and energies. Its input are the iterations and bytes that the other
//! modules report. Random errors and outcomes depend only on the seed, and are equal on every computer.
//!
//! `docs/models/pif-codes.md` has the curves, the sources and the limits.

pub mod grep;
pub mod matcher;
pub mod page;
pub mod search_run;
pub mod store;
