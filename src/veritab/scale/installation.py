"""What is installed, here and on a worker.

Workers are sent the text of this file and not a reference to it, because a worker whose Veritab is older, or absent,
must be able to answer too. So it imports nothing of Veritab at its top.
"""

from __future__ import annotations


def describe() -> dict[str, str]:
    """The versions that must agree between workers."""
    import hashlib
    import sys
    from importlib import metadata
    from pathlib import Path

    def version(package: str) -> str:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return "none"

    try:
        import veritab

        source = hashlib.sha256()
        # Two versions under development have one number; what tells them apart is what is written in them.
        folder = Path(veritab.__file__).parent
        for file in sorted([*folder.rglob("*.py"), *folder.rglob("card.toml")]):  # cards hold the hashes of models
            source.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
        own = {"Veritab": veritab.__version__, "source": source.hexdigest()[:12]}
    except ImportError:
        own = {"Veritab": "none", "source": "none"}
    return {
        **own,
        "Python": ".".join(map(str, sys.version_info[:2])),
        # What is found and what scores are, to the last digit, depends on these too.
        "tantivy": version("tantivy"),
        "onnxruntime": version("onnxruntime"),
    }
