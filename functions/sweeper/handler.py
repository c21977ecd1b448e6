"""What is to be done again and again: the schedule says how often, as `{"every": seconds}`."""

from rag.runtime.functions import event_function
from rag.runtime.sweeper import sweep

lambda_handler = event_function(sweep)
