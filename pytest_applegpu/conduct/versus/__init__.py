"""Build against build: each case on two interpreters in one run, numbers and speed both."""
