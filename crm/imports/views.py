"""Endpoints of the imports of contacts, leads and organizations (contract 4.3, 4.4)."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, PermissionLacking
from core.types import JsonObject
from crm.bulk_jobs.serializers import BulkJobOut, BulkJobUndo, job_answer
from crm.contacts.rights import ContactRights
from crm.files.models import File
from crm.files.selectors import readable_files
from crm.files.serializers import FileOut
from crm.imports.check import MAX_ERRORS, MAX_ROWS, check_import
from crm.imports.columns.fields import add_fields
from crm.imports.filters import ERROR_FIELDS, IMPORT_FIELDS
from crm.imports.input_serializers import (
    ColumnFieldsInput,
    ImportCreate,
    ImportMend,
    ImportUpdate,
    LeadImportCreate,
    OrganizationImportCreate,
)
from crm.imports.models import Import, ImportRowError
from crm.imports.rows.corrections import mend_rows
from crm.imports.rows.row_errors import errors_csv, with_holders
from crm.imports.serializers import (
    FileWithImport,
    ImportChecked,
    ImportDetail,
    ImportMended,
    ImportOut,
    ImportUndoing,
    RowErrorOut,
)
from crm.imports.services import create_import, delete_imports, find_import, live_imports, update_import
from crm.imports.undo import changed_contacts, undo_import, undoing_of

FIRST_ERRORS = 100
CREATE = (
    "Answers the File with the import nested in it. Unless pauseImport is false the import waits to be started by"
    " PUT.\nA columnMapping that is left empty is proposed. A large file is read by a worker: the status is queued,"
    " and total null, until then.\nColumns go to {fields}, custom fields by their uniqueFieldID, firstName and"
    " lastName (which make the name), areaCode (which goes in front of the number in the next column\nthat is mapped"
    " to number), tags (names, separated by\ncommas; made when missing), category (a name that"
    " exists), organization (a name; made when missing, as by the text field of the company) and _id (the record that"
    " the row updates, or that it is\nskipped for). Several columns may go to number"
    " and to email: the first valid value in the file's order counts, and the others are\nkept in custom fields of the"
    " columns' names, which are made when the import starts and take custom-field.POST. Of an import that\nis made in a"
    " session the rows count against the plan's limits: those beyond them fail with PlanLimitExceeded_403."
)
OF_PEOPLE = "name, email, countryCode, number"
OF_CONTACTS = f"{OF_PEOPLE}, owner (an address or a name)"
OF_LEADS = (
    f"{OF_PEOPLE} (by which the row's contact is found or made), status, source, value, notes, productServices"
    " (names, separated\nby commas), team (a name), teamMember (an address or a name)"
)
OF_ORGANIZATIONS = "name, domain, owner (an address or a name)"
CREATE_ERRORS = (
    *("EmptyFile_400", "FileNotFound_400", "NoRowsInFile_400", "RowFromGreaterThanRowTo_400", "RowFromOutOfRange_400"),
    *("InvalidMapping_400", "UnsupportedFileType_400", "InvalidDataFormat_400", "ImportFileFetchFailed_400"),
    *("TagNotFound_400", "ContactCategoryNotFound_400"),
)
RANGE_ERRORS = ("NoRowsInFile_400", "RowFromGreaterThanRowTo_400", "RowFromOutOfRange_400")


def detail(job: Import, actor: Actor) -> JsonObject:
    """Return the import as its detail page shows it to the actor."""
    import_detail = ImportDetail.one(Import.objects.filter(pk=job.pk)) or {}
    rows = ImportRowError.objects.filter(job=job).order_by("skipped", "row", "id")  # what failed comes first
    errors = RowErrorOut.project(with_holders(rows, may_read=ContactRights.of(actor).read))[:FIRST_ERRORS]
    import_detail["rowErrors"] = [RowErrorOut.render(row) for row in errors]
    return import_detail


def import_list(import_type: str) -> Listing:
    """Return the list of the imports of one type."""
    return Listing("List imports", partial(live_imports, import_type), IMPORT_FIELDS, ImportOut)


def error_list(import_type: str) -> Any:
    """Return the list of the row errors of an import, as an action for the ViewSet of the type."""

    def rows(list_request: ListRequest) -> QuerySet[ImportRowError]:
        errors = ImportRowError.objects.filter(job=find_import(list_request.path["id"], import_type))
        return with_holders(errors, may_read=ContactRights.of(list_request.actor).read)

    listing = Listing(
        "List the row errors of an import", rows, ERROR_FIELDS, RowErrorOut, errors=("ImportNotFound_400",)
    )
    return list_action(listing, url_path="errors", detail=True)


class ImportViewSet(ResourceViewSet, abstract=True):
    """Shared parts of the imports of contacts, leads and organizations."""

    module: ClassVar[str]
    import_type: ClassVar[str]

    @endpoint(
        "Delete imports",
        description="By their ids or those of their files. Their records stay, and can still be removed by"
        " POST /:id/undo. An import that is at work stops after its batch.",
        input=SelectionInput,
        bulk=True,
        success="ImportsDeleted_200",
        errors=("ImportNotFound_400",),
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> None:
        deleted = delete_imports(
            selection=self.selection(), member_id=self.actor.member_id, import_type=self.import_type
        )
        if not deleted and not data["select_all"]:
            raise NamedError("ImportNotFound_400", "none of them is an import of this company", field="ids")

    def add(self, data: JsonObject) -> object:
        job = create_import(
            file_id=data["file_id"],
            files=readable_files(self.actor),
            member_id=self.actor.member_id,
            import_type=self.import_type,
            column_mapping=data["column_mapping"],
            options=data["options"],
            tags=data["tags"],
            category_id=data["category"],
            user_enquiry=data["user_enquiry"],
            pause=data["pause_import"],
            automation=data["automation"] != "skip",
            rights=ContactRights.of(self.actor),
            may_create_fields=self.may_create_fields,
        )
        return {**(FileOut.one(File.objects.filter(pk=job.file_id)) or {}), "import": detail(job, self.actor)}

    @endpoint(
        "Read an import",
        description="With progress and the first 100 row errors. The _id of its file finds it too.",
        output=ImportDetail,
        errors=("ImportNotFound_400",),
    )
    def retrieve(self, request: Request, id: str) -> object:
        return detail(find_import(id, self.import_type), self.actor)

    @endpoint(
        "Change, start, pause, resume or cancel an import",
        description="A paused or failed import starts (again) unless pauseImport is true or status says otherwise."
        " Options that are not named stay as they are.",
        input=ImportUpdate,
        output=ImportDetail,
        success="ImportUpdated_200",
        errors=(
            "ImportNotFound_400",
            "ImportAlreadyPaused_400",
            "ImportAlreadyRunning_400",
            "InvalidImportStatus_400",
            *RANGE_ERRORS,
            "InvalidMapping_400",
            "FileNotFound_400",
            "TagNotFound_400",
            "ContactCategoryNotFound_400",
        ),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        job = update_import(
            import_id=id,
            member_id=self.actor.member_id,
            changes=data,
            import_type=self.import_type,
            rights=ContactRights.of(self.actor),
            may_create_fields=self.may_create_fields,
        )
        return detail(job, self.actor)

    @property
    def may_create_fields(self) -> bool:
        return self.actor.is_unbounded or self.actor.may("custom-field", "POST")

    @action(detail=True, methods=["post"])
    @endpoint(
        "Make custom fields for columns of an import",
        input=ColumnFieldsInput,
        output=ImportDetail,
        success="ImportUpdated_200",
        errors=(
            *("ImportNotFound_400", "InvalidImportStatus_400", "InvalidMapping_400", "InvalidInput_400"),
            *("CustomFieldNameAlreadyExists_400", "UnauthorizedAction_403"),
        ),
        description="Each of the columns goes to the custom field of its name and type (proposedFields) from now on."
        " Fields that are missing are made, which takes custom-field.POST. Where another field has the name, a name"
        " that was given is refused, and the column's own gets a number. The import must be paused or have failed.",
    )
    def fields(self, request: Request, id: str, data: JsonObject) -> object:
        if not self.may_create_fields:
            raise PermissionLacking("custom-field.POST")
        job = add_fields(
            import_id=id,
            import_type=self.import_type,
            member_id=self.actor.member_id,
            columns=data["columns"],
        )
        return detail(job, self.actor)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Check an import before it starts",
        output=ImportChecked,
        success="ImportChecked_200",
        errors=(
            *("ImportNotFound_400", "InvalidImportStatus_400", "InvalidMapping_400", "UnsupportedFileType_400"),
            *("InvalidDataFormat_400", "ImportFileFetchFailed_400"),
        ),
        description=f"What the next rows of a paused or failed import would do, at most {MAX_ROWS:,} of them, and what"
        f" is wrong in the first {MAX_ERRORS} that\nhave something, failed ones first. Nothing is written: no record,"
        " tag, event or progress.",
    )
    def check(self, request: Request, id: str) -> object:
        checked = check_import(
            id=id,
            import_type=self.import_type,
            rights=ContactRights.of(self.actor),
            may_create_fields=self.may_create_fields,
        )
        self.page_notes = {"kinds": checked.kinds}
        return {
            **{name: getattr(checked, name) for name in ("rows", "created", "updated", "skipped", "failed")},
            "noRecords": checked.no_records,
            "unknownValues": checked.unknown,
            "rowErrors": checked.problems,
        }

    @action(detail=True, methods=["post"])
    @endpoint(
        "Mend rows of an import",
        input=ImportMend,
        output=ImportMended,
        success="ImportRowsMended_200",
        errors=("ImportNotFound_400", "InvalidImportStatus_400", "InvalidMapping_400"),
        description="Writes rows that failed or were skipped, with corrected values, by the import's mapping and"
        " options; undoing the import takes them\nback too. A row that is written leaves the row errors and changes the"
        " import's counts; one that is still wrong stays there with the\nvalues that were sent. A request that is"
        " repeated writes nothing twice: its rows are among `left` then. Not while the import is queued\nor running,"
        " and not once it is being undone.",
    )
    def mend(self, request: Request, id: str, data: JsonObject) -> object:
        mended = mend_rows(
            id=id,
            import_type=self.import_type,
            rows=data["rows"],
            actor_id=self.actor.member_id,
            rights=ContactRights.of(self.actor),
        )
        errors = RowErrorOut.project(with_holders(mended.errors, may_read=ContactRights.of(self.actor).read))
        return {
            **{name: getattr(mended, name) for name in ("rows", "created", "updated", "skipped", "failed", "left")},
            "rowErrors": [RowErrorOut.render(row) for row in errors],
        }

    @action(detail=True, methods=["post"])
    @endpoint(
        "Undo an import",
        input=BulkJobUndo,
        output=BulkJobOut,
        success="ImportUndoStarted_201",
        errors=("ImportNotFound_400", "InvalidImportStatus_400", "InvalidRequest_400", "UnauthorizedAction_403"),
        description="For 30 days after its start. A bulk job, which is answered, deletes what the import made, unless"
        " somebody has changed it since, and gives back what it updated as POST /bulk-job/:id/undo does; contacts that"
        " it made stay where leads refer to them. Tags that it made stay. An import that was deleted can be undone too."
        " It takes the right to delete, and for contacts that an import of leads made or changed contact.DELETE or"
        " contact.PUT.",
    )
    def undo(self, request: Request, id: str, data: JsonObject) -> object:
        record = find_import(id, self.import_type, deleted=True)
        for module, method in ((self.module, "DELETE"), *(("contact", each) for each in changed_contacts(record))):
            if not (self.actor.is_unbounded or self.actor.may(module, method)):
                raise PermissionLacking(f"{module}.{method}")
        job = undo_import(
            id=record.pk,
            import_type=self.import_type,
            actor_id=self.actor.member_id,
            automation=data["automation"] != "skip",
        )
        return job_answer(job.pk)

    @undo.mapping.get
    @endpoint(
        "Read what undoes an import",
        output=ImportUndoing,
        errors=("ImportNotFound_400",),
        description="And what is left of the import; once it is undone, also the fields that are empty now.",
    )
    def undoing(self, request: Request, id: str) -> object:
        outcome = undoing_of(find_import(id, self.import_type, deleted=True))
        return {
            "job": None if outcome.job is None else job_answer(outcome.job.pk),
            "createdLeft": outcome.created_left,
            "emptyFields": [{"_id": field.pk, "name": field.name} for field in outcome.empty_fields],
        }

    @action(detail=True, url_path="errors.csv")
    @endpoint(
        "Download the failed and skipped rows of an import",
        description="The original columns, the row's number and what is wrong with it: mend the rows and import the"
        " file again.",
        raw="text/csv",
        errors=("ImportNotFound_400",),
    )
    def download_errors(self, request: Request, id: str) -> object:
        job = find_import(id, self.import_type)
        response = StreamingHttpResponse(
            errors_csv(job, may_read=ContactRights.of(self.actor).read), content_type="text/csv; charset=utf-8"
        )
        response["Content-Disposition"] = f'attachment; filename="import-{job.pk}-errors.csv"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


class ContactImportViewSet(ImportViewSet):
    module = "contact"
    import_type = Import.Type.CONTACT
    listing = import_list(Import.Type.CONTACT)
    errors = error_list(Import.Type.CONTACT)

    @endpoint(
        "Import contacts from an uploaded file",
        description=CREATE.format(fields=OF_CONTACTS),
        input=ImportCreate,
        output=FileWithImport,
        success="ImportCreated_201",
        errors=CREATE_ERRORS,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.add(data)


class LeadImportViewSet(ImportViewSet):
    module = "lead"
    import_type = Import.Type.LEAD
    listing = import_list(Import.Type.LEAD)
    errors = error_list(Import.Type.LEAD)

    @endpoint(
        "Import leads from an uploaded file",
        description=CREATE.format(fields=OF_LEADS),
        input=LeadImportCreate,
        output=FileWithImport,
        success="ImportCreated_201",
        errors=CREATE_ERRORS,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.add(data)


class OrganizationImportViewSet(ImportViewSet):
    module = "contact"
    import_type = Import.Type.ORGANIZATION
    listing = import_list(Import.Type.ORGANIZATION)
    errors = error_list(Import.Type.ORGANIZATION)

    @endpoint(
        "Import organizations from an uploaded file",
        description=CREATE.format(fields=OF_ORGANIZATIONS),
        input=OrganizationImportCreate,
        output=FileWithImport,
        success="ImportCreated_201",
        errors=CREATE_ERRORS,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.add(data)
