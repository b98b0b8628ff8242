"""Training where Veritab is not installed: `python -m veritab.train fit RUN --base DIR`, or this file by its path.

By its path, `python src/veritab/train/__main__.py fit RUN --base DIR`, nothing but torch, transformers, safetensors and
numpy is imported.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import types
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = made.add_subparsers(dest="step", required=True)

    preparing = steps.add_parser("prepare", help="examples to token files")
    preparing.add_argument("recipe", help="a recipe that ships, or a TOML file")
    preparing.add_argument("run", type=Path)
    preparing.add_argument("--data", type=Path, help="the folder of the data sets")
    preparing.add_argument("--base", type=Path, help="the folder of the encoder to start from, or of several")

    fitting = steps.add_parser("fit", help="token files to a trained network")
    fitting.add_argument("run", type=Path)
    fitting.add_argument("--base", type=Path, help="the folder of the encoder to start from, or of several")
    fitting.add_argument(
        "--also", type=Path, nargs="*", default=(), help="more trained folders, averaged with the base"
    )
    fitting.add_argument("--draw", type=int, default=0, help="another order of the examples, another dropout")
    fitting.add_argument("--prepared", type=Path, help="token files of another run")
    fitting.add_argument("--recipe", type=Path, help="another recipe for the same token files")
    fitting.add_argument("--teacher", type=Path, help="the run of the teacher, where it is not where the recipe says")
    fitting.add_argument("--seconds", type=float, help="train fewer steps if this would be passed")
    fitting.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    fitting.add_argument("--device", choices=("cpu", "cuda"))
    fitting.add_argument("--most", type=int, help="train on and measure so few examples of each source; for a trial")

    exporting = steps.add_parser("export", help="a trained network to a model's folder")
    exporting.add_argument("run", type=Path)
    exporting.add_argument("--prepared", type=Path, help="token files of another run")
    exporting.add_argument("--allow-disagreement", action="store_true")
    return made


def main() -> int:
    arguments = parser().parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    say = logging.getLogger("veritab.train")
    from veritab.errors import VeritabError
    from veritab.train.folders import Run

    run = Run(arguments.run)
    try:
        if arguments.step == "prepare":
            from veritab.train import recipe as recipes
            from veritab.train.prepare import prepare

            path = recipes.find(arguments.recipe)
            text = path.read_text(encoding="utf-8")
            prepare(recipes.read(path), text, run, data=arguments.data, base=arguments.base)
        elif arguments.step == "fit":
            from veritab.train.loop import Settings, fit

            told = {name: value for name, value in vars(arguments).items() if name in Settings._fields}
            for event in fit(run, Settings(**told)):
                say.info(json.dumps(event))
        else:
            from veritab.train.export import export

            for event in export(run, prepared=arguments.prepared, allow=arguments.allow_disagreement):
                say.info(json.dumps(event))
    except VeritabError as error:
        say.error("error: %s", error)
        return error.exit_code
    return 0


def _bare_house() -> None:
    """Let `veritab.train` be imported without what `veritab` itself imports."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if not path or Path(path).resolve() != here]
    house = types.ModuleType("veritab")
    house.__path__ = [str(here.parent)]
    sys.modules["veritab"] = house


if __name__ == "__main__":
    if not __package__:
        _bare_house()
    sys.exit(main())
