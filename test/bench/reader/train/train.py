"""Trains the forest of each fold and the one of all pages: `train.py FOLDER`, with what dump.ts wrote into it."""
import json
import sys
import numpy as np
from data import Data
from forest import packed, train

TREES = 150
LEAVES = 31
#: What a marked passage counts for beside a page that is marked whole.
PASSAGES = 2
#: What a page in a style of the unit tests counts for.
STYLES = 1

data = Data(sys.argv[1])
names = json.loads((data.folder / "features.json").read_text())
features = np.fromfile(data.folder / "features.f32", np.float32).reshape(-1, len(names))
lexicons = json.loads((data.folder / "lexicons.json").read_text())
weights = np.where(data.wcxb, 1, np.where(data.group < 5, PASSAGES, STYLES)) * data.weights
for fold, lexicon in enumerate(lexicons):
    rows = np.flatnonzero((weights > 0) & ((data.group != fold) | (data.group == 5)))
    model = train(features[rows], data.labels[rows], weights[rows], TREES, LEAVES)
    table = {**lexicon, "forest": packed(model, names)}
    (data.folder / f"model-{fold}.json").write_text(json.dumps(table))
    print(f"{'all' if fold == 5 else f'fold {fold}'}: {len(rows)} blocks, {len(json.dumps(table))} characters", flush=True)
