"""Methods in the dress of other libraries."""
