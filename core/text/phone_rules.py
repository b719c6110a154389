"""Rules of countries for phone numbers, from the tables of phonenumbers, in the form that reads them fast."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import phonenumbers
from phonenumbers import PhoneMetadata


@dataclass(frozen=True, slots=True)
class CountryRules:
    """Rules of a calling code that quickly decide whether digits are a national significant number."""

    lengths: frozenset[int]
    prefixed: re.Pattern[str]
    """Matches digits that may begin with a prefix."""
    trunk: str
    """The prefix of national calls, if it is plain digits (0 in Germany)."""
    viable: re.Pattern[str]
    """Matches the digits that a number of the country may have."""
    in_use: re.Pattern[str]
    """Matches the digits of numbers in its ranges in use."""

    def is_plainly_national(self, digits: str) -> bool:
        """Return whether digits without a dial prefix can only be a number within the country."""
        return digits.startswith("0") if self.trunk == "0" else bool(self.viable.fullmatch(digits))

    def national(self, digits: str) -> str | None:
        """Return the national significant number, or None if it is ambiguous."""
        if not self.prefixed.match(digits):
            return digits if len(digits) in self.lengths else None
        rest = digits[len(self.trunk) :]
        if (
            self.trunk
            and digits.startswith(self.trunk)
            and len(rest) in self.lengths
            and rest[0] != "0"
            and not self.viable.fullmatch(digits)
        ):
            return rest
        return None


def trunk_prefix(country: str) -> str:
    """Return the digits in front of the area code in calls within a country (0 in Germany); empty for none."""
    metadata = PhoneMetadata.metadata_for_region(country) if country else None
    return metadata.national_prefix or "" if metadata is not None else ""


@lru_cache(maxsize=512)
def main_code(region: str) -> str:
    """Return the dial prefix of a country if it is the main one that has it; empty for any other."""
    code = phonenumbers.country_code_for_region(region) if region else 0
    return f"+{code}" if code and phonenumbers.region_code_for_country_code(code) == region else ""


@lru_cache(maxsize=512)
def rules_of(code: int) -> CountryRules | None:
    """Return the rules of a calling code's main country, if there is one."""
    region = phonenumbers.region_code_for_country_code(code)
    if region == "ZZ":
        return None
    metadata = (
        PhoneMetadata.metadata_for_nongeo_region(code) if region == "001" else PhoneMetadata.metadata_for_region(region)
    )
    if metadata is None:
        return None
    prefix, general = metadata.national_prefix_for_parsing, metadata.general_desc
    if general is None:
        return None
    trunk = prefix.partition("|")[0] if prefix and "(" not in prefix else ""
    return CountryRules(
        lengths=frozenset(general.possible_length),
        # A leading zero or calling code may belong to the number or not: only the library knows.
        prefixed=re.compile(f"(?:0|{code}|{prefix})" if prefix else f"(?:0|{code})", re.ASCII),
        trunk=trunk if trunk.isdigit() and not metadata.national_prefix_transform_rule else "",
        viable=re.compile(general.national_number_pattern or "", re.ASCII),
        in_use=re.compile("|".join(_ranges(metadata)), re.ASCII),
    )


def _ranges(metadata: PhoneMetadata) -> list[str]:
    """Return the patterns of a country's numbers of all types."""
    types = (
        *(metadata.fixed_line, metadata.mobile, metadata.toll_free, metadata.premium_rate, metadata.shared_cost),
        *(metadata.personal_number, metadata.voip, metadata.pager, metadata.uan, metadata.voicemail),
    )
    return [
        f"(?:{description.national_number_pattern})"
        for description in types
        if description and description.national_number_pattern
    ]
