"""The data sets that have a name: where each is looked for, where it comes from, and how to check its file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from veritab.datasets.records import Task
from veritab.errors import NotFound

DATA_VARIABLE = "VERITAB_DATA"
"""The environment variable that names the folder of data sets."""
SET_DATA_FOLDER = (
    f"set {DATA_VARIABLE} to a folder that holds fever/, feverous/, fm2/ and faviq/ (files such as fever/train.jsonl "
    "or .jsonl.gz), or name it with --data DIR; veritab data lists every file and where it comes from"
)
EXTENSIONS = (".jsonl", ".jsonl.gz", ".jsonl.xz", ".jsonl.bz2", ".json", ".json.gz")
# A wheel has the data sets that ship beside this file, a checkout in its examples.
_BUNDLED = (Path(__file__).parent, Path(__file__).parents[3] / "examples")


def find_data_folder(chosen: Path | None = None) -> Path | None:
    """The folder of data sets: the one chosen, else the one that VERITAB_DATA names, else None."""
    named = os.environ.get(DATA_VARIABLE)
    return chosen or (Path(named) if named else None)


def data_folder(chosen: Path | None = None) -> Path:
    """The folder of data sets, or an error that says how to name it."""
    folder = find_data_folder(chosen)
    if folder is None or not folder.is_dir():
        what = f"{str(folder)!r} is not a folder" if folder else "no folder of data sets is set"
        raise NotFound(f"{what}; {SET_DATA_FOLDER}")
    return folder


def find_data_file(name: str, folder: Path | None) -> Path:
    """A file of the data folder by its name without ending, e.g. "nq_open/dev"."""
    if folder is None:
        raise NotFound(f"no file {name!r}, and no folder of data sets; {SET_DATA_FOLDER}")
    for ending in EXTENSIONS:
        if (path := folder / f"{name}{ending}").is_file():
            return path
    raise NotFound(f"no file {name!r}, neither here nor in {str(folder)!r}; give a path that exists")


def find_bundled(name: str) -> Path | None:
    """A file of data that ships with Veritab, or None."""
    shipped = (folder / name for folder in _BUNDLED if name)
    return next((path for path in shipped if path.is_file()), None)


@dataclass(frozen=True, slots=True)
class RegisteredDataSet:
    """A data set that has a name.

    `files` are the names it has in the data folder, without .jsonl or .jsonl.gz, the first that is there counts.
    `claims` and `sha256` (of the unpacked file) are of the whole file, `parts` of parts of it that are in use.
    `bundled` names the file of a data set that ships with Veritab; a file of the data folder comes before it.
    """

    name: str
    task: Task
    files: tuple[str, ...]
    licence: str
    home: str
    claims: int | None = None
    sha256: str | None = None
    parts: Mapping[str, int] = field(default_factory=dict)
    bundled: str = ""

    def find(self, data: Path | None = None) -> Path | None:
        """The file on this machine, or None."""
        folder = find_data_folder(data)
        inside = (folder / name for name in self.names_in_folder()) if folder is not None else ()
        return next((path for path in inside if path.is_file()), None) or self.bundled_file()

    def names_in_folder(self) -> Iterator[str]:
        """Every name that its file may have in the data folder, the first that is there counts."""
        return (f"{file}{extension}" for file in self.files for extension in EXTENSIONS)

    def bundled_file(self) -> Path | None:
        """The file that ships with Veritab, or None."""
        return find_bundled(self.bundled)


# -- the list ----------------------------------------------------------------------------------------------

_SHARE_ALIKE = "CC BY-SA 3.0"
_FEVER = "https://fever.ai/dataset/fever.html"
_FEVEROUS = "https://fever.ai/dataset/feverous.html"
_FM2 = "https://github.com/google-research/fool-me-twice"
_FM2_LICENCE = "Apache-2.0, Wikipedia's text CC BY-SA 3.0"
_FAVIQ = "https://faviq.github.io"
_UNSTATED = "not stated: look, do not train"
_SUFFICIENT = "https://github.com/copenlu/sufficient_facts"
_TABFACT = "https://tabfact.github.io"
_INFOTABS = "https://infotabs.github.io"
_INFOTABS_LICENCE = "Apache-2.0, Wikipedia's text CC BY-SA 3.0"


def _fever(split: str, claims: int, sha256: str, **parts: int) -> RegisteredDataSet:
    return RegisteredDataSet(
        f"fever/{split}", "fever", (f"fever/{split}",), _SHARE_ALIKE, _FEVER, claims, sha256, parts
    )


def _feverous(split: str, file: str, claims: int, sha256: str | None = None) -> RegisteredDataSet:
    files = (f"feverous/{file}", f"feverous/{split}")
    return RegisteredDataSet(f"feverous/{split}", "feverous", files, _SHARE_ALIKE, _FEVEROUS, claims, sha256)


def _fm2(split: str, claims: int, sha256: str | None = None) -> RegisteredDataSet:
    return RegisteredDataSet(f"fm2/{split}", "fm2", (f"fm2/{split}",), _FM2_LICENCE, _FM2, claims, sha256)


def _faviq(part: str, split: str, claims: int) -> RegisteredDataSet:
    files = (f"faviq/{part}/{split}", f"faviq/faviq_{part}_set/{split}")
    return RegisteredDataSet(f"faviq/{part}/{split}", "faviq", files, _UNSTATED, _FAVIQ, claims)


_TASKS: Mapping[str, Task] = {"fever": "fever", "feverous": "feverous", "faviq": "faviq"}
_HOMES = {"fever": _FEVER, "feverous": _FEVEROUS}


def _other(name: str, claims: int, sha256: str, home: str = "", licence: str = _SHARE_ALIKE) -> RegisteredDataSet:
    family = name.partition("/")[0]
    task = "claims" if home == _SUFFICIENT else _TASKS.get(family, "claims")
    return RegisteredDataSet(name, task, (name,), licence, home or _HOMES[family], claims, sha256)


def _almanac(name: str, claims: int) -> RegisteredDataSet:
    home = "examples/almanac in Veritab's source code"
    file = f"almanac/{name}"
    return RegisteredDataSet(file, "feverous", (file,), "Apache-2.0", home, claims, bundled=f"{file}.jsonl")


def _written(split: str, claims: int) -> RegisteredDataSet:
    home = "examples/written in Veritab's source code"
    licence = "Apache-2.0; Wikipedia's pages, whose text is not included, CC BY-SA 3.0"
    file = f"written/{split}"
    return RegisteredDataSet(file, "feverous", (file,), licence, home, claims, bundled=f"{file}.jsonl.gz")


def _given(claims: int) -> RegisteredDataSet:
    home = "examples/written in Veritab's source code"
    file = "written/given"
    return RegisteredDataSet(file, "claims", (file,), "Apache-2.0", home, claims, bundled=f"{file}.jsonl.gz")


_LIST = (
    _almanac("claims", 360),
    _almanac("reasoning", 200),
    # The checksums of FEVER's own files are those its mirrors publish.
    _fever("train", 145_449, "eba7e8f87076753f8494718b9a857827af7bf73e76c9e4b75420207d26e588b6"),
    _fever(
        "paper_dev",
        9_999,
        "41158707810008747946bf23471e82df53e77a513524b9e3ec1c2e674ef5ef8c",
        d18066de0f1d839faee5f40eaa69794c66fdf5dee2a66750f536bdc83d7f8545=4_782,
    ),
    _fever("paper_test", 9_999, "fb7b0280a0adc2302bbb29bfb7af37274fa585de3171bcf908f180642d11d88e"),
    _fever("shared_task_dev", 19_998, "e89865bfe1b4dd054e03dd57d7241a6fde24862905f31117cf0cd719f7c78df7"),
    _fever("shared_task_test", 19_998, "76dd0872d8fa1f49efe1194fe8a88b7dd4c715c77d87a142b615d4be583e1e51"),
    _feverous(
        "train",
        "feverous_train_challenges",
        71_291,
        "0c29ccba41e27c5b988ca5132085e8d67c7921f265707bea170bfbde12bceee7",
    ),
    _feverous("dev", "feverous_dev_challenges", 7_890),
    _feverous("test", "feverous_test_unlabeled", 7_845),
    _fm2("train", 10_419),
    _fm2("dev", 1_169, "569c07cd776e3fac293a02e9e3889b076378fb3f65323cd6161a85fd254d5b9b"),
    _fm2("test", 1_380),
    _faviq("a", "train", 17_008),
    _faviq("a", "dev", 4_260),
    _faviq("a", "test", 4_688),
    _faviq("r", "train", 140_977),
    _faviq("r", "dev", 15_566),
    _faviq("r", "test", 5_877),
    # Claims that were written for Veritab by reading pages of Wikipedia and invented documents: docs/data-written.md.
    _written("train", 10_641),
    _written("dev", 1_230),
    _given(10_224),
    # Parts of the above in other forms, mostly with the text of their evidence.
    _other("fever/train_pairs", 10_000, "73af481ca4980ec4bac82a7b613af1ecce0c4f60c32fa8db73d77a3de1cb0867"),
    _other("fever/val_pairs", 3_000, "c0c048e8440795a6da45ed12e3f3076a3ca568b6c0b8e156cf7b40f9ce73184b"),
    _other("fever/dev_gold_text", 6_436, "071190aeaebf92424df5b6720da594e02999d052d5fb57efedc4bcee789431c7"),
    _other("fever/dev_three_way_with_text", 2_372, "56bdc8d38590bf432beb5a49ef5f10d356a2db1f88d0837c560b38ab42b88d68"),
    _other(
        "fever/sufficient_facts", 582, "c8db033b11cd05b3bdd0d1c4f2f953ab9f8f3dc039adc766877c8a396d2234b1", _SUFFICIENT
    ),
    _other("feverous/official_records_dev50", 50, "b9e7e8d372e148a8b6daaeb7dee835443621ae1ba923e975c28e492d6fd90388"),
    _other("feverous/official_records_train10", 10, "313de1a5e05481ed84ed17d88102f2c624bb43eb701b39b779b1f0f1975cdbfc"),
    _other("feverous/cell_claims", 503, "01d3a8694d57a098d0fc6b1915b9cd2db3f97e57c6998c9b695001b330504ba0"),
    _other("feverous/full_table_gold_cells", 194, "ccbe1b52bbdc64989c93efe6f377e12c893de311779239a598a19543289a9a2f"),
    _other("feverous/full_tables", 661, "9a09c72b88c9b0ea401a534c889a9027c3acb5bc02694a0fd1457b027928d480"),
    _other("feverous/sentence_claims", 1_468, "0bfa3e89cbb255a31d4ee1129e1bd54015ab49efceb753336e61fe9d74402e5c"),
    _other("faviq/samples", 100, "ea6fd9fcb6566e9d52c567ee997d81b5cdab69f9c802f6db8392a85311b47dcd", _FAVIQ, _UNSTATED),
    # Collections of other tasks, for the audits to compare with.
    _other(
        "vitaminc/real",
        30_604,
        "65cd8bd2bf123b7cd48cb7f774681b21d1e32089e99ac9ad7ee303aa695aa051",
        "https://github.com/TalSchuster/VitaminC",
    ),
    _other(
        "vitaminc/sufficient_facts",
        600,
        "2f40b07468003025e2baa5cd3e412ddadbeeec30949af54c744c058953dd60a1",
        _SUFFICIENT,
        "for research",
    ),
    _other(
        "tabfact/train_partial",
        30_084,
        "782ec6ddf9a03423651b513fa145f0e0a64033624bedf6b66a61e38b77ebbcf3",
        _TABFACT,
        "CC BY 4.0",
    ),
    _other(
        "tabfact/val",
        12_792,
        "6e47db24394bbe7a6134778331ee89a4b9633f5baef5b617406ab1742b4f7136",
        _TABFACT,
        "CC BY 4.0",
    ),
    _other(
        "infotabs/train",
        16_538,
        "631b1dd715c55300601895ab9522a6cdbc63ed500a20755807c67a5a19ed3297",
        _INFOTABS,
        _INFOTABS_LICENCE,
    ),
    _other(
        "infotabs/dev",
        1_800,
        "67f69e655ecb2de35857a49d60d00580d4766b8199f61a626d40c8dba1060bf2",
        _INFOTABS,
        _INFOTABS_LICENCE,
    ),
    _other(
        "infotabs/test_alpha1",
        1_800,
        "49d4d40e9766117c416ca9199b4373416ecd21a524bf52216a6c204a426ff3ca",
        _INFOTABS,
        _INFOTABS_LICENCE,
    ),
    _other(
        "nli/snli",
        72_681,
        "9e0a87d593bae8584783640f4ba17adafb12008abbccd50390fdf84b3e3fff0c",
        "https://nlp.stanford.edu/projects/snli/",
        "CC BY-SA 4.0",
    ),
    _other(
        "nli/mnli",
        23_698,
        "872a55302c0b26bfb6707ee1ca220d6ac687c735b94a1f7c379c393a651aecd1",
        "https://cims.nyu.edu/~sbowman/multinli/",
        "OANC",
    ),
)
REGISTRY: Mapping[str, RegisteredDataSet] = MappingProxyType({each.name: each for each in _LIST})
"""Every data set that has a name, those that Veritab is made for first."""
