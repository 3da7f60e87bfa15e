"""Scripts as JSON, for a server in a process of its own."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from leafward.errors import SettingsError
from leafward.testing import rules
from leafward.testing.chat import Rule
from leafward.testing.faults import Fault, Inject
from leafward.testing.latency import Constant, Latency, LogNormal, Uniform
from leafward.testing.oracle import Oracle, nothing, word_overlap
from leafward.testing.parts import a_list, an_object, build, pick, single
from leafward.testing.script import Script

_LATENCIES: dict[str, Callable[..., Latency]] = {
    "constant": Constant,
    "uniform": Uniform,
    "lognormal": LogNormal,
}
_PLAIN: dict[str, Rule] = {
    "summaries": rules.summaries,
    "clusters": rules.clusters,
    "describe_group": rules.describe_group,
    "query": rules.query,
}
_UNKNOWN = {"nothing": nothing, "word_overlap": word_overlap}


def load_script(path: Path) -> Script:
    """Read a script from a JSON file; see :func:`read_script`.

    Raises:
        SettingsError: the file cannot be read, or something in it is unknown.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}", hint="--rules wants a JSON file") from error
    return read_script(value)


def read_script(value: Any) -> Script:
    """Read a script: fields as in :class:`Script`, with

    - ``rules``: a list of "summaries", "clusters", "describe_group", "query", ``{"canned": {…}}``,
      ``{"oracle_judge": ORACLE}``, ``{"noisy_judge": {"oracle": ORACLE, "contrast": 0.8, …}}``,
      ``{"letters": {"oracle": ORACLE, …}}`` or ``{"python": "module:attribute"}``, where ORACLE is
      ``{"corpus": FOLDER, "split": "test", "index": FOLDER, "unknown": "nothing"}`` ("index", whose
      tree tells the inner nodes, may be absent);
    - ``faults``: a list of ``{"fault": NAME, "probability": 0.1, …}``, fields as in `Inject`;
    - ``latency``: ``{"lognormal": {"median": 0.2, "sigma": 1}}``, "uniform" or "constant".

    Raises SettingsError where something is unknown or has the wrong form.
    """
    known = {field.name for field in fields(Script)}
    settings = dict(an_object(value, "a script"))
    if unknown := sorted(settings.keys() - known):
        raise SettingsError(
            f"a script has no {', '.join(unknown)}", hint=f"it has: {', '.join(sorted(known))}"
        )
    if "rules" in settings:
        settings["rules"] = [_rule(rule) for rule in a_list(settings["rules"], "rules")]
    if "faults" in settings:
        settings["faults"] = [_inject(entry) for entry in a_list(settings["faults"], "faults")]
    if "latency" in settings:
        name, options = single(settings["latency"], "latency")
        settings["latency"] = build(pick(_LATENCIES, name, "latency"), options)
    return Script(**settings)


def _rule(value: Any) -> Rule:
    if isinstance(value, str):
        return pick(_PLAIN, value, "rule")
    name, options = single(value, "rule")
    if name == "python":
        return _imported(str(options))
    if name == "canned":
        return rules.canned(an_object(options, "canned"))
    options = dict(an_object(options, name))
    if name == "oracle_judge":
        return rules.oracle_judge(_oracle(options))
    makers: dict[str, Callable[..., Rule]] = {"noisy_judge": _noisy, "letters": rules.letters}
    maker = pick(makers, name, "rule")
    return build(maker, {"score": _oracle(options.pop("oracle", None)), **options})


def _noisy(score: rules.Score, **noise: Any) -> Rule:
    return rules.noisy_judge(score, rules.Noise(**noise))


def _oracle(value: Any) -> Oracle:
    # These reach for the corpus and the store, which most scripts do not need.
    from leafward.corpus import read_corpus, read_qrels, read_queries

    options = dict(an_object(value, "oracle"))
    folder = Path(str(options.pop("corpus", "")))
    split, index = str(options.pop("split", "test")), options.pop("index", None)
    unknown = pick(_UNKNOWN, str(options.pop("unknown", "nothing")), "unknown")
    if options:
        raise SettingsError(
            f"an oracle has no {', '.join(options)}", hint="it has: corpus, split, index, unknown"
        )
    oracle = Oracle(
        read_corpus(folder).documents,
        read_queries(folder),
        read_qrels(folder, split),
        unknown=unknown,
    )
    if index is not None:
        from leafward.store import Store

        with Store.open(Path(str(index))) as store:
            oracle.learn(store.snapshot().tree)
    return oracle


def _imported(place: str) -> Rule:
    module, _, name = place.partition(":")
    try:
        rule = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(
            f"no rule at {place!r}: {error}", hint="write it as package.module:function"
        ) from error
    if not callable(rule):
        raise SettingsError(f"{place!r} is no function", hint="a rule takes a ChatRequest")
    found: Rule = rule
    return found


def _inject(value: Any) -> Inject:
    options = dict(an_object(value, "fault"))
    name = str(options.pop("fault", ""))
    fault = pick({fault.value: fault for fault in Fault}, name, "fault")
    return build(Inject, {"fault": fault, **options})
