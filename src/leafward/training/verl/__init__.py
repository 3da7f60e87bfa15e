"""verl's PPO on Ray: data, configuration and launch. verl lives in an environment of its own."""
