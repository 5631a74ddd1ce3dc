"""Writes lexicons.json: for each group of domains what was learned from the others, then what was learned from all."""
import json
import sys
import numpy as np
from data import Data
from lexicon import frequent, incidence, learn

data = Data(sys.argv[1])
vocabulary = json.loads((data.folder / "vocabulary.json").read_text())
usable = data.weights > 0
data.weights[~data.wcxb] *= 0.3
data.weights[data.group == 5] = 0
short = data.counts <= 30
made = []
parts = {}
for name, least, penalty in (("name", 15, 3e-5), ("word", 30, 6e-5)):
    matrix = incidence(data.ints(f"{name}Ends"), data.ints(f"{name}s"), len(vocabulary[f"{name}s"]))
    matrix.sum_duplicates()
    columns = frequent(matrix, data.domain, least)
    parts[name] = (matrix, columns, penalty)
    print(name, len(columns), flush=True)
for group in [*range(5), None]:
    rows = np.flatnonzero(usable & (data.group != group if group is not None else True))
    made.append({
        f"{name}s": learn(matrix, vocabulary[f"{name}s"], columns, rows[short[rows]] if name == "word" else rows, data.labels, data.weights, penalty)
        for name, (matrix, columns, penalty) in parts.items()
    })
    print(group, {key: value.count(" ") + 1 for key, value in made[-1].items()}, flush=True)
(data.folder / "lexicons.json").write_text(json.dumps(made))
