"""`croissant.json`: the release described for machines (Croissant 1.1, with its responsible-AI vocabulary)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from assets.release.provenance import Provenance
from robustgym.layout import SCHEMAS, path_of
from robustgym.licence import LICENCES
from schemas.pairs import GoldRow, Split, Task
from schemas.release import Draft, FileEntry
from schemas.version import CODE_VERSION, RELEASED

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The vocabulary's own context; mlcroissant warns when a term of it is missing."""

# `application/vnd.apache.parquet`, the registered name, passes validation and then cannot be read.
_PARQUET = "application/x-parquet"

_MEANINGS = {
    "task_id": "Name of the task: 16 hex digits that reveal nothing.",
    "question": "What the agent reads.",
    "answer": "Contract of the answer, as JSON: what counts as right.",
    "pair_id": "Name of the pair; its two tasks share it.",
    "condition": "`clean` or `noise`.",
    "split": "`train` or `test`.",
    "intent": "What the question is about, one of six.",
    "scope": "`patient` or `population`.",
    "level": "Where the fault lies: `record`, `value` or `query`.",
    "operator": "The noise operator.",
    "severity": "How hard it hit.",
    "origin": "`injected` by an overlay, or `natural`: in the source already.",
    "template": "The structural question this one fills in.",
    "parameters": "What it is filled in with, as JSON.",
    "reference_sql": "The statement whose result is the gold answer.",
    "naive_sql": "The reference without the tests of support: what answers whoever takes the record as it is.",
    "gold": "The right answer as JSON; `null` where abstaining is right.",
    "records": "The associated records, as JSON: table and rows, or a predicate.",
    "overlay": "The edits that make the noise condition, as JSON.",
    "worlds": "Supported worlds against which evidence is judged, as JSON.",
    "schema_evidence": "Tables whose columns show the fault where no supported world can exist.",
    "witness_sql": "A statement whose result shows whether the answer is supported.",
    "promise": "What becomes of the answer: `abstention`, `unchanged` or `recomputed`.",
    "bites": "Whether that naive reference goes wrong on the noise task.",
    "subject_ids": "The patients it is about; empty for a population.",
    "tables": "Base tables the reference reads.",
}


def croissant(draft: Draft, title: str, source: Provenance, files: Sequence[FileEntry], canary: str) -> dict[str, Any]:
    """The JSON-LD document.

    Args:
        draft: The release.
        title: Its name in words.
        source: Where its records come from.
        files: The parquet files, with their checksums.
        canary: The string that marks the release.
    """
    licence = LICENCES[draft.source.kind]
    entries = {entry.path: entry for entry in files}
    tables = [
        (model, f"{name}-{split}", entries[path_of(model, split)])
        for name, model in (("tasks", Task), ("gold", GoldRow))
        for split in Split
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": draft.name,
        "alternateName": title,
        "description": f"Clean–Noise pairs of questions over {source.name} {source.version}: does an agent notice when "
        f"the record does not support an answer? {canary}",
        "version": draft.version,
        "datePublished": RELEASED,
        "dateCreated": RELEASED,
        "license": licence.url,
        "url": "https://arxiv.org/abs/2609.39371",
        "citeAs": f"@misc{{{draft.name.replace('-', '_')}, title={{{title}}}, version={{{draft.version}}}, "
        f"year={{{RELEASED[:4]}}}}}",
        "creator": {"@type": "sc:Organization", "name": "The maintainers of ehr-robustgym"},
        "publisher": {"@type": "sc:Organization", "name": "The maintainers of ehr-robustgym"},
        "keywords": ["electronic health records", "MIMIC-IV", "robustness", "abstention", "agents", "text-to-SQL"],
        "inLanguage": "en",
        "isLiveDataset": False,
        "distribution": [_file(name, entry) for _, name, entry in tables],
        "recordSet": [_records(name, SCHEMAS[model], entry) for model, name, entry in tables],
        "rai:dataCollection": f"{source.origin} Questions are templates filled in from its tables; gold answers are "
        "computed with SQL.",
        "rai:dataCollectionType": ["Secondary data analysis" if draft.source.kind != "synthetic" else "Synthetic"],
        "rai:dataPreprocessingProtocol": ["Exact types, stable order, nothing imputed; see README.md."],
        "rai:dataAnnotationProtocol": [
            "Noise operators are applied by program; each promise is checked on the noisy hospital, for every pair."
        ],
        "rai:machineAnnotationTools": [f"ehr-robustgym {CODE_VERSION}"],
        "rai:dataUseCases": ["Evaluating and training agents that must notice when a record supports no answer"],
        "rai:dataLimitations": [
            "One hospital's layout and coding, one country, English questions, not for clinical use."
        ],
        "rai:dataBiases": [
            "A synthetic hospital: its distributions are plausible, not measured."
            if draft.source.kind == "synthetic"
            else "Reflects who is admitted to one hospital in Boston; compare README.md, C3."
        ],
        "rai:dataSocialImpact": "May help to keep agents from inventing answers; a good score is no licence to treat.",
        "rai:personalSensitiveInformation": [
            "None: no record is of a person."
            if draft.source.kind == "synthetic"
            else f"De-identified health data under the {licence.name}."
        ],
        "rai:dataReleaseMaintenancePlan": "Semantic versions; CHANGELOG.md says what changed and how to re-grade.",
    }


def _file(name: str, entry: FileEntry) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{name}.parquet",
        "name": f"{name}.parquet",
        "contentUrl": entry.path,
        "encodingFormat": _PARQUET,
        "contentSize": f"{entry.bytes} B",
        "sha256": entry.sha256,
    }


def _records(name: str, schema: pa.Schema, entry: FileEntry) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{entry.rows} rows of {entry.path}.",
        "key": {"@id": f"{name}/task_id"},
        "field": [_field(name, field) for field in schema],
    }


def _field(name: str, field: pa.Field[Any]) -> dict[str, Any]:
    many = pa.types.is_list(field.type)
    whole = many and pa.types.is_integer(field.type.value_type)
    return {
        "@type": "cr:Field",
        "@id": f"{name}/{field.name}",
        "name": f"{name}/{field.name}",
        "description": _MEANINGS[field.name],
        "dataType": "sc:Boolean" if pa.types.is_boolean(field.type) else "sc:Integer" if whole else "sc:Text",
        "source": {"fileObject": {"@id": f"{name}.parquet"}, "extract": {"column": field.name}},
    } | ({"isArray": True, "arrayShape": "-1"} if many else {})
