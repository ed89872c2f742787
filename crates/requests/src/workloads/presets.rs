//! Built-in workloads.

macro_rules! presets {
    ($($name:literal)*) => {
        /// Names and definitions of the presets.
        pub(super) const PRESETS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../presets/workloads/", $name, ".toml")))),*];

        /// Returns the names of the presets.
        pub const fn workload_names() -> &'static [&'static str] {
            &[$($name),*]
        }
    };
}

presets! {
    "random-read"
    "random-write"
    "mixed-70-30"
    "sequential-read"
    "strided-read"
    "zipf-mixed"
    "bursty-oltp"
    "poisson-read-4k"
    "poisson-read-16k"
    "poisson-read-64k"
    "gather"
    "gather-and-read"
    "search"
    "hm_0"
    "mds_0"
    "proj_3"
    "prxy_0"
    "rsrch_0"
    "src1_0"
    "src2_1"
    "usr_0"
    "wdev_0"
    "web_1"
    "YCSB_B"
    "YCSB_D"
    "jenkins"
    "postgres"
    "LUN0"
    "LUN2"
    "LUN3"
    "ssd-00"
    "ssd-10"
    "mix1"
    "mix2"
    "mix3"
    "mix4"
    "mix5"
    "mix6"
}
