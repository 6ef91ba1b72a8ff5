"""The options: their names, defaults and help, shared by the plugin and the `applegpu` command.

Each has an ini twin of the same name with underscores: `--applegpu-tf32` is `applegpu_tf32`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

BACKENDS: Final = ("auto", "metal", "cuda", "cpu", "emulated")
TF32_CHOICES: Final = ("on", "off", "both")
NAX_CHOICES: Final = ("on", "off", "both")
TIERS: Final = ("smoke", "standard", "exhaustive")


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `form`: "value", "flag", or "list" (repeatable, a line each in an ini file)."""

    name: str
    default: Any
    help: str
    metavar: str | None = None
    form: str = "value"

    @property
    def flag(self) -> str:
        """Name on pytest's command line."""
        return f"--applegpu-{self.name}"

    @property
    def short(self) -> str:
        """Name on the `applegpu` command line, which takes the long one too."""
        return f"--{self.name}"

    @property
    def ini(self) -> str:
        """Name in an ini file."""
        return f"applegpu_{self.name.replace('-', '_')}"

    @property
    def destination(self) -> str:
        """Attribute under which a parser keeps it."""
        return self.ini


OPTIONS: Final = (
    Option(
        "backend",
        "auto",
        f"MLX backend to test: {', '.join(BACKENDS)}; auto takes the GPU's if there is one",
        "NAME",
    ),
    Option(
        "tf32",
        "both",
        f"TF32 settings to run, each in a process of its own: {', '.join(TF32_CHOICES)}",
        "MODE",
    ),
    Option(
        "arch",
        "",
        "comma-separated architectures whose dispatch MLX is to follow, as in applegpu_g13g; own "
        "is the GPU's, all adds every other one without NAX. What an emulated device emulates",
        "LIST",
    ),
    Option(
        "nax",
        "on",
        f"neural accelerators as the GPU has them, kept out, or both: {', '.join(NAX_CHOICES)}",
        "MODE",
    ),
    Option(
        "mlx",
        "",
        "MLX version whose dispatch is predicted and emulated; the installed one by default",
        "VERSION",
    ),
    Option(
        "shapes-for",
        "newest",
        "architecture whose dispatch the shapes are chosen by where the backend is not metal; "
        "newest is the newest one with NAX",
        "ARCH",
    ),
    Option("tier", "smoke", f"how much to run, by computed cost: {', '.join(TIERS)}", "TIER"),
    Option(
        "dtypes",
        "all",
        "comma-separated formats to run, as in float32,bf16; all means what the backend has",
        "LIST",
    ),
    Option(
        "baselines",
        "baselines",
        "folder of measured baselines, read before those that are shipped; relative to the root",
        "DIR",
    ),
    Option(
        "update-baselines",
        default=False,
        help="store what this run measures as this machine's baseline",
        form="flag",
    ),
    Option("report-log", "", "write one JSON object a case, a line each, to FILE", "FILE"),
    Option("seed", "0", "whole number that the data and the choice of cases come from", "N"),
    Option("timeout", "60", "seconds that a case may take beyond its computed cost", "SECONDS"),
    Option(
        "case",
        (),
        "run just the case that TEXT says, planned or not; repeatable",
        "TEXT",
        "list",
    ),
    Option(
        "shapes",
        (),
        "run what a model multiplies in place of the planned cases: comma-separated names of "
        "shipped sets (`applegpu shapes` lists them) and TOML files; repeatable",
        "LIST",
        "list",
    ),
    Option(
        "blame",
        "5",
        "as many failures are run elsewhere too, to say who is right: on the CPU backend, with "
        "TF32 off, as another architecture, on contiguous copies; 0 for none",
        "N",
    ),
    Option(
        "bundle",
        "",
        "write each failure to a folder under DIR: a program that needs only mlx and numpy, the "
        "facts as JSON, the map",
        "DIR",
    ),
    Option(
        "shrink",
        default=False,
        help="search for the smallest case that still fails, and where it begins to, up to ten "
        "failures of a run",
        form="flag",
    ),
    Option(
        "search",
        "0",
        "so many further cases, drawn at random from all that operations take by the seed and the "
        "number of the case; the first failure of each kind is made smaller",
        "N",
    ),
    Option(
        "known-issues",
        "shipped",
        "TOML file of known issues, in place of those that are shipped, or none: a case that shows "
        "one does not fail the run, and one that is gone fails it",
        "FILE|none",
    ),
    Option(
        "versus",
        "",
        "interpreter, or mlx==VERSION to make one for, that each case is run on too, A B B A: "
        "numbers and speed both, without a stored baseline",
        "PYTHON|mlx==VERSION",
    ),
    Option(
        "rounds",
        "auto",
        "rounds of A B B A that a timed case takes in a versus run; auto: 200, or what fits",
        "N",
    ),
    Option(
        "resume",
        "",
        "go on with a versus run whose report log is LOG: cases in it are not run again",
        "LOG",
    ),
    Option("python", "", "interpreter whose MLX is tested; its own by default", "PATH"),
)

BY_NAME: Final = {option.name: option for option in OPTIONS}
