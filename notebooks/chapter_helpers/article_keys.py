"""Name the 13,500 keys of an article that chapter 05 tries: 500 for each of 27 groups.

`groups` are texts such as "hoge_egg_1", `names` such as "hoge_egg_1_0" to "hoge_egg_1_499".
"""

groups = [
    f"{first}_{second}_{digit}"
    for first in ("hoge", "foo", "bar")
    for second in ("egg", "spam", "monty")
    for digit in "123"
]
names = [f"{group}_{number}" for group in groups for number in range(500)]
