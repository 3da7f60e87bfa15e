"""What every call to something outside shares: deadlines, retries, rates, keys of answers."""
