"""Methods run on benchmarks: tasks, processes, and a folder that keeps what is finished."""
