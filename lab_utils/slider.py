"""One optional widget: the model under your fingers."""

from .model import fit_model
from .words import plain_duration


def slider():
    """Sliders for RTT, commands and batch size, and the model's time for a loop, batches and one pipeline, as bars.

    Needs a running kernel to move; a saved notebook shows only its name. Nothing else in the lab depends on it.
    """
    import ipywidgets as widgets

    model = fit_model()
    rtt = widgets.FloatLogSlider(value=1.0, base=10, min=-1, max=2, step=0.05, description="RTT (ms)")
    commands = widgets.IntSlider(value=1000, min=10, max=10_000, step=10, description="commands")
    batch = widgets.IntSlider(value=100, min=1, max=1000, description="batch size")
    bars = widgets.HTML()

    def draw(_=None):
        turns = {"loop": commands.value, f"batches of {batch.value:,}": -(-commands.value // batch.value), "one pipeline": 1}
        times = {name: model.seconds(count, commands.value, rtt.value) for name, count in turns.items()}
        longest = max(times.values())
        bars.value = "".join(bar(name, turns[name], seconds, seconds / longest) for name, seconds in times.items())

    for control in (rtt, commands, batch):
        control.observe(draw, "value")
    draw()
    return widgets.VBox([rtt, commands, batch, bars])


def bar(name, turns, seconds, share):
    return (f'<div style="margin:4px 0"><span style="display:inline-block;width:11em">{name}</span>'
            f'<span style="display:inline-block;width:{max(share * 20, 0.1):.2f}em;height:1em;background:#0072B2"></span> '
            f"{plain_duration(seconds)} in {turns:,} turns</div>")
