"""What pytest needs at the top: pytester, for the plugin's own tests. The suites need nothing."""

pytest_plugins = ["pytester"]
