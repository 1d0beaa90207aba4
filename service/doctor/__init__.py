"""What ``groundwatch doctor`` knows: whether Kafka, Redis and clocks are as the service needs them,
and what a sample of events says about how an application cites.

Pure: facts come in, advice goes out. ``consumers.kafka.inspection`` and
``service.store.inspection`` gather the facts; ``service.cli.doctor`` prints.
"""
