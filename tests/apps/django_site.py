"""Django's admin with 200 users in a database of its own: `python -m tests.apps.django_site DATABASE`.

Prints where it listens. Ada, with the password `countess`, may do everything; `user000` to `user198` may do nothing.
"""

# Django comes without types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import sys

import django
from django.conf import settings
from django.contrib import admin
from django.core.management import call_command
from django.urls import path

APPS = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
CONTEXT = ("auth.context_processors.auth", "messages.context_processors.messages")
MIDDLEWARE = (
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
)
VALIDATORS = ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")

urlpatterns: list[object] = []


def main(database: str) -> None:
    settings.configure(
        DEBUG=True,
        SECRET_KEY="for tests only",
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        INSTALLED_APPS=[f"django.contrib.{name}" for name in APPS],
        MIDDLEWARE=MIDDLEWARE,
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        *(f"django.contrib.{name}" for name in CONTEXT),
                    ]
                },
            }
        ],
        AUTH_PASSWORD_VALIDATORS=[{"NAME": f"django.contrib.auth.password_validation.{name}"} for name in VALIDATORS],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        STATIC_URL="static/",
        USE_TZ=True,
    )
    django.setup()
    from django.contrib.auth.models import User  # it needs the settings

    call_command("migrate", verbosity=0)
    User.objects.create_superuser("ada", "ada@example.org", "countess", first_name="Ada", last_name="Lovelace")
    User.objects.bulk_create(
        User(
            username=f"user{number:03}",
            email=f"user{number:03}@example.org",
            first_name=f"First{number}",
            last_name=f"Last{number}",
            is_staff=number % 50 == 7,
        )
        for number in range(199)
    )
    urlpatterns.append(path("admin/", admin.site.urls))
    call_command("runserver", "127.0.0.1:0", use_reloader=False, skip_checks=True)


if __name__ == "__main__":
    main(sys.argv[1])
