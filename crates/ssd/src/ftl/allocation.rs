//! Which plane a logical page goes to.
//!
//! # What it models
//! The 24 static orders in which consecutive logical pages are spread over channels (C), ways (W),
//! dies (D) and planes (P), and a dynamic choice of the least busy plane.
//!
//! # How
//! The logical page number is read as a number of four digits, one for each level; the first letter
//! of the order is the digit that varies fastest. CWDP thus puts neighbours on different channels.
//! What is left above the digits numbers the pages of one plane.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, Table 2 (`Plane_Allocation_Scheme`); Hu et al., "Performance
//! impact and interplay of SSD parallelism through advanced commands, allocation strategy and data
//! granularity", ICS 2011.
//!
//! # Parameters
//! `ftl.allocation_mode`, `ftl.allocation_order`

use crate::geometry::{Geometry, Lpn, PlaneId};

use super::Level;

/// The way from a logical page number to a plane and back, for one order of levels.
#[derive(Clone, Debug)]
pub struct Striping {
    /// For each stripe position (logical page number modulo planes) its plane.
    plane_of_position: Vec<PlaneId>,
}

impl Striping {
    /// The striping of `geometry` in this order of levels.
    pub fn new(geometry: &Geometry, order: [Level; 4]) -> Self {
        let plane_of_position = (0..geometry.planes()).map(|n| plane_at(geometry, order, n)).collect();
        Self { plane_of_position }
    }

    /// The plane of a logical page, and the page's number among those of that plane.
    #[inline]
    pub fn place(&self, lpn: Lpn) -> (PlaneId, u32) {
        let planes = self.plane_of_position.len() as u32;
        (self.plane_of_position[(lpn.0 % planes) as usize], lpn.0 / planes)
    }

    /// All planes in the order in which consecutive logical pages visit them.
    pub fn planes(&self) -> &[PlaneId] {
        &self.plane_of_position
    }
}

fn plane_at(geometry: &Geometry, order: [Level; 4], mut position: u32) -> PlaneId {
    let (mut channel, mut way, mut die, mut plane) = (0, 0, 0, 0);
    for level in order {
        let (digit, radix) = match level {
            Level::Channel => (&mut channel, geometry.array.rows),
            Level::Way => (&mut way, geometry.array.cols),
            Level::Die => (&mut die, geometry.dies_per_chip),
            Level::Plane => (&mut plane, geometry.planes_per_die),
        };
        *digit = position % radix;
        position /= radix;
    }
    let chip = geometry.array.chip(channel, way).0;
    PlaneId((chip * geometry.dies_per_chip + die) * geometry.planes_per_die + plane)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Array;

    const LEVELS: [Level; 4] = [Level::Channel, Level::Way, Level::Die, Level::Plane];

    fn geometry() -> Geometry {
        Geometry {
            array: Array { rows: 3, cols: 2 },
            dies_per_chip: 2,
            planes_per_die: 4,
            blocks_per_plane: 8,
            pages_per_block: 4,
            page_bytes: 4096,
        }
    }

    fn orders() -> Vec<[Level; 4]> {
        let mut orders = Vec::new();
        for first in LEVELS {
            for second in LEVELS {
                for third in LEVELS {
                    for fourth in LEVELS {
                        let order = [first, second, third, fourth];
                        if LEVELS.iter().all(|level| order.contains(level)) {
                            orders.push(order);
                        }
                    }
                }
            }
        }
        orders
    }

    #[test]
    fn each_of_the_24_orders_visits_every_plane_once_per_stripe() {
        let orders = orders();
        assert_eq!(orders.len(), 24);
        for order in orders {
            let mut planes = Striping::new(&geometry(), order).planes().to_vec();
            planes.sort_unstable();
            assert_eq!(planes, (0..48).map(PlaneId).collect::<Vec<_>>(), "{order:?}");
        }
    }

    #[test]
    fn the_first_level_of_an_order_varies_fastest() {
        let cwdp = Striping::new(&geometry(), LEVELS);
        // Two dies of four planes: a chip has 8 planes, a channel 16.
        assert_eq!(cwdp.planes()[..4], [PlaneId(0), PlaneId(16), PlaneId(32), PlaneId(8)]);
        let pdwc = Striping::new(&geometry(), [Level::Plane, Level::Die, Level::Way, Level::Channel]);
        assert_eq!(pdwc.planes(), (0..48).map(PlaneId).collect::<Vec<_>>());
    }

    #[test]
    fn pages_beyond_a_stripe_are_numbered_within_their_plane() {
        let cwdp = Striping::new(&geometry(), LEVELS);
        assert_eq!(cwdp.place(Lpn(48 * 5 + 1)), (PlaneId(16), 5));
    }
}
