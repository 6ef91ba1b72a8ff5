"""`python -m pytest_applegpu` is `applegpu`."""

from pytest_applegpu.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
