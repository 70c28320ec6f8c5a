"""SQL over one table: its grammar, parsing, execution, and how {SQL, result} pairs are drawn."""
