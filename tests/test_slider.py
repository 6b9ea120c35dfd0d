"""The one optional widget: the model's times follow its sliders."""

import re

import lab_utils as lab


def test_the_bars_follow_the_sliders(r):
    box = lab.slider()
    rtt, commands, batch, bars = box.children
    commands.value, batch.value = 1_000, 100
    assert re.findall(r"in ([\d,]+) turns", bars.value) == ["1,000", "10", "1"]
    batch.value = 300
    assert re.findall(r"in ([\d,]+) turns", bars.value) == ["1,000", "4", "1"]
    rtt.value = 1.0
    near = bars.value
    rtt.value = 100.0
    assert bars.value != near and " s in 1,000 turns" in bars.value  # 1,000 turns of 100 ms are 100 s
