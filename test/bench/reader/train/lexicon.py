"""Learns what single words say: those in class and id of elements, and those that a text begins with."""
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix


def incidence(ends, tokens, size):
    starts = np.concatenate([[0], ends])
    return csr_matrix((np.ones(len(tokens), np.float32), tokens, starts), shape=(len(ends), size))


def frequent(matrix, domains, least):
    """Columns that occur on at least so many domains."""
    rows, columns = matrix.nonzero()
    pairs = np.unique(np.stack([columns, domains[rows]]), axis=1)
    return np.flatnonzero(np.bincount(pairs[0], minlength=matrix.shape[1]) >= least)


def logistic(matrix, labels, weights, penalty):
    """Weights of the columns of a logistic regression with an intercept, by L-BFGS."""
    transposed = matrix.T.tocsr()
    total = weights.sum()

    def loss(theta):
        z = matrix @ theta[1:] + theta[0]
        p = 1 / (1 + np.exp(-z))
        gradient = weights * (p - labels) / total
        value = (weights * (np.logaddexp(0, z) - labels * z)).sum() / total
        value += penalty * (theta[1:] ** 2).sum() / 2
        return value, np.concatenate([[gradient.sum()], transposed @ gradient + penalty * theta[1:]])

    return minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 150}).x[1:]


def learn(matrix, vocabulary, columns, rows, labels, weights, penalty, most=800):
    theta = logistic(matrix[rows][:, columns], labels[rows], weights[rows], penalty)
    worth = np.abs(theta) * np.sqrt(matrix[rows][:, columns].getnnz(axis=0))
    told = sorted(np.argsort(-worth)[:most])
    return " ".join(f"{vocabulary[columns[c]]}:{round(float(theta[c]) * 100)}" for c in told)
