"""Tokens of texts by o200k, counted by the tokenizer of bench/peers."""

import json
import subprocess
from collections.abc import Sequence
from typing import Final

from bench.servers import PEERS

COUNT: Final = """import { encode } from 'gpt-tokenizer/encoding/o200k_base';
const texts = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(texts.map((text) => encode(text).length)));"""


def count(texts: Sequence[str]) -> list[int]:
    """All at once: the tokenizer takes longer to start than to count."""
    told = subprocess.run(
        ["node", "--input-type=module", "-e", COUNT],
        cwd=PEERS,
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)
