"""HTTP: the JSON routes and the pages. Composed by ``app.create_app``; knows no Kafka, no Redis.

``api`` (routes for machines), ``pages`` (routes for people), ``body`` (a request's events),
``problems`` (every error's form), ``middleware`` (headers, request counts), ``marking`` and
``views`` (what the templates show), ``ports`` and ``options`` (what it is given).
"""
