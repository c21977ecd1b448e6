"""Who is calling: API Gateway asks before every call."""

from rag.runtime.authorizer import authorize
from rag.runtime.functions import event_function

lambda_handler = event_function(authorize)
