"""Filters of lists that curators keep under a name."""

from typing import cast

from ..models import SavedFilter
from .history import AnyUser, InvalidChange, open_change_recorder, row_history_key


def save_filter_for_all_curators(user: AnyUser, list_name: str, query: str, name: str) -> None:
    """Store a filter of a list, such as the query `year=2021` of the list of episodes, under a name.

    Raises:
        InvalidChange: it has a name already, or the address of the list is too long to keep.
    """
    max_length = cast(int, SavedFilter._meta.get_field("query").max_length)
    if len(query) > max_length:
        raise InvalidChange("This filter is too long to be saved.")
    history_key = f"saved filter:{list_name}"
    with open_change_recorder(user, "save filter", name, history_key, podcasts=[]) as recorder:
        if find_saved_filter(list_name, query):
            raise InvalidChange("This filter has a name already.")
        recorder.save(SavedFilter(name=name, list_name=list_name, query=query))
        recorder.describe("saved filter", "", name)


def forget_filter(user: AnyUser, saved: SavedFilter) -> None:
    history_key = row_history_key(saved)
    with open_change_recorder(
        user, "delete saved filter", saved.name, history_key, podcasts=[]
    ) as recorder:
        recorder.describe("saved filter", saved.name, "")
        recorder.delete(saved)


def find_saved_filter(list_name: str, query: str) -> SavedFilter | None:
    return SavedFilter.objects.filter(list_name=list_name, query=query).first()
