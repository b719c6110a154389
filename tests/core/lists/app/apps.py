from django.apps import AppConfig


class ListsTestConfig(AppConfig):
    name = "tests.core.lists.app"
    label = "lists_test"
