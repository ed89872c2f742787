//! Processing in flash, without a drive around it: what a chip that searches its own pages computes.
//!
//! # The pieces
//!
//! - [`code`]: the (9216, 8192) QC-LDPC code of a 1-KB sub-page, and its encoder.
//! - [`decoder`]: the seam of the decoders: `ECC_w` in the chip, `ECC_s` in the controller.
//! - [`channel`]: raw bit errors of hard reads, strengths of soft reads.
//! - [`wear`]: raw bit error rate from program/erase cycles, retention and reads.
//! - [`page`]: a page as the cells hold it, sixteen codewords for 16 KB.
//! - [`curve`]: the statistical mode, in which failures are drawn and nothing is decoded.
//! - [`matcher`]: the pattern matcher's tables, and a faster search that finds the same.
//! - [`store`]: pages in a drive, what reading one comes to, and searching them.
//! - [`grep`]: what was found, as `grep` prints it.
//!
//! # A search, step by step
//!
//! ```
//! use venice_kernel::RandomStream;
//! use venice_pif::decoder::HardDecoderKind;
//! use venice_pif::matcher::{Matcher, PatternSet};
//! use venice_pif::page::StoredPage;
//! use venice_pif::wear::{Wear, WearModel};
//!
//! // The controller encodes a page once and writes the pattern into the chip's tables.
//! let mut data = vec![b'.'; 16 * 1024];
//! data[5000..5006].copy_from_slice(b"venice");
//! let stored = StoredPage::encode(&data)?;
//! let matcher = Matcher::new(&PatternSet::new(["venice"])?)?;
//!
//! // Half a year later the cells have lost some bits.
//! let wear = Wear { program_erase_cycles: 1000.0, retention_days: 182.0, reads: 0.0 };
//! let rate = WearModel::TLC_72_LAYERS.raw_bit_error_rate(wear);
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
//! Time and energy are the chip's and not computed here: what they follow from, iterations and bytes, is returned.
//! The same seed gives the same errors, draws and outcomes on every host.
//!
//! `docs/models/pif-codes.md` has the curves, the sources and what is left out.

pub mod channel;
pub mod code;
pub mod curve;
pub mod decoder;
pub mod grep;
pub mod matcher;
pub mod page;
pub mod store;
pub mod wear;
