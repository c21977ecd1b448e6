"""Chat."""

from rag.runtime.functions import http_function
from rag.wire import platform, v3, widget

lambda_handler = http_function(v3.chat, platform.answering, widget.chat, widget.feedback)
