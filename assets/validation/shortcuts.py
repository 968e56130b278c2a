"""Can noise be told from clean before a record is read? A classifier tries, and the release is judged by how it fares.

It learns from the train split's tasks which of a pair is the noise task, from everything an agent may see before its
first query (`visible`), and is put to the test split's. Two learners vote: a linear one over words and letters, which
finds wording, and boosted trees over numbers, which find ranges, lengths, places and ids.

docs/decisions/0010-what-is-a-shortcut.md says what is judged and how.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assets.validation.visible import NONE, NUMBERS, Visible, visible
from schemas.noise import Level
from schemas.pairs import Condition, GoldRow, Split
from schemas.release import Shortcut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

IN_THE_RECORD = frozenset({"entity_absent", "false_value", "never_done", "ordinal_absent", "time_out", "wrong_link"})
"""Query-level operators whose question could be asked of another record and be answered: its words are no fault."""

LEVEL_BOUND = 0.55
"""Highest AUC at record and value level, where both tasks of a pair ask the same."""

QUERY_BOUND = 0.60
"""Highest AUC over the operators of `IN_THE_RECORD`, pooled."""

LEAST = 8
"""Pairs of each split below which nothing is measured."""

TELLS = 6
"""Words and numbers that are told."""

RESAMPLES = 1000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Group:
    """Pairs that one classifier learns from and is put to."""

    name: str
    bound: float | None
    holds: Callable[[GoldRow], bool]
    by_operator: bool
    """Whether each operator's figure is told too."""


GROUPS = (
    Group("record level", LEVEL_BOUND, lambda row: row.level is Level.RECORD, False),
    Group("value level", LEVEL_BOUND, lambda row: row.level is Level.VALUE, False),
    Group(
        "query level, fault in the record",
        QUERY_BOUND,
        lambda row: row.level is Level.QUERY and row.operator in IN_THE_RECORD,
        True,
    ),
    Group(
        "query level, fault in the words",
        None,
        lambda row: row.level is Level.QUERY and row.operator not in IN_THE_RECORD,
        True,
    ),
)
"""What is measured apart. An operator that is in no list counts as one whose words are the fault."""


def shortcuts(rows: Sequence[GoldRow]) -> tuple[Shortcut, ...]:
    """How well the condition is told from what an agent sees first, group by group, and by query-level operator.

    The same rows give the same figures: seeds are fixed, one thread computes, figures are rounded to three decimals.

    Args:
        rows: Both tasks of every pair of a release.
    """
    seen = _seen(rows)
    return tuple(found for group in GROUPS for found in _of_group(group, rows, seen))


def broken(found: Iterable[Shortcut]) -> tuple[str, ...]:
    """A sentence for every bound that is broken."""
    return tuple(
        f"{one.of}: the condition can be told before the first query: AUC {one.auc:.3f} on {one.test_pairs} test pairs "
        f"({CONFIDENCE:.0%} interval {one.low:.3f} to {one.high:.3f}); at most {one.bound} is allowed. "
        f"What weighs most: {', '.join(one.tells)}"
        for one in found
        if one.broken
    )


def auc(scores: Floats, noise: NDArray[np.bool_]) -> float:
    """Chance that a noise task scores above a clean one; a tie counts half.

    >>> import numpy as np
    >>> auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    0.875
    """
    import numpy as np

    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    # Ranks from 1; equal scores share the mean of theirs (Mann and Whitney 1947).
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    n, m = int(noise.sum()), int((~noise).sum())
    return float((ranks[noise].sum() - n * (n + 1) / 2) / (n * m))


def _seen(rows: Sequence[GoldRow]) -> dict[str, Visible]:
    """What is visible of every task, by its id; each split is a file of its own."""
    found: dict[str, Visible] = {}
    for split in Split:
        tasks = sorted((row.task for row in rows if row.split is split), key=lambda task: task.task_id)
        found |= {task.task_id: one for task, one in zip(tasks, visible(tasks), strict=True)}
    return found


def _of_group(group: Group, rows: Sequence[GoldRow], seen: dict[str, Visible]) -> list[Shortcut]:
    ours = sorted((row for row in rows if group.holds(row)), key=lambda row: row.task_id)
    train = [row for row in ours if row.split is Split.TRAIN]
    test = [row for row in ours if row.split is Split.TEST]
    if min(len(train), len(test)) < 2 * LEAST:
        return [_unmeasured(group, train, test)]
    model = Classifier().learn([seen[row.task_id] for row in train], _noise(train))
    scores = model.scores([seen[row.task_id] for row in test])
    found = [_measured(group.name, group.bound, scores, train, test).model_copy(update={"tells": model.tells()})]
    for operator in sorted({row.operator for row in test}) if group.by_operator else ():
        here = [place for place, row in enumerate(test) if row.operator == operator]
        taught = [row for row in train if row.operator == operator]
        found.append(_measured(f"operator {operator}", None, scores[here], taught, [test[place] for place in here]))
    return found


def _unmeasured(group: Group, train: Sequence[GoldRow], test: Sequence[GoldRow]) -> Shortcut:
    pairs = {"train_pairs": len(train) // 2, "test_pairs": len(test) // 2}
    return Shortcut(of=group.name, bound=group.bound, why=f"fewer than {LEAST} pairs in a split", **pairs)


def _measured(
    name: str, bound: float | None, scores: Floats, train: Sequence[GoldRow], test: Sequence[GoldRow]
) -> Shortcut:
    low, high = interval(scores, _noise(test), [row.template for row in test], name)
    return Shortcut(
        of=name,
        bound=bound,
        auc=round(auc(scores, _noise(test)), 3),
        low=round(low, 3),
        high=round(high, 3),
        train_pairs=len(train) // 2,
        test_pairs=len(test) // 2,
    )


def interval(scores: Floats, noise: NDArray[np.bool_], clusters: Sequence[str], name: str) -> tuple[float, float]:
    """The AUC's bootstrap interval; templates are drawn, and both tasks of a pair come with theirs.

    Args:
        scores: One for each task.
        noise: Whether it is the noise task.
        clusters: Its template.
        name: Seeds the draws.
    """
    import numpy as np

    rng = np.random.default_rng(int(hashlib.sha256(f"shortcuts|{name}".encode()).hexdigest()[:16], 16))
    names, cluster = np.unique(np.array(clusters), return_inverse=True)
    members = [np.flatnonzero(cluster == number) for number in range(len(names))]
    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([members[number] for number in rng.integers(len(names), size=len(names))])
        found.append(auc(scores[drawn], noise[drawn]))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def _noise(rows: Sequence[GoldRow]) -> NDArray[np.bool_]:
    import numpy as np

    return np.array([row.condition is Condition.NOISE for row in rows])


class Classifier:
    """Two learners whose probabilities are averaged."""

    def learn(self, tasks: Sequence[Visible], noise: NDArray[np.bool_]) -> Classifier:
        """Learn which tasks are noise."""
        import numpy as np
        from scipy.sparse import hstack
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from threadpoolctl import threadpool_limits

        self._words = TfidfVectorizer(ngram_range=(1, 3), min_df=2, sublinear_tf=True, token_pattern=r"[^\W_]+|#")
        self._letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, sublinear_tf=True)
        self._tokens = DictVectorizer()
        numbers = _table(tasks)
        there = np.ma.masked_equal(numbers, NONE)
        self._middle, spread = there.mean(axis=0).filled(0.0), there.std(axis=0).filled(0.0)
        self._spread = np.where(spread > 0, spread, 1.0)
        parts = [
            self._words.fit_transform([task.masked for task in tasks]),
            self._letters.fit_transform([task.text for task in tasks]),
            self._tokens.fit_transform([task.tokens for task in tasks]),
            self._scaled(numbers),
        ]
        # liblinear and one thread: no sum depends on how many cores there are.
        self._linear = LogisticRegression(solver="liblinear", C=10.0, random_state=0, max_iter=1000)
        self._trees = HistGradientBoostingClassifier(
            max_iter=80, learning_rate=0.1, max_leaf_nodes=8, min_samples_leaf=10, early_stopping=False, random_state=0
        )
        with threadpool_limits(limits=1):
            self._linear.fit(hstack(parts).tocsr(), noise)
            self._trees.fit(numbers, noise)
        return self

    def scores(self, tasks: Sequence[Visible]) -> Floats:
        """Probability that each is a noise task, to six decimals: tasks that look the same tie on every machine."""
        import numpy as np
        from scipy.sparse import hstack
        from threadpoolctl import threadpool_limits

        numbers = _table(tasks)
        parts = [
            self._words.transform([task.masked for task in tasks]),
            self._letters.transform([task.text for task in tasks]),
            self._tokens.transform([task.tokens for task in tasks]),
            self._scaled(numbers),
        ]
        with threadpool_limits(limits=1):
            linear = self._linear.predict_proba(hstack(parts).tocsr())[:, 1]
            trees = self._trees.predict_proba(numbers)[:, 1]
        return np.asarray(np.round((linear + trees) / 2, 6), dtype=np.float64)

    def tells(self) -> tuple[str, ...]:
        """The words and numbers that weigh most in the linear learner, and the condition each speaks for."""
        names = [
            *(f"`{name}`" for name in self._words.get_feature_names_out()),
            *(None for _ in self._letters.get_feature_names_out()),
            *self._tokens.get_feature_names_out(),
            *NUMBERS,
        ]
        # To three decimals, so that which comes first does not hang on the last digit of a sum.
        weights = [(round(float(w), 3), name) for w, name in zip(self._linear.coef_[0], names, strict=True) if name]
        heaviest = sorted(weights, key=lambda weight: (-abs(weight[0]), weight[1]))[:TELLS]
        return tuple(f"{name} ({Condition.NOISE if weight > 0 else Condition.CLEAN})" for weight, name in heaviest)

    def _scaled(self, numbers: Floats) -> Any:
        import numpy as np

        # Scaled down to the size of a word's weight; what a task does not have is in the middle.
        return np.where(numbers == NONE, 0.0, (numbers - self._middle) / self._spread) * 0.1


def _table(tasks: Sequence[Visible]) -> Floats:
    import numpy as np

    return np.array([task.numbers for task in tasks], dtype=np.float64)
