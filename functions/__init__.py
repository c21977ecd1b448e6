"""One folder per Lambda function, each with a handler of a few lines."""
