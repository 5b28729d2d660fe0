"""Tables read from files: delimited text, Parquet, Arrow and Feather."""
