"""The process that reads pictures: paths come in, a JSON line each, and the lines of the pictures go out.

It imports nothing of the project, so that another Python than the service's can run it. It ends when nothing has come
for a while, or when the worker has ended.
"""

import json
import os
import resource
import select
import sys
from collections.abc import Callable, Sequence
from typing import Protocol, cast

MEMORY = 4 << 30
CPU_SECONDS = 3600
MAX_PIXELS = 64_000_000


class Output(Protocol):
    """The lines that the library has found in a picture."""

    txts: Sequence[str] | None
    scores: Sequence[float]
    boxes: Sequence[Sequence[Sequence[float]]]


def answers() -> None:
    """Answer requests until none arrives for as many seconds as the first argument."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    engine = None
    while select.select([0], [], [], float(sys.argv[1]))[0]:
        line = sys.stdin.readline()
        if not line:
            return
        try:
            if engine is None:
                engine = _engine()
            answer: dict[str, object] = {"lines": _lines(engine(json.loads(line)))}
        except Exception as error:  # noqa: BLE001  any picture that the libraries choke on
            answer = {"error": type(error).__name__}
        out.write(json.dumps(answer) + "\n")
        out.flush()


def _engine() -> Callable[[str], Output]:
    from PIL import Image  # noqa: PLC0415
    from rapidocr import RapidOCR  # noqa: PLC0415  some seconds

    Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2  # Pillow warns of more, and refuses twice as many before it decodes them
    return cast(Callable[[str], Output], RapidOCR())


def _lines(output: Output) -> list[tuple[str, float, float]]:
    """Return [text, confidence, height] of each line."""
    if output.txts is None:
        return []
    lines = []
    for text, sure, box in zip(output.txts, output.scores, output.boxes, strict=True):
        lines.append((text, float(sure), float(max(box[2][1], box[3][1]) - min(box[0][1], box[1][1]))))
    return lines


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    answers()
