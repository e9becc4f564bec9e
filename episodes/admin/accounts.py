"""Users and their roles: an administrator makes curators, but nobody who may more than the
administrator."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q, QuerySet
from django.forms import CheckboxSelectMultiple, ModelForm
from django.http import HttpRequest
from django_otp.plugins.otp_totp import admin as of_devices  # noqa: F401  registers what is taken away here
from django_otp.plugins.otp_totp.models import TOTPDevice

from podcast_catalog.accounts import send_password_link, turn_off_two_factor

from ..curation import describe_value, record_account_change, update_staff_flag
from .base import CatalogAdmin

admin.site.unregister(User)
admin.site.unregister(Group)
admin.site.unregister(TOTPDevice)  # its table shows the keys


def user_permissions(user: Any) -> QuerySet[Permission]:
    """The permissions of somebody, active or not."""
    return Permission.objects.filter(Q(group__user=user) | Q(user=user))


def grantable_roles(user: Any) -> QuerySet[Group]:
    """The roles that a user may give: those that can do nothing the user cannot."""
    groups: QuerySet[Group] = Group.objects.order_by("name")
    if user.is_superuser:
        return groups
    return groups.exclude(
        permissions__in=Permission.objects.exclude(pk__in=user_permissions(user).values("pk"))
    )


class AuditedAdmin(CatalogAdmin):
    """A table of Django's own, whose changes our history tells."""

    noun: str

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        """Note what a form changed; of a password only that it changed."""
        told = {}
        for name in form.changed_data:
            if "password" in name:
                # Neither it nor its hash is anybody's to read.
                told["password"] = ["password", "", "changed"]
                continue
            was, now = (describe_value(v.get(name, "")) for v in (form.initial, form.cleaned_data))
            told[name] = [str(form.fields[name].label).lower(), was, now]
        verb, row = "add" if add else "change", getattr(form, "instance", None) or form.user
        record_account_change(request.user, f"{verb} {self.noun}", row, told.values())
        return super().construct_change_message(request, form, formsets, add)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for row in queryset:
            record_account_change(
                request.user, f"delete {self.noun}", row, [["name", str(row), ""]]
            )
        return super().log_deletions(request, queryset)


@admin.register(User)
class AccountAdmin(AuditedAdmin, UserAdmin):
    """Accounts. Who is no superuser sets up accounts through roles alone, and leaves those alone
    that may more."""

    noun = "account"
    add_form = UserCreationForm
    list_display = ("username", "email", "roles", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    prefetched = ("groups",)
    filter_horizontal = ("user_permissions",)
    readonly_fields = ("last_login",)
    add_fieldsets = ((None, {"fields": ("username", "email", "password1", "password2", "groups")}),)
    fieldsets = (
        (None, {"fields": ("username", "email", "password", "groups", "is_active")}),
        ("Logins", {"fields": ("last_login",)}),
        (
            "Advanced",
            {"classes": ("collapse",), "fields": ("is_superuser", "user_permissions")},
        ),
    )

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        names = sorted(group.name for group in user.groups.all())
        return ", ".join(["superuser", *names] if user.is_superuser else names)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if not super().has_change_permission(request, obj):
            return False
        me: Any = request.user
        # Whoever could set the password of a stronger account would have its rights.
        if obj is None or me.is_superuser:
            return True
        return not (
            obj.is_superuser
            or user_permissions(obj).exclude(pk__in=user_permissions(me).values("pk")).exists()
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The history names accounts, so they are deactivated, not deleted."""
        return bool(request.user.is_superuser and super().has_delete_permission(request, obj))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The fieldsets; the advanced ones are for superusers."""
        every = super().get_fieldsets(request, obj)
        return every if request.user.is_superuser else every[:2]

    def formfield_for_manytomany(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs |= {
                "queryset": grantable_roles(request.user),
                "widget": CheckboxSelectMultiple(),
                "label": "Roles",
                "help_text": "Without one, the admin is closed to it.",
            }
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    actions = ("send_link", "turn_two_factor_off")

    def has_mail_permission(self, request: HttpRequest) -> bool:
        return bool(settings.EMAIL_URL) and self.has_change_permission(request)

    @admin.action(description="Send a link to set a password", permissions=["mail"])
    def send_link(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
        """An invitation, or for those who forgot theirs."""
        for account in accounts:
            if trouble := send_password_link(request, account):
                self.message_user(
                    request, f"No link was sent to {account}: {trouble}.", messages.WARNING
                )
            else:
                self.message_user(request, f"A link was sent to {account.email}.")

    @admin.action(description="Turn two-factor login off", permissions=["change"])
    def turn_two_factor_off(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
        """For those who lost their app."""
        for account in accounts:
            if self.has_change_permission(request, account):
                turn_off_two_factor(request.user, account)
                self.message_user(request, f"Two-factor login is off for {account}.")
            else:
                self.message_user(
                    request, f"Not changed: {account}, who may do more than you.", messages.WARNING
                )

    def save_related(
        self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool
    ) -> None:
        """Roles that the form could not show stay. Whoever has a role may use the admin, and nobody
        else."""
        # Read before saving, which leaves those alone that the form offers.
        kept = (
            list(form.instance.groups.exclude(pk__in=grantable_roles(request.user)))
            if change
            else []
        )
        super().save_related(request, form, formsets, change)
        form.instance.groups.add(*kept)
        update_staff_flag(form.instance)


@admin.register(Group)
class RoleAdmin(AuditedAdmin, GroupAdmin):
    """Roles with what they may."""

    noun = "role"
