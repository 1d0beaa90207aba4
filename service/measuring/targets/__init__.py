"""The RAG systems that measurements and probes ask: an HTTP endpoint, or a Python callable.

Pure: ``port`` (what a target is asked, and what it answers or why not). Adapters: ``endpoint``,
``function``. ``asking``: many questions, some at the same time.
"""
