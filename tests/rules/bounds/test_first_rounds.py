"""Loops that go on as long as data let them: where the first round is at the wrong place, data decide no more than a
test would."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

KERNEL = """
__global__ void ranked(const float *score, const int *length, float *out, float limit) {
  float best[ROOM];
  for (int k = 0; k < 6; ++k) best[k] = 0.0f;
  int k = 6;
  LOOP
  for (int j = 0; j < 6; ++j) out[threadIdx.x * 6 + j] = best[j];
}
"""


def told(loop: str, room: int = 6) -> list[str]:
    return [one.code for one in findings(KERNEL.replace("LOOP", loop).replace("ROOM", str(room)), select="KL104")]


SHIFTED = "while (k > 0 && best[k - 1] < limit) { best[k] = best[k - 1]; --k; }"
SENT = "for (; k > 2 && score[threadIdx.x * 8 + k] > limit; --k) best[k] = limit;"


@pytest.mark.parametrize("loop", [SHIFTED, SENT])
def test_the_first_round_is_behind_the_last_element(loop: str) -> None:
    assert told(loop) == ["KL104"]
    assert told(loop, 7) == []
    assert told(loop.replace("best[k] =", "if (k < 6) best[k] =")) == []


@pytest.mark.parametrize(
    "loop",
    [
        "for (; k < length[threadIdx.x]; ++k) best[k] = limit;",
        "for (k = 0; k < 100 && score[k] > limit; ++k) best[k] = limit;",
        "for (k = 5; k >= 0 && score[k] > limit; --k) best[k] = limit;",
    ],
)
def test_data_say_how_far_it_goes(loop: str) -> None:
    assert told(loop) == []
