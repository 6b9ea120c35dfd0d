"""How it looks. A figure draws what it is handed."""
