"""Which faults did public releases have, and which cases show them?"""
