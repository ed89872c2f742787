"""Program of the RocksDB recording: writes that fill a small buffer repeatedly, then look-ups.

Needs the package rocksdict, which brings RocksDB.
"""

import random
import sys

from rocksdict import BlockBasedOptions, Cache, Options, Rdict

options = Options(raw_mode=True)
options.set_write_buffer_size(64 << 10)
options.set_level_zero_file_num_compaction_trigger(2)
options.set_target_file_size_base(128 << 10)
blocks = BlockBasedOptions()
blocks.set_block_cache(Cache(64 << 10))
options.set_block_based_table_factory(blocks)
draws = random.Random(42)
pairs = Rdict(sys.argv[1], options)
keys = [draws.randbytes(8) for _ in range(1000)]
for key in keys:
    pairs[key] = draws.randbytes(400)
pairs.flush()
for key in draws.choices(keys, k=300):
    assert len(pairs[key]) == 400
pairs.close()
