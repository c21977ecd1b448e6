"""One story, written down as a file of each format: by the tests' own hand, with no library that
reads it again."""
