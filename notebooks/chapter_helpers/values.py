"""Define the values that chapter 06 stores: a small dict, flat records, floats."""

import random

CITIES = ("Lyon", "Oslo", "Turin", "Ghent")

article = {"data1": "value1", "data2": "value2"}
records = [
    {
        "id": number,
        "name": f"customer {number}",
        "email": f"customer{number}@example.com",
        "city": CITIES[number % 4],
        "visits": number * 7 % 50,
        "balance": number * 1.25,
    }
    for number in range(200)
]
draw = random.Random(6)
numbers = [draw.random() for _ in range(1_000)]
shapes = {"small dict": article, "200 records": records, "1,000 numbers": numbers}
