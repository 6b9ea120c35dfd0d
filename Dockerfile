# The lab in a container: `docker compose up` builds and starts it. A real Redis comes with the packages, so one container is all.
# No digest: the tag takes Python's and Debian's patches.
FROM python:3.13-slim-bookworm AS base

# git and procps (ps) are for tests, and for an editor that works in the container: .devcontainer builds this stage alone.
RUN apt-get update \
    && apt-get install -y --no-install-recommends git make procps \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --shell /bin/bash learner \
    && install -d -o learner -g learner /home/learner/lab
ENV PYTHONUTF8=1 PIP_NO_CACHE_DIR=1
USER learner
WORKDIR /home/learner/lab

FROM base AS lab
COPY --chown=learner:learner . .
RUN make learner
ENV LAB_PORT=8888
EXPOSE 8888
HEALTHCHECK --interval=2s --timeout=3s --start-period=60s --retries=15 \
    CMD .venv/bin/python -c "import sys, urllib.request as u; u.build_opener(u.ProxyHandler({})).open(sys.argv[1], timeout=2)" \
        http://127.0.0.1:$LAB_PORT/api
# It listens on all addresses of the container, since a published port arrives from outside. Which of the host's it is
# published on, docker-compose.yml says: 127.0.0.1. The token is made anew at each start, and printed.
CMD exec .venv/bin/python tools/lab.py --no-browser --ip=0.0.0.0 --port=$LAB_PORT --ServerApp.port_retries=0 \
    --ServerApp.custom_display_url=http://127.0.0.1:$LAB_PORT
