# bqcd in a container: docker build -t bqcd . && docker run --rm -v "$PWD:/data" bqcd report table.csv -o table.html
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
LABEL org.opencontainers.image.title="bqcd" \
      org.opencontainers.image.licenses="MIT"
COPY constraints.txt /tmp/constraints.txt
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --constraint /tmp/constraints.txt \
        "$(echo /wheels/bqcd-*.whl)[plots,report,files]" \
    && useradd --create-home --uid 1000 bqcd \
    && install --directory --owner bqcd /data /kernels
USER 1000
ENV BQCD_KERNELS=/kernels
# What the first answer would wait for is compiled into the image.
RUN bqcd warm-up
WORKDIR /data
ENTRYPOINT ["bqcd"]
CMD ["--help"]
