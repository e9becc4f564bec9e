"""All settings, read from the environment (and `.env`). `.env.example` explains every variable."""

import os
from datetime import timedelta
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

import podcast_catalog

from .environment import (
    HOST_AND_PORT,
    HOST_PATTERN,
    MAIL_ADDRESS,
    env_address,
    env_choice,
    env_database,
    env_list,
    env_matching,
    env_number,
    env_sentry_address,
    env_shortest_and_longest_minutes,
    env_switch,
    env_text,
    program_fingerprint,
    read_secret_files,
    refuse_names_similar_to_unset_settings,
)
from .errors import lower_refusals_to_warnings
from .timed_sqlite import OwnerOnlyFileConnection, connection_class_with_time_limit

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")
read_secret_files()

# `make run` writes a random key to `.env`. This one only lets a bare checkout answer, and `check
# --deploy` warns of it.
SECRET_KEY = env_text("SECRET_KEY", "django-insecure-only-for-a-checkout-on-your-own-machine")
# Former keys, which still verify what they signed, with spaces or lines between them.
SECRET_KEY_FALLBACKS = env_text("SECRET_KEY_FALLBACKS").split()
DEBUG = env_switch("DEBUG", False)
ALLOWED_HOSTS = env_list(
    "ALLOWED_HOSTS",
    "localhost, 127.0.0.1, [::1]",
    "host names, without http:// and port",
    HOST_PATTERN,
)
fetch_hosts = env_list("FETCH_ALLOW", "", "hosts with ports, such as 127.0.0.1:9000", HOST_AND_PORT)
FETCH_ALLOW = frozenset(map(str.lower, fetch_hosts))
# The name that requests for feeds, pages, images and links send.
USER_AGENT = env_matching(
    "USER_AGENT",
    "one line of ASCII",
    "[ -~]+",
    f"podcast-catalog/{podcast_catalog.__version__} (+podcast archive)",
)
FIRST_RUN_FETCH = env_switch("FIRST_RUN_FETCH", True)
HTTPS = env_switch("HTTPS", False)
if not SECRET_KEY or (HTTPS and "SECRET_KEY" not in os.environ):
    raise ImproperlyConfigured(
        "SECRET_KEY is missing. Put a long random one into .env, as `make install` does."
    )
# The name of the whole site. Without it, the name of its only show.
SITE_NAME = env_text("SITE_NAME").strip()
# The sentence below it on the start page, and beside shared links.
SITE_DESCRIPTION = env_text("SITE_DESCRIPTION").strip()
# Where readers report mistakes. {slug} is replaced by the episode's. Without it pages have no such
# link.
ISSUES_URL = env_address(
    "ISSUES_URL", "an http, https or mailto address", "http", "https", "mailto"
)
# Whether readers can suggest corrections, which curators accept or refuse.
SUGGESTIONS = env_switch("SUGGESTIONS", True)
# The colour of links and marks: rrggbb in hexadecimal. In the dark it is lightened.
ACCENT = env_matching("ACCENT", "a colour such as 0a6b5e", "#?[0-9A-Fa-f]{6}").removeprefix("#")
# Whether images of feeds are stored and served here, or left out.
IMAGES = env_choice("IMAGES", "keep", "keep", "off")
# Limits of a document of strangers: its size, the CPU time and memory for parsing it (in a process of
# its own, unless READ_SECONDS=0), and its items.
DOCUMENT_MB = env_number("DOCUMENT_MB", 20, 1)
READ_SECONDS = env_number("READ_SECONDS", 60)
READ_MB = env_number("READ_MB", 1_000, 1)
MOST_ITEMS = env_number("MOST_ITEMS", 100_000, 1)
# Megabytes of stored entry versions and copies, above which a source is shown on the health board.
SOURCE_MB = env_number("SOURCE_MB", 1_000, 1)
# How many megabytes the page cache of each web process may take. 0: no cache. Django counts pages, so
# each has a largest size, and there are as many as fit if all are as large.
PAGES_KEPT = env_number("PAGES_KEPT", 32)
PAGE_BYTES, LARGE_BYTES = 64_000, 1_000_000
# Whether assistants may ask at /mcp (episodes/views/mcp.py).
MCP = env_switch("MCP", True)
# How many requests a minute each client may send to each web process. 0: no limit.
CLIENT_REQUESTS = env_number("CLIENT_REQUESTS", 6_000)

# Lines for people, or JSON for programs, which at LOG_LEVEL=INFO also get a line for each request.
LOG_FORMAT = env_choice("LOG_FORMAT", "text", "text", "json")
# The token for /metrics. Without it there are none.
METRICS_TOKEN = env_text("METRICS_TOKEN")
SENTRY_DSN = env_sentry_address("SENTRY_DSN")
if SENTRY_DSN:
    import sentry_sdk
    from sentry_sdk.integrations.logging import ignore_logger
    from sentry_sdk.integrations.stdlib import StdlibIntegration

    ignore_logger("django.security.*")  # requests that Django refuses: anybody can send any number
    # Local variables, and the trail of requests, would have the addresses of private feeds.
    sentry_sdk.init(
        dsn=SENTRY_DSN,
        send_default_pii=False,
        include_local_variables=False,
        disabled_integrations=[StdlibIntegration()],
    )

# The shortest and longest time between two polls of a feed, and of any other page (minutes).
FEEDS_EVERY = env_shortest_and_longest_minutes("FEEDS_EVERY", "30,1440")
PAGES_EVERY = env_shortest_and_longest_minutes("PAGES_EVERY", "1440,10080")
# How many requests at a time a host may get, if more than one: host=number.
host_slots = env_list(
    "HOST_SLOTS", "", "hosts with numbers, such as feeds.example.org=3", r"[\w.-]+=[1-9]\d?"
)
HOST_SLOTS = {}
for host_slot in host_slots:
    host, _, count = host_slot.partition("=")
    HOST_SLOTS[host] = int(count)
# Where the job writes a daily backup. Without it there is none.
BACKUP_FOLDER = env_text("BACKUP_FOLDER")
# Where the job writes a daily copy of the public site, and the address where the copy is served.
PUBLISH_FOLDER = env_text("PUBLISH_FOLDER")
PUBLISH_ADDRESS = env_address("PUBLISH_ADDRESS", "an http or https address", "http", "https")
CHECK_LINKS = env_switch("CHECK_LINKS", True)
LINK_TITLES = env_switch("LINK_TITLES", False)

# Who gets a mail about failing sources. Not Django's ADMINS, who would get a mail for each error of a
# page.
EMAIL_URL = env_address(
    "EMAIL_URL",
    "smtp+tls://USER:PASSWORD@HOST:PORT, smtp+ssl://… or smtp://…",
    *environ.Env.EMAIL_SCHEMES,
)
if EMAIL_URL:
    # Sets EMAIL_HOST and Django's other settings of mail.
    vars().update(environ.Env.email_url_config(EMAIL_URL))
EMAIL_TIMEOUT = 20
admin_addresses = env_list("ADMINS", "", "mail addresses", MAIL_ADDRESS)
NOTIFY_PEOPLE = admin_addresses if EMAIL_URL else []
default_senders = [*NOTIFY_PEOPLE, "webmaster@localhost"]
DEFAULT_FROM_EMAIL = env_matching("EMAIL_FROM", "a mail address", MAIL_ADDRESS, default_senders[0])
# The roles that cannot use the admin without two-factor login. With any role here, superusers cannot
# either.
TWO_FACTOR_ROLES = env_list(
    "TWO_FACTOR_ROLES", "", "viewer, curator or administrator", "viewer|curator|administrator"
)
WEBHOOK_URL = env_address("WEBHOOK_URL", "an http or https address", "http", "https")
NOTIFY_FAILURES = env_number("NOTIFY_FAILURES", 3)
# Requested every few minutes while the work in the background goes on (healthchecks.io and the like).
PING_URL = env_address("PING_URL", "an http or https address", "http", "https")

INSTALLED_APPS = [
    "episodes",
    "podcast_catalog.apps.CuratorsConfig",  # django.contrib.admin with the curators' start page
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
    "django_filters",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
]

# These count and time all requests. They cost nothing unless they are switched on.
OBSERVERS = []
if LOG_FORMAT == "json":
    OBSERVERS.append("podcast_catalog.logs.log_requests")
if METRICS_TOKEN:
    OBSERVERS.append("podcast_catalog.metrics.count_requests_and_serve_metrics")

MIDDLEWARE = [
    *OBSERVERS,
    "podcast_catalog.middleware.RefusedEncodings",
    "podcast_catalog.page_cache.cache_pages",
    "django.middleware.security.SecurityMiddleware",
    # What adds headers comes before whitenoise, which answers for static files.
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "podcast_catalog.middleware.ContentSecurityPolicy",
    "podcast_catalog.middleware.Probes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Answers go through these from below: the ETag is of the bytes before compression.
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.http.ConditionalGetMiddleware",
    "podcast_catalog.middleware.Revalidation",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "podcast_catalog.throttling.limit_requests",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "podcast_catalog.middleware.Faults",
    # The last: it answers in place of a login that failed too often.
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "podcast_catalog.urls"

TEMPLATES = [
    # Readers' pages.
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"environment": "episodes.templating.environment"},
    },
    # The admin, and error pages that need nothing of the catalog.
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "django"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASE_URL = env_database(
    "DATABASE_URL",
    f"sqlite:///{BASE_DIR / 'db.sqlite3'}",
    "sqlite:///FILE or postgres://NAME:PASSWORD@HOST:PORT/DATABASE",
    "sqlite:",
    "postgres:",
    "postgresql:",
)
DATABASES = {"default": environ.Env.db_url_config(DATABASE_URL)}
# After how many seconds a statement is cancelled, 0 for never: pages have a limit, commands such as
# `ingest` have none.
STATEMENT_TIMEOUT = env_number("STATEMENT_TIMEOUT", 5)
if not podcast_catalog.serves_pages:
    STATEMENT_TIMEOUT = 0
database = DATABASES["default"]
# A connection lasts as long as its thread: to make one costs more than many a page.
database["CONN_MAX_AGE"] = None
sqlite_file = "db.sqlite3"
if database["ENGINE"].endswith("sqlite3"):
    sqlite_file = database["NAME"]
    # IMMEDIATE makes the second writer wait instead of failing at its first write. With the
    # write-ahead log readers go on meanwhile.
    database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
        "factory": connection_class_with_time_limit(STATEMENT_TIMEOUT)
        if STATEMENT_TIMEOUT
        else OwnerOnlyFileConnection,
    }
else:
    database["CONN_HEALTH_CHECKS"] = True
    database["OPTIONS"] = {
        # PostgreSQL would compile a long search for seconds that runs in milliseconds.
        "options": f"-c jit=off -c statement_timeout={STATEMENT_TIMEOUT}s",
        "connect_timeout": 5,
        # A machine that is gone, or stands still, is noticed within half a minute.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 4,
        **database.get("OPTIONS", {}),
    }
    # Its migrations are PostgreSQL's (episodes/queue.py).
    INSTALLED_APPS.append("procrastinate.contrib.django")

# The page cache (podcast_catalog/page_cache.py). Strangers can make up any number of addresses: these
# have a cache of their own, so that they push out no other pages. So have the few large pages, which are
# feeds.
CACHE_URL = env_address("CACHE_URL", "redis://HOST:PORT/NUMBER or rediss://…", "redis", "rediss")
quarter_bytes = PAGES_KEPT * 1_000_000 // 4
max_pages = {
    "default": 2 * quarter_bytes // PAGE_BYTES,
    "made_up": quarter_bytes // PAGE_BYTES,
    "large": quarter_bytes // LARGE_BYTES,
}
CACHES = {}
for name, page_count in max_pages.items():
    CACHES[name] = {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": name,
        "OPTIONS": {"MAX_ENTRIES": page_count},
    }
if CACHE_URL:
    # A page of another release, or of other settings, is another page.
    page_settings = (SITE_NAME, SITE_DESCRIPTION, ACCENT, IMAGES, ISSUES_URL)
    release = program_fingerprint(BASE_DIR, *page_settings)
    for cache in CACHES.values():
        cache |= {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": CACHE_URL,
            "KEY_PREFIX": release,
            "OPTIONS": {"socket_connect_timeout": 0.25, "socket_timeout": 0.25},
        }

# How many requests each client sent in this minute, for podcast_catalog/throttling.py. It is never on a
# server of caches.
CACHES["clients"] = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "LOCATION": "clients",
    "OPTIONS": {"MAX_ENTRIES": 10_000},
}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Clients with too many failed logins have to wait. podcast_catalog/throttling.py counts them.
LOGIN_REDIRECT_URL = "admin:index"  # if the request names no page of this site
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
TRUSTED_PROXIES = env_number("TRUSTED_PROXIES", 0)
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(days=1)  # after which failures are forgotten
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address", "user_agent"]]  # what a success resets
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_HANDLER = "podcast_catalog.throttling.LoginThrottle"
AXES_USERNAME_CALLABLE = "podcast_catalog.throttling.login_name"
AXES_CLIENT_IP_CALLABLE = "podcast_catalog.throttling.client_network"
AXES_LOCKOUT_CALLABLE = "podcast_catalog.throttling.login_pause_page"
AXES_SENSITIVE_PARAMETERS = ["username"]  # not logged: people type passwords there; the address is
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
OTP_TOTP_ISSUER = SITE_NAME or "Podcast catalog"  # as the app calls it

LANGUAGE_CODE = "en"
# Dates are UTC instants or days. A local zone would move a day.
TIME_ZONE = "UTC"
USE_I18N = False  # one language
FORMAT_MODULE_PATH = "podcast_catalog.formats"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
FIXTURE_DIRS = [BASE_DIR / "fixtures"]
# Images are kept in a folder beside the file of SQLite.
MEDIA_ROOT = BASE_DIR / env_text("MEDIA_ROOT", str((BASE_DIR / sqlite_file).parent / "media"))
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"allow_overwrite": True},
    },
    "staticfiles": {"BACKEND": "podcast_catalog.static_files.StaticStorage"},
}

SECURE_REDIRECT_EXEMPT = ["^(healthz|readyz|livez)$"]  # probes come from inside
# Steps that cannot be undone for a while. docs/deploying.md says when to take them.
hsts_seconds = env_number("HSTS_SECONDS", 31_536_000, maximum=1_000_000_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env_switch("HSTS_SUBDOMAINS", False)
SECURE_HSTS_PRELOAD = env_switch("HSTS_PRELOAD", False)
# Without HTTPS, `check_https` says in one warning what these four of Django's say.
SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]
if HTTPS:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = hsts_seconds
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Django 6 has this setting. Until then podcast_catalog.middleware reads it.
SECURE_CSP = {
    "default-src": ["'self'"],
    "media-src": [
        "'self'",
        "https:",
        "http:",
    ],  # what old feeds name; a page that came by HTTPS asks for it by HTTPS
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}

LOG_LEVEL = env_choice("LOG_LEVEL", "WARNING", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
formatters = {
    "text": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
    "json": {"()": "podcast_catalog.logs.formatter"},
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"console": formatters[LOG_FORMAT]},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "console",
            "filters": [lower_refusals_to_warnings],
        }
    },
    # Libraries report their starts and jobs at INFO, with each command.
    "root": {"handlers": ["console"], "level": {"INFO": "WARNING"}.get(LOG_LEVEL, LOG_LEVEL)},
    "loggers": {"episodes": {"level": LOG_LEVEL}, "podcast_catalog": {"level": LOG_LEVEL}},
}

refuse_names_similar_to_unset_settings()
