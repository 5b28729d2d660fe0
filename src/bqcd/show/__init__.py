"""What people see: words, sheets, pictures, pages. The only room that builds sentences."""
