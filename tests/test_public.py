"""What `import veritab` offers."""

from __future__ import annotations

import subprocess
import sys

import veritab


def test_every_public_name_exists_and_all_is_sorted() -> None:
    assert veritab.__all__ == sorted(veritab.__all__)
    assert all(hasattr(veritab, name) for name in veritab.__all__)


def test_importing_is_quick_and_light() -> None:
    program = (
        "import sys, veritab; print(sorted({'torch', 'openpyxl', 'pdfplumber', 'docx', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
