"""What is added to every answer, and what answers where a statement took too long."""

import sqlite3
from collections.abc import Callable

import psycopg
from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import has_vary_header, patch_vary_headers

GetResponse = Callable[[HttpRequest], HttpResponse]
RETRY_AFTER = 30  # seconds


def content_security_policy(get_response: GetResponse) -> GetResponse:
    """Add the policy of `settings.SECURE_CSP` to every response that brings none of its own.

    In the shape that Django 6 brings, so that this function can go when Django 6 comes.
    """
    policy = "; ".join(f"{name} {' '.join(values)}" for name, values in settings.SECURE_CSP.items())

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


def revalidation(get_response: GetResponse) -> GetResponse:
    """Let browsers and proxies keep answers, and ask each time whether these are still current."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # GZipMiddleware says so only of what it compressed.
        patch_vary_headers(response, ("Accept-Encoding",))
        personal = has_vary_header(response, "Cookie")
        response.headers.setdefault("Cache-Control", "private, no-cache" if personal else "no-cache")
        return response

    return middleware


def statement_timeout(get_response: GetResponse) -> GetResponse:
    """Answer with a page of its own where the database cancelled a statement after `settings.STATEMENT_TIMEOUT`."""

    def took_too_long(request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not was_cancelled(exception):
            return None
        response = render(request, "503.html", status=503)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        response.headers["Cache-Control"] = "no-store"
        return response

    def middleware(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    middleware.process_exception = took_too_long  # type: ignore[attr-defined]
    return middleware


def was_cancelled(exception: Exception) -> bool:
    cause = exception.__cause__
    if isinstance(cause, sqlite3.OperationalError):
        return cause.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT
    return isinstance(exception, OperationalError) and isinstance(cause, psycopg.errors.QueryCanceled)
