"""What tabwright costs in time, tokens and memory, beside other servers. `python -m bench` measures and reports."""
