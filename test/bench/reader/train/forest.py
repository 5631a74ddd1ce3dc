"""Boosted trees by LightGBM, and their form in the reader's tables."""
import base64
import lightgbm as lgb
import numpy as np

THREADS = 1


def train(features, labels, weights, trees, leaves, rate=0.08, seed=1, least=40):
    data = lgb.Dataset(features, labels, weight=weights / weights.mean(), params={"max_bin": 63, "verbose": -1, "feature_pre_filter": False}, free_raw_data=True)
    settings = {
        "objective": "cross_entropy", "learning_rate": rate, "num_leaves": leaves, "max_bin": 63, "min_data_in_leaf": least,
        "min_sum_hessian_in_leaf": 5, "feature_fraction": 0.4, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5,
        "use_missing": False, "num_threads": THREADS, "seed": seed, "deterministic": True, "force_row_wise": True, "verbose": -1,
        "boost_from_average": False,
    }
    return lgb.train(settings, data, num_boost_round=trees)


def packed(model, names):
    """The trees as one list: an inner node is its feature, threshold and the distance of its right child; its left child follows it."""
    used = {}
    thresholds = {}
    dump = model.dump_model()
    nodes = []

    def collect(node):
        if "split_feature" in node:
            thresholds.setdefault(node["split_feature"], set()).add(float(np.float32(node["threshold"])))
            collect(node["left_child"])
            collect(node["right_child"])

    trees = [tree["tree_structure"] for tree in dump["tree_info"]]
    for tree in trees:
        collect(tree)
    order = sorted(thresholds)
    used = {feature: index for index, feature in enumerate(order)}
    lists = {feature: sorted(values) for feature, values in thresholds.items()}
    assert all(len(values) <= 256 for values in lists.values())
    values = [leaf for tree in trees for leaf in leaves(tree)]
    scale = max(abs(value) for value in values) / 127

    def write(node):
        if "split_feature" not in node:
            nodes.append((255, int(np.clip(round(node["leaf_value"] / scale), -127, 127)) & 255, 0))
            return
        feature = node["split_feature"]
        at = len(nodes)
        nodes.append(None)
        write(node["left_child"])
        threshold = lists[feature].index(float(np.float32(node["threshold"])))
        assert used[feature] < 255 and len(nodes) - at < 256
        nodes[at] = (used[feature], threshold, len(nodes) - at)
        write(node["right_child"])

    roots = []
    for tree in trees:
        roots.append(len(nodes))
        write(tree)
    return {
        "features": " ".join(names[feature] for feature in order),
        "thresholds": ";".join(",".join(f"{value:.4g}" for value in lists[feature]) for feature in order),
        "scale": float(scale),
        "trees": len(trees),
        "nodes": base64.b64encode(np.array(nodes, np.uint8).T.tobytes()).decode(),
    }


def leaves(node):
    if "split_feature" not in node:
        return [node["leaf_value"]]
    return leaves(node["left_child"]) + leaves(node["right_child"])
