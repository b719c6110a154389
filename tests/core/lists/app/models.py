"""A person with nullable columns of each type, a team (to one), labels (to many), and typed custom values."""

from __future__ import annotations

from django.db import models

from core.ids import ObjectIdField, new_id


class Team(models.Model):
    id = ObjectIdField(primary_key=True, default=new_id)
    name = models.TextField()

    def __str__(self) -> str:
        return self.name


class Label(models.Model):
    id = ObjectIdField(primary_key=True, default=new_id)
    name = models.TextField()

    def __str__(self) -> str:
        return self.name


class Person(models.Model):
    id = ObjectIdField(primary_key=True, default=new_id)
    name = models.TextField()
    created_at = models.DateTimeField()
    email = models.TextField(null=True)
    age = models.IntegerField(null=True)
    score = models.DecimalField(null=True, max_digits=40, decimal_places=10)
    weight = models.FloatField(null=True)
    active = models.BooleanField(null=True)
    born = models.DateTimeField(null=True)
    team = models.ForeignKey(Team, null=True, on_delete=models.SET_NULL, related_name="people")
    labels = models.ManyToManyField(Label, related_name="people")

    class Meta:
        indexes = [
            models.Index(fields=["created_at", "id"], name="person_created"),
            models.Index(fields=["created_at", "name", "id"], name="person_created_name"),
            models.Index(fields=["age", "id"], name="person_age"),
        ]

    def __str__(self) -> str:
        return self.name


class PersonValue(models.Model):
    field_id = models.CharField(max_length=24, db_collation="C")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="values_of_fields", db_index=False)
    position = models.PositiveSmallIntegerField(default=0)
    text = models.TextField(null=True)
    number = models.DecimalField(null=True, max_digits=40, decimal_places=10)
    time = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["field_id", "number", "person"], include=["position"], name="value_number"),
            models.Index(fields=["field_id", "time", "person"], include=["position"], name="value_time"),
            models.Index(fields=["field_id", "text", "person"], include=["position"], name="value_text"),
        ]
        constraints = [models.UniqueConstraint(fields=["person", "field_id", "position"], name="value_person")]

    def __str__(self) -> str:
        return f"{self.field_id} of {self.person_id}"
