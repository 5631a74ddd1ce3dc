"""What dump.ts wrote, as arrays."""
import json
from pathlib import Path
import numpy as np


class Data:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.pages = json.loads((self.folder / "pages.json").read_text())
        self.labels = np.fromfile(self.folder / "labels.f32", np.float32)
        self.counts = self.ints("counts")
        blocks = np.array([page["blocks"] for page in self.pages])
        self.page = np.repeat(np.arange(len(self.pages)), blocks)
        self.ends = np.cumsum(blocks)
        self.group = np.array([page["group"] for page in self.pages])[self.page]
        domains = {name: index for index, name in enumerate(sorted({page["domain"] for page in self.pages}))}
        self.domain = np.array([domains[page["domain"]] for page in self.pages])[self.page]
        self.wcxb = np.array([page["set"] == "wcxb" for page in self.pages])[self.page]
        self.weights = self.block_weights()

    def ints(self, name):
        return np.fromfile(self.folder / f"{name}.i32", np.int32)

    def block_weights(self):
        """What a block counts for: its share of the words of its page, so that all pages count alike."""
        truth = np.array([page["truth"] for page in self.pages])
        labelled = self.labels >= 0
        known = np.bincount(self.page, self.counts * labelled, minlength=len(self.pages))
        base = np.where(truth > 0, truth + 30, known + 30)
        weights = (self.counts + 1) / base[self.page] * labelled
        sums = np.bincount(self.page, weights, minlength=len(self.pages))
        # Pages in which nothing was marked are shells and errors; what is on them may well be content elsewhere.
        weights[self.wcxb & (truth[self.page] == 0)] = 0
        return weights * np.minimum(1, 3 / np.maximum(sums, 1e-9))[self.page]
