"""Program of the SQLite recording: small transactions, then look-ups with a cache of 20 pages."""

import random
import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE pairs (key INTEGER PRIMARY KEY, value BLOB)")
draws = random.Random(42)
for _ in range(40):
    with connection:
        rows = [(draws.randrange(10**6), draws.randbytes(400)) for _ in range(10)]
        connection.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?)", rows)
connection.close()
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA cache_size = 20")
for _ in range(400):
    connection.execute(
        "SELECT value FROM pairs WHERE key >= ?", (draws.randrange(10**6),)
    ).fetchone()
