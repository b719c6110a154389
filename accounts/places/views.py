"""Endpoints of places and time zones (contract 4.11)."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from accounts.places import data as places
from accounts.places.serializers import Places, Timezones
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.text.timezones import offsets
from core.types import JsonObject

COUNTRY = OpenApiParameter("country", str, description="ISO 3166-1 code or name, whatever the case.")
STATE = OpenApiParameter("state", str, description="ISO 3166-2 code or name, whatever the case; only with country.")


def _country(country: places.Country) -> JsonObject:
    return {
        "name": country.name,
        "native": country.native,
        "iso2": country.iso2,
        "iso3": country.iso3,
        "phoneCode": f"+{country.phone_code}",
        "currency": country.currency,
        "flag": country.emoji,
        "timezones": country.timezones,
    }


def _state(state: places.State) -> JsonObject:
    return {"name": state.name, "native": state.native, "code": state.code, "type": state.type}


class PlaceViewSet(ResourceViewSet):
    private = True
    singleton = True
    every_method = True

    @endpoint(
        "List countries, states or cities",
        output=Places,
        parameters=(COUNTRY, STATE),
        errors=("CountryNotFound_400", "StateNotFound_400"),
        description="Without country: `countries`. With it: `country` and its `states`. With both: also `state` and"
        " its `cities`."
        " Every method answers the same.",
    )
    def retrieve(self, request: Request) -> object:
        country_text, state_text = request.query_params.get("country", ""), request.query_params.get("state", "")
        if not country_text:
            if state_text:
                raise NamedError("CountryNotFound_400", "choose the country too", field="country")
            return {"countries": [_country(country) for country in places.countries()]}
        country = places.find_country(country_text)
        if not state_text:
            return {"country": _country(country), "states": [_state(state) for state in places.states(country.iso2)]}
        state = places.find_state(country, state_text)
        names = places.cities(country.iso2, state.code)
        return {"country": _country(country), "state": _state(state), "cities": [{"name": name} for name in names]}


class TimezoneViewSet(ResourceViewSet):
    private = True
    singleton = True

    @endpoint(
        "List time zones",
        output=Timezones,
        parameters=(COUNTRY,),
        errors=("CountryNotFound_400",),
        description="Those of the tz database, from west to east; with `country` those of its places.",
    )
    def retrieve(self, request: Request) -> object:
        country = request.query_params.get("country", "")
        names = set(places.find_country(country).timezones) if country else None
        zones = (zone for zone in offsets(timezone.now()) if names is None or zone.name in names)
        return {"timezones": [{"name": zone.name, "offset": zone.minutes, "label": zone.label} for zone in zones]}
