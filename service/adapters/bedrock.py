"""Amazon Bedrock: RetrieveAndGenerate and agents (``retrievedReferences``)."""

from __future__ import annotations

from collections.abc import Sequence

from service.adapters.collector import Adapted, Collector, locate
from service.adapters.payload import Node

_LOCATIONS = (
    ("s3Location", "uri"),
    ("webLocation", "url"),
    ("confluenceLocation", "url"),
    ("salesforceLocation", "url"),
    ("sharePointLocation", "url"),
    ("kendraDocumentLocation", "uri"),
    ("customDocumentLocation", "id"),
)
_CHUNK_ID = "x-amz-bedrock-kb-chunk-id"
_SOURCE_URI = "x-amz-bedrock-kb-source-uri"


def read(payload: object, refs: Sequence[str] = (), answer: str | None = None) -> Adapted:
    """A RetrieveAndGenerate response, an agent's ``attribution``, or a list of citations.

    One citation a retrieved reference; a part without references is not cited. Raises
    :class:`service.adapters.PayloadError`.
    """
    root = Node(payload)
    text = None if root.is_list else root.field("output").field("text").text()
    target = (answer or "") if text is None else text
    collector = Collector(refs)
    for citation in (root if root.is_list else root.field("citations")).items():
        part = citation.field("generatedResponsePart").field("textResponsePart")
        span = part.field("span")
        start, end = span.field("start").whole(), span.field("end").whole()
        place = locate(target, start, end, part.field("text").text())
        for reference in citation.field("retrievedReferences").items():
            if collector.is_full:
                break
            collector.add(collector.name(_names(reference), reference.path), place)
    return Adapted(text, collector.citations)


def _names(reference: Node) -> list[str | None]:
    metadata, location = reference.field("metadata"), reference.field("location")
    return [
        *(location.field(kind).field(name).text() for kind, name in _LOCATIONS),
        metadata.field(_SOURCE_URI).text(),
        metadata.field(_CHUNK_ID).text(),
    ]
