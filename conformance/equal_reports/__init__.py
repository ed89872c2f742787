"""The committed proof that results stay equal: rows of ``reports.toml``, run and compared."""
