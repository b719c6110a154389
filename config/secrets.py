"""Secrets that are generated once if the environment doesn't set them."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from cryptography.fernet import Fernet

from config.data_dir import make_data_dir

MAKERS: dict[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: secrets.token_urlsafe(48),
    "FIELD_ENCRYPTION_KEY": lambda: Fernet.generate_key().decode(),
    "DEMO_PASSWORD": lambda: secrets.token_urlsafe(12),
}


def write_secret(name: str, value: str, data: Path) -> bool:
    """Make `value` the secret of `data`, and keep another one that is there as `<name>.before-<time>`. Returns whether
    it had to be written."""
    folder = data / "secrets"
    make_data_dir(data)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / name
    if file.exists():
        if file.read_text().strip() == value:
            return False
        file.rename(folder / f"{name}.before-{int(time.time())}")
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(value)
        stream.flush()
        os.fsync(stream.fileno())
    return True


def read_secret(name: str, data: Path) -> str:
    """Return the environment's value, else that of `data`/secrets/`name` (mode 600), which the first call creates."""
    text = os.environ.get(name)
    if text:
        return text
    make_data_dir(data)
    folder = data / "secrets"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / name
    if not file.exists():
        draft = folder / f".{name}.{os.getpid()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(MAKERS[name]())
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(draft, file)  # the first link wins; the others read that file
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text().strip()
