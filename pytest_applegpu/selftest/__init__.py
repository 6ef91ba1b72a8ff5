"""Would the suite notice? Faults planted in the array library, and the suite run against each."""
