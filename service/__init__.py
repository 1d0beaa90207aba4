"""groundwatch, the product. What lives here, and who may import whom.

Data flows one way: bytes → :mod:`service.events` → :mod:`service.pipeline` (which runs
:mod:`service.checks` and :mod:`service.sampling`) → effects → :mod:`service.store`.

Pure (no Kafka, Redis, HTTP, clock or randomness; import-linter holds it): ``events``, ``adapters``,
``mapping``, ``expressions``, ``checks``, ``sampling``, ``forecast``, ``budget``, ``policy``,
``accounting``, ``verdicts``, ``drafts``, ``pipeline``, ``feedback``, ``estimates``, ``review``, and
of ``measuring`` all but what asks a target.
Adapters: ``store`` (Redis and ``memory://``), ``controller`` (sampling factors), ``documents``,
``document_server``, ``web``.
Composition: ``settings`` (the only reader of the environment), ``bootstrap`` (the only builder of
adapters), ``cli`` (the entry point, imported by nothing).
``consumers`` imports ``service``, never the other way round (``cli`` excepted).
"""
