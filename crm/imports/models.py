from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel, Job
from core.tenancy.models import MADE_BY_MEMBER
from core.text.translation import gettext_lazy as _

MAX_ENQUIRY = 1000


class Import(Job):
    """An import of the rows of an uploaded file. Progress commits with its batch; a worker continues at `next_row`."""

    seen_by = MADE_BY_MEMBER

    class Type(models.TextChoices):
        CONTACT = "contact"
        LEAD = "lead"
        ORGANIZATION = "organization"

    import_type = models.CharField(max_length=16, choices=Type, default=Type.CONTACT)
    file = CompanyForeignKey("crm.File", on_delete=models.PROTECT, related_name="imports")
    headers = JSONField(default=list)
    sample = JSONField(default=list, help_text="The first rows, as they were read.")
    first_rows = JSONField(
        default=list, db_default=models.Value([], models.JSONField()), help_text="The file's first rows: {row, cells}."
    )
    detected = JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        help_text="How the file is read, in the names of the API.",
    )
    column_mapping = JSONField(default=dict, help_text="Column header -> field key.")
    columns = JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        help_text="What each column holds, in their order: {filled, several, fieldType, valueType, options}.",
    )
    kept_columns = JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        help_text="Column that feeds a field after others -> key of the custom field that keeps its further values.",
    )
    options = JSONField(
        default=dict, help_text="What the caller asked for, in the names of the API (crm.imports.options)."
    )
    tags = JSONField(default=list, help_text="Ids of tags that every row gets.")
    category = CompanyForeignKey("crm.ContactCategory", on_delete=models.SET_NULL, null=True, related_name="+")
    user_enquiry = models.BooleanField(null=True)
    user_enquiry_text = models.CharField(
        max_length=MAX_ENQUIRY, blank=True, default="", db_default="", help_text="An enquiry that was sent as text."
    )
    automation = models.BooleanField(default=True)
    automation_queued = models.BooleanField(
        null=True, help_text="Workflows start behind what happens now; null: if there are many records."
    )
    limited = models.BooleanField(
        default=False, help_text="Made in a session, so that the plan's limits hold for its rows."
    )
    may_create_contacts = models.BooleanField(
        default=True, db_default=True, help_text="Whoever started an import of leads may create contacts."
    )
    may_change_contacts = models.BooleanField(
        default=True, db_default=True, help_text="Whoever started an import of leads may change contacts."
    )
    may_create_fields = models.BooleanField(
        default=True, db_default=True, help_text="Whoever started the import may create custom fields."
    )
    header_row = models.PositiveIntegerField(
        null=True, help_text="Row of the headers; null until the file has been read."
    )
    last_row = models.PositiveIntegerField(null=True, help_text="Row of the file's last record.")
    row_count = models.PositiveIntegerField(null=True, help_text="Records in the file, whatever rowFrom and rowTo say.")
    next_row = models.PositiveIntegerField(default=0, help_text="Row of the file to go on with; 0 before the first.")
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    rate = models.FloatField(null=True, help_text="Rows a second, smoothed over the last batches.")
    is_deleted = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(Job.Meta):
        indexes = [
            models.Index(fields=("due_at",), condition=models.Q(status="queued"), name="import_due"),
            models.Index(fields=("status",), condition=models.Q(status="running"), name="import_running"),
            models.Index(fields=("company", "-created_at", "id"), name="import_newest"),
        ]

    def __str__(self) -> str:
        return str(self.file)

    @property
    def enquiry(self) -> bool | str | None:
        """Return the value that was sent as userEnquiry."""
        return self.user_enquiry_text or self.user_enquiry

    @enquiry.setter
    def enquiry(self, value: bool | str | None) -> None:
        self.user_enquiry_text = value if isinstance(value, str) else ""
        self.user_enquiry = None if isinstance(value, str) else value


class ImportRowError(CompanyModel):
    """The reason why a row of the file failed, was skipped or lost a value."""

    job = CompanyForeignKey(Import, on_delete=models.CASCADE, related_name="row_errors", db_index=False)
    row = models.PositiveIntegerField(help_text="Row number in the file, as a person counts: the header is 1.")
    column = models.CharField(max_length=300, blank=True)
    code = models.CharField(max_length=64)
    message = models.CharField(max_length=1000)
    skipped = models.BooleanField(default=False, db_default=False, help_text="The row's record existed.")
    failed = models.BooleanField(
        default=False, db_default=False, help_text="The row was refused; with corrected values it can still be written."
    )
    existing_id = ObjectIdField(null=True, help_text="The record that existed.")
    values = JSONField(default=list, help_text="The row's cells as they were read, to mend and send again.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("import problem")
        verbose_name_plural = _("import problems")
        indexes = [models.Index(fields=("job", "row", "id"), name="importrowerror_row")]

    def __str__(self) -> str:
        return f"Row {self.row}: {self.column}" if self.column else f"Row {self.row}"
