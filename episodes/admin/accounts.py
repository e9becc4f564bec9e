"""Accounts and their roles. Administrators grant no permission that they do not have."""

from copy import copy
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.forms import CheckboxSelectMultiple, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django_otp.plugins.otp_totp import admin as of_devices  # noqa: F401  registers what is taken away here
from django_otp.plugins.otp_totp.models import TOTPDevice

from podcast_catalog.accounts import (
    mail_password_link_and_return_problem,
    password_link,
    turn_off_two_factor,
)

from ..curation import (
    describe_column_value,
    record_account_change,
    record_password_link,
    update_staff_flag,
)
from .base import CatalogAdmin

admin.site.unregister(User)
admin.site.unregister(Group)
admin.site.unregister(TOTPDevice)  # its table shows the keys


def user_permissions(user: Any) -> QuerySet[Permission]:
    """Return the permissions of an account, active or not."""
    return Permission.objects.filter(Q(group__user=user) | Q(user=user))


def grantable_roles(user: Any) -> QuerySet[Group]:
    """Return the roles that a user may give to others: roles without a permission that the user lacks."""
    groups: QuerySet[Group] = Group.objects.order_by("name")
    if user.is_superuser:
        return groups
    permission_ids = user_permissions(user).values("pk")
    missing_permissions = Permission.objects.exclude(pk__in=permission_ids)
    return groups.exclude(permissions__in=missing_permissions)


class AuditedAdmin(CatalogAdmin):
    """A table of Django's own. Django's hooks also record its changes in our history. Pages call its rows `noun`."""

    noun: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Name the rows. Django's model keeps its name, which its migrations have."""
        super().__init__(*args, **kwargs)
        self.opts = copy(self.opts)
        self.opts.verbose_name = self.noun
        self.opts.verbose_name_plural = f"{self.noun}s"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        changelist = super().get_changelist_instance(request)
        changelist.opts = self.opts
        return changelist

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        self.message_user(request, f"“{obj}” was saved.", messages.SUCCESS)
        return HttpResponseRedirect(self.list_address)

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        self.message_user(request, self.describe_addition(obj), messages.SUCCESS)
        return HttpResponseRedirect(self.list_address)

    def describe_addition(self, row: Any) -> str:
        return f"“{row}” was added."

    @property
    def list_address(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        buttons = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().render_change_form(request, {**context, **buttons}, *args, **kwargs)

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        """Record the changed fields in our history, and return Django's message.

        Of a password, record only that it changed.
        """
        # The form of a password has a user in place of an instance.
        row = getattr(form, "instance", None) or form.user
        verb = "add" if add else "change"
        lines = changed_labels_with_old_and_new_text(form)
        record_account_change(request.user, f"{verb} {self.noun}", row, lines)
        return super().construct_change_message(request, form, formsets, add)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for row in queryset:
            line = ["name", str(row), ""]  # label, old text, new text
            record_account_change(request.user, f"delete {self.noun}", row, [line])
        return super().log_deletions(request, queryset)


def changed_labels_with_old_and_new_text(form: Any) -> list[list[str]]:
    """Return [label, old text, new text] for each changed field."""
    line_by_field = {}
    for name in form.changed_data:
        if "password" in name:
            # The history must not show a password or its hash. It is typed twice, and listed once.
            line_by_field["password"] = ["password", "", "changed"]
        else:
            label = str(form.fields[name].label).lower()
            before = describe_column_value(form.initial.get(name, ""))
            after = describe_column_value(form.cleaned_data.get(name, ""))
            line_by_field[name] = [label, before, after]
    return list(line_by_field.values())


class AddAccountForm(UserCreationForm):
    """A new account. Its password is typed twice or not at all, and then its owner sets one by a link."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].required = False
        self.fields["password2"].required = False

    def clean_password1(self) -> str | None:
        """Return the password, or None, which stands for no password."""
        return self.cleaned_data["password1"] or None

    def clean_password2(self) -> str:
        # Django's form compares the two afterwards.
        password = self.cleaned_data.get("password1", "")
        repeated = self.cleaned_data.get("password2", "")
        if bool(password) != bool(repeated):
            raise ValidationError("Enter the password in both fields, or in neither.")
        return str(repeated)


class RoleFilter(admin.SimpleListFilter):
    """Accounts by their role, as the list names it."""

    title = parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        roles = Group.objects.order_by("name").values_list("name", flat=True)
        return [(role, role) for role in ("superuser", *roles, "none")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        role = self.value()
        if role is None:
            return queryset
        if role == "superuser":
            return queryset.filter(is_superuser=True)
        if role == "none":
            return queryset.filter(groups=None, is_superuser=False)
        return queryset.filter(groups__name=role)


@admin.register(User)
class AccountAdmin(AuditedAdmin, UserAdmin):
    """Accounts. An administrator who is not a superuser gives roles, and cannot change accounts with more
    permissions. Roles that the form does not offer to its user stay with the account."""

    noun = "account"
    add_form = AddAccountForm
    add_form_template = "admin/change_form.html"
    list_display = ("username", "email", "roles", "is_active", "last_login")
    list_filter = (RoleFilter, "is_active")
    prefetched_relations = ("groups",)
    filter_horizontal = ("user_permissions",)
    readonly_fields = ("last_login",)
    add_fieldsets = (
        (None, {"fields": ("username", "email", "groups")}),
        (
            "Password",
            {
                "description": "Leave both empty to invite the owner: they get a link to set a password.",
                "fields": ("password1", "password2"),
            },
        ),
    )
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
        if user.is_superuser:
            names.insert(0, "superuser")
        return ", ".join(names) or "none"

    def describe_addition(self, row: Any) -> str:
        roles = self.roles(row)
        if roles == "none":
            return f"“{row}” was added. Role: none, so it cannot open the admin yet."
        return f"“{row}” was added as {roles}."

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        response = super().response_add(request, obj, post_url_continue)
        if not obj.has_usable_password():
            self.mail_or_show_password_link(request, obj)
        return response

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may change an account: never one that may do more than the user."""
        if not super().has_change_permission(request, obj):
            return False
        user: Any = request.user
        if obj is None or user.is_superuser:
            return True
        # A user who could set the password of a stronger account would get its permissions.
        permission_ids = user_permissions(user).values("pk")
        has_more = user_permissions(obj).exclude(pk__in=permission_ids).exists()
        return not obj.is_superuser and not has_more

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let only superusers delete accounts: the history names them, so they are deactivated instead."""
        return bool(request.user.is_superuser and super().has_delete_permission(request, obj))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        # The third set, "Advanced" with single permissions, is for superusers only.
        return fieldsets if request.user.is_superuser else fieldsets[:2]

    def formfield_for_manytomany(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs |= {
                "queryset": grantable_roles(request.user),
                "widget": CheckboxSelectMultiple(),
                "label": "Roles",
                "help_text": "An account without a role cannot open the admin.",
            }
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    actions = ("send_link", "turn_two_factor_off")

    @admin.action(description="Give a link to set a password", permissions=["change"])
    def send_link(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
        for account in accounts:
            self.mail_or_show_password_link(request, account)

    def mail_or_show_password_link(self, request: HttpRequest, account: User) -> None:
        """Mail the owner of an account a link to set a password, or show the link to be passed on."""
        if not self.has_change_permission(request, account):
            self.message_user(
                request, f"No link for {account}, who may do more than you.", messages.WARNING
            )
            return
        if not settings.EMAIL_URL:
            self.show_password_link(request, account)
            return
        problem = mail_password_link_and_return_problem(request, account)
        if problem:
            self.message_user(
                request, f"No link was sent to {account}: {problem}.", messages.WARNING
            )
        else:
            self.message_user(request, f"A link was sent to {account.email}.")

    def show_password_link(self, request: HttpRequest, account: User) -> None:
        record_password_link(request.user, account)
        self.message_user(
            request,
            f"This site sends no mail. Pass this link on to {account}: {password_link(request, account)} "
            "It sets the password once, within three days.",
        )

    @admin.action(description="Turn two-factor login off", permissions=["change"])
    def turn_two_factor_off(self, request: HttpRequest, accounts: QuerySet[User]) -> None:
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
        """Save the roles of an account, and who may open the admin. Roles that the form could not show stay."""
        account = form.instance
        # Read before saving, which leaves only the roles that the form offers.
        hidden_roles = list(account.groups.exclude(pk__in=grantable_roles(request.user)))
        super().save_related(request, form, formsets, change)
        account.groups.add(*hidden_roles)
        update_staff_flag(account)


@admin.register(Group)
class RoleAdmin(AuditedAdmin, GroupAdmin):
    """Roles and their permissions."""

    noun = "role"
    list_display = ("name",)
