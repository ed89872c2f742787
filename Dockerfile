# Venice from the wheel of its platform, which is the build context `wheels`:
#   docker build --build-context wheels=dist --tag venice .
#   docker run --rm --volume "$PWD:/work" venice compare --workload hm_0 --plot out.png
FROM python:3.14-slim
RUN --mount=type=bind,from=wheels,target=/wheels \
    pip install --no-cache-dir --only-binary :all: "$(echo /wheels/*_"$(uname -m)".whl)[parquet,plot,view]"
RUN useradd --create-home venice
USER venice
WORKDIR /work
ENTRYPOINT ["venice"]
