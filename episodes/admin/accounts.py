"""Accounts and their roles. Administrators grant no permission that they do not have."""

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

from podcast_catalog.accounts import try_to_send_password_link, turn_off_two_factor

from ..curation import describe_column_value, record_account_change, update_staff_flag
from .base import CatalogAdmin

admin.site.unregister(User)
admin.site.unregister(Group)
admin.site.unregister(TOTPDevice)  # its table shows the keys


def user_permissions(user: Any) -> QuerySet[Permission]:
    """Return the permissions of an account, active or not."""
    return Permission.objects.filter(Q(group__user=user) | Q(user=user))


def grantable_roles(user: Any) -> QuerySet[Group]:
    """Return the roles that a user may give to others: those without a permission that the user lacks."""
    groups: QuerySet[Group] = Group.objects.order_by("name")
    if user.is_superuser:
        return groups
    own_ids = user_permissions(user).values("pk")
    return groups.exclude(permissions__in=Permission.objects.exclude(pk__in=own_ids))


class AuditedAdmin(CatalogAdmin):
    """A table of Django's own. Its changes are in our history."""

    noun: str

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        """Record the changed fields in our history, and return Django's message.

        Of a password, record only that it changed.
        """
        lines = {}
        for name in form.changed_data:
            if "password" in name:
                # The history must not show a password or its hash.
                lines["password"] = ["password", "", "changed"]
            else:
                label = str(form.fields[name].label).lower()
                before = describe_column_value(form.initial.get(name, ""))
                after = describe_column_value(form.cleaned_data.get(name, ""))
                lines[name] = [label, before, after]
        # The form of a password has a user in place of an instance.
        row = getattr(form, "instance", None) or form.user
        verb = "add" if add else "change"
        record_account_change(request.user, f"{verb} {self.noun}", row, lines.values())
        return super().construct_change_message(request, form, formsets, add)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Record each deleted row in our history, and let Django log it."""
        for row in queryset:
            line = ["name", str(row), ""]  # label, old text, new text
            record_account_change(request.user, f"delete {self.noun}", row, [line])
        return super().log_deletions(request, queryset)


@admin.register(User)
class AccountAdmin(AuditedAdmin, UserAdmin):
    """Accounts. An administrator who is not a superuser gives roles, and cannot change accounts with more
    permissions."""

    noun = "account"
    add_form = UserCreationForm
    list_display = ("username", "email", "roles", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    prefetched_relations = ("groups",)
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
        """Return whether the user may change an account: never one that may do more than the user."""
        if not super().has_change_permission(request, obj):
            return False
        user: Any = request.user
        if obj is None or user.is_superuser:
            return True
        # A user who could set the password of a stronger account would get its permissions.
        own_ids = user_permissions(user).values("pk")
        has_more = user_permissions(obj).exclude(pk__in=own_ids).exists()
        return not obj.is_superuser and not has_more

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let only superusers delete accounts: the history names them, so they are deactivated instead."""
        return bool(request.user.is_superuser and super().has_delete_permission(request, obj))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        # The third set, "Advanced" with single permissions, is for superusers only.
        return fieldsets if request.user.is_superuser else fieldsets[:2]

    def formfield_for_manytomany(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        """Return the field of roles as check boxes of the roles that the user may give, or Django's field."""
        if db_field.name == "groups":
            kwargs |= {
                "queryset": grantable_roles(request.user),
                "widget": CheckboxSelectMultiple(),
                "label": "Roles",
                "help_text": "An account without a role cannot open the admin.",
            }
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    actions = ("send_link", "turn_two_factor_off")

    def has_mail_permission(self, request: HttpRequest) -> bool:
        return bool(settings.EMAIL_URL) and self.has_change_permission(request)

    @admin.action(description="Send a link to set a password", permissions=["mail"])
    def send_link(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
        """Send links to people who are invited, or forgot their password."""
        for account in accounts:
            if trouble := try_to_send_password_link(request, account):
                self.message_user(
                    request, f"No link was sent to {account}: {trouble}.", messages.WARNING
                )
            else:
                self.message_user(request, f"A link was sent to {account.email}.")

    @admin.action(description="Turn two-factor login off", permissions=["change"])
    def turn_two_factor_off(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
        """Turn two-factor login off for people who lost their app."""
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
        """Save the roles of an account. Roles that the form could not show stay."""
        account = form.instance
        hidden_roles = []
        if change:
            # Read before saving, which leaves only the roles that the form offers.
            hidden_roles = list(account.groups.exclude(pk__in=grantable_roles(request.user)))
        super().save_related(request, form, formsets, change)
        account.groups.add(*hidden_roles)
        update_staff_flag(account)


@admin.register(Group)
class RoleAdmin(AuditedAdmin, GroupAdmin):
    """Roles and their permissions."""

    noun = "role"
