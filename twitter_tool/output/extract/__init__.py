"""The parts of the answer that quotes: sentences, words of a question, ranking, choice and layout."""
