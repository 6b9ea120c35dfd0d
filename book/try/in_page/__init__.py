"""The Python of the page `try/`: redis-py on a Redis in the page's memory, counted and judged.

`page` answers the page. No socket, no thread and no process is needed; so it runs in a browser.
"""
