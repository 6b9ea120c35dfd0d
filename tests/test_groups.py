"""Bars in groups."""

import lab_utils as lab


def test_every_value_has_a_bar_and_a_name_keeps_its_look():
    figure = lab.plot_bars({"one": {"loop": 3, "pipeline": 2}, "two": {"pipeline": 1}}, "bytes", "a finding")
    axes = figure.axes[0]
    assert [bar.get_width() for bar in axes.patches] == [3, 2, 1]
    assert axes.patches[1].get_facecolor() == axes.patches[2].get_facecolor() != axes.patches[0].get_facecolor()
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["one", "loop", "pipeline", "two", "pipeline"]
    assert axes.figure.get_suptitle() == "a finding"


def test_facts_are_printed_bare_and_measurements_are_marked(capsys):
    groups = {"one": {"json": 3}}
    lab.plot_bars(groups, "bytes", "a finding", measured=False)
    assert capsys.readouterr().out == "one: json 3 (bytes)\n"
    lab.plot_bars(groups, "bytes", "a finding")
    assert capsys.readouterr().out == "measured: one: json 3 (bytes)\n"


def test_a_value_of_nothing_survives_a_log_scale():
    lab.plot_bars({"one": {"json": 0, "pickle": 2}}, "bytes", "a finding", log=True)
