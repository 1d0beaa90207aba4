"""The LLM judge: what it is asked, what its words are worth, and how it is reached.

Pure: ``jobs`` (what is to be judged), ``material`` (the answer and its sources, numbered),
``rubric`` (what the judge is asked), ``verification`` (what code makes of its answer),
``judgement`` (the result), ``calls`` (what goes to an endpoint and comes back), ``corpus``.
Adapters: ``client`` (any OpenAI-compatible endpoint), ``judge`` (one job from first call to
judgement).
"""
