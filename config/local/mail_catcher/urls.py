"""Addresses of the page of caught mails, to be included at mails/."""

from django.urls import path

from config.local.mail_catcher import views

app_name = "catcher"
urlpatterns = [
    path("", views.mail_list, name="list"),
    path("<slug:mail_id>", views.mail_detail, name="detail"),
    path("<slug:mail_id>/html", views.mail_html, name="html"),
    path("<slug:mail_id>/raw", views.mail_raw, name="raw"),
]
