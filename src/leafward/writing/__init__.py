"""Query writing: a language model puts an information need into words that an engine needs."""
