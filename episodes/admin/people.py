"""Users and their roles: an administrator makes curators, but nobody who may more than the administrator."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from .base import SafeAdmin

admin.site.unregister(User)
admin.site.unregister(Group)


def grantable(user: Any) -> QuerySet[Group]:
    """The roles that a user may give: those that can do nothing the user cannot."""
    groups: QuerySet[Group] = Group.objects.order_by("name")
    if user.is_superuser:
        return groups
    held = Permission.objects.filter(group__user=user) | Permission.objects.filter(user=user)
    beyond = Permission.objects.exclude(pk__in=held.values("pk"))
    return groups.exclude(permissions__in=beyond)


@admin.register(User)
class AccountAdmin(SafeAdmin, UserAdmin):
    """Accounts. Who is no superuser sets up accounts through roles alone, and leaves those alone that may more."""

    list_display = ("username", "email", "roles", "is_staff", "is_superuser", "is_active", "last_login")
    list_filter = ("groups", "is_staff", "is_superuser", "is_active")
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "usable_password", "password1", "password2")}),
        ("May", {"fields": ("is_staff", "groups")}),
    )
    own_fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Personal info", {"fields": ("first_name", "last_name", "email")}),
        ("May", {"fields": ("is_active", "is_staff", "groups")}),
        ("Important dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        rows: QuerySet[User] = super().get_queryset(request)
        return rows.prefetch_related("groups")

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all()))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if not super().has_change_permission(request, obj):
            return False
        me: Any = request.user
        if obj is None or me.is_superuser:
            return True
        return not obj.is_superuser and self._granted(obj) <= self._granted(me)

    @staticmethod
    def _granted(user: Any) -> set[Any]:
        """The permissions of somebody, active or not."""
        held = Permission.objects.filter(group__user=user) | Permission.objects.filter(user=user)
        return set(held.values_list("pk", flat=True))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The history names accounts, so they are deactivated, not deleted."""
        return bool(request.user.is_superuser and super().has_delete_permission(request, obj))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not request.user.is_superuser:
            return self.own_fieldsets
        return super().get_fieldsets(request, obj)

    def formfield_for_manytomany(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs["queryset"] = grantable(request.user)
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_related(self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool) -> None:
        """Roles that the form could not show stay."""
        kept = list(form.instance.groups.exclude(pk__in=grantable(request.user))) if change else []
        super().save_related(request, form, formsets, change)
        form.instance.groups.add(*kept)


@admin.register(Group)
class RoleAdmin(SafeAdmin, GroupAdmin):
    """Roles with what they may and how many have them."""

    list_display = ("name", "people")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        rows: QuerySet[Group] = super().get_queryset(request)
        return rows.annotate(people_count=Count("user"))

    @admin.display(description="people", ordering="people_count")
    def people(self, group: Any) -> int:
        return int(group.people_count)
