#!/usr/bin/env python3
"""Finds the backends of a device for tools/gpu-check.sh.

usage: gpu_targets.py RUN INVENTORY

RUN is a file of `pmpp-run run --json`: its device is the chosen one. INVENTORY is a file of
`pmpp-run devices --json`. Prints one fact per line, in this order:

    name NAME
    memory BYTES          the smallest of all backends
    buffer BYTES          the largest buffer, the smallest of all backends
    target BACKEND:INDEX  one line for each backend, cuda first
"""
import json
import sys

BACKENDS = ("cuda", "opencl")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(run_path, inventory_path):
    key = load(run_path)["devices"][0]["key"]
    device = next(d for d in load(inventory_path)["devices"] if d["key"] == key)
    views = {name: device["views"][name] for name in BACKENDS if device["views"].get(name)}
    limits = [view["limits"] for view in views.values()]
    print("name", device["name"])
    print("memory", min(each["global_bytes"] for each in limits))
    print("buffer", min(each["max_buffer_bytes"] for each in limits))
    for name, view in views.items():
        print("target %s:%s" % (name, view["index"]))


main(*sys.argv[1:])
