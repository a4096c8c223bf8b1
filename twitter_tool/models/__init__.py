"""Answers written by language models: which may be asked, what fits into them, and asking them in turn.

``facts`` and ``resolve`` settle the chain before anything is fetched, ``limits`` says what fits every member, ``chain``
asks one member after the other through ``litellm_client``; through the same client ``video`` has a clip watched.
LiteLLM itself is imported only to make a call.
"""
