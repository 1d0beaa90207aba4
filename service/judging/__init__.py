"""The LLM judge: what it is asked, what its words are worth, and how it is reached.

Pure: ``jobs`` (what is to be judged), ``material`` (the answer and its sources, numbered),
``rubric`` and ``prompts`` (what the judge is asked), ``verification`` (what code makes of its
answer, with ``quoting``, ``instructions``, ``visible`` and ``corpus``), ``judgement`` (the result),
``calls`` (what goes to an endpoint and comes back).
Adapters: ``client`` (any OpenAI-compatible endpoint), ``judge`` (one job from first call to
judgement).
"""
