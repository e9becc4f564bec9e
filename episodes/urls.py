"""The public addresses (contract.md: Addresses); they only grow."""

urlpatterns = []
