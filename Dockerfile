# One image for `serve`, `consume` and `judge` (docs/image.md). tests/integration/test_image.py does
# what this file says, instruction by instruction, where there is no Docker.

# The full image of the same Python and Debian: it has the C compiler that the checks need.
FROM python:3.11.15-bookworm AS builder
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src

# What runs. It gets no pip: nothing is installed into it later. Behind a mirror, `docker build
# --secret id=pip,src=…` lends pip a configuration that stays in no layer.
COPY requirements.lock ./
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    python -m venv /opt/build \
    && python -m venv --without-pip /opt/groundwatch \
    && /opt/build/bin/pip --python /opt/groundwatch/bin/python install --require-hashes -r requirements.lock

# What builds, and is left behind. Pinned by hash too, so nothing builds in isolation.
COPY requirements-build.lock ./
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    /opt/build/bin/pip install --no-compile --require-hashes -r requirements-build.lock

COPY pyproject.toml README.md ./
COPY service ./service
COPY consumers ./consumers
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/build/bin/pip --python /opt/groundwatch/bin/python install --no-deps --no-index dist/*.whl

# What sees every answer once more, compiled to C (docs/decisions/0009-compiled-checks.md): two minutes of a core.
COPY tools/compiled.py ./tools/
RUN PYTHONPATH=/opt/groundwatch/lib/python3.11/site-packages \
    /opt/build/bin/python -m tools.compiled /opt/groundwatch/compiled

# Readable for the user that runs, however narrow the modes of the clone. Bytecode now, because the
# running one writes none.
RUN chmod -R a+rX /opt/groundwatch \
    && python -m compileall -q /opt/groundwatch/compiled \
    && mkdir -p /var/lib/groundwatch

FROM python:3.11.15-slim-bookworm
ARG REVISION=unknown
LABEL org.opencontainers.image.title="groundwatch" \
    org.opencontainers.image.description="Online production monitor for the answers of RAG systems" \
    org.opencontainers.image.version="0.1.0" \
    org.opencontainers.image.revision="$REVISION" \
    org.opencontainers.image.base.name="python:3.11.15-slim-bookworm"
COPY --from=builder /opt/groundwatch /opt/groundwatch
# Written to by `serve` alone, and only without Kafka. The rest of the image may be read-only.
COPY --from=builder --chown=10001:10001 /var/lib/groundwatch /var/lib/groundwatch

# Compiled checks first. PYTHONSAFEPATH: never what happens to lie in the working directory.
ENV PATH=/opt/groundwatch/bin:$PATH \
    PYTHONPATH=/opt/groundwatch/compiled \
    PYTHONSAFEPATH=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GROUNDWATCH_DATA_DIR=/var/lib/groundwatch
# A container's loopback is nobody's.
ENV GROUNDWATCH_HOST=0.0.0.0 GROUNDWATCH_METRICS_HOST=0.0.0.0
WORKDIR /var/lib/groundwatch
# Of no name in this image: Kubernetes' runAsNonRoot wants a number.
USER 10001:10001
EXPOSE 8321 9464
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-m", "service.alive", "8321", "9464"]
ENTRYPOINT ["groundwatch"]
CMD ["serve"]
