"""Filters of the admin's lists that curators keep under a name."""

from django.db import models


class SavedFilter(models.Model):
    """A filter of a list of the admin, with its name. The start page counts its rows."""

    name = models.CharField(max_length=80)
    list_name = models.CharField("list", max_length=40, help_text="The model of the list.")
    query = models.CharField(
        max_length=1000, help_text="The query of the list's address, in one order."
    )

    class Meta:
        ordering = ("list_name", "name")
        constraints = (
            models.UniqueConstraint(fields=("list_name", "query"), name="saved_filter_once"),
        )

    def __str__(self) -> str:
        return self.name
