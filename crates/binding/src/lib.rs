//! Python module `venice._native`: the engine with the policies of its catalogues.

/// Allocator of tuned builds. It requests huge pages from Linux (`.cargo/config.toml`), since accesses to the map and to
/// the tables of blocks are scattered over tens of megabytes.
#[cfg(all(feature = "huge-pages", target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

venice_engine::python_module!(_native);
