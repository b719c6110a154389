"""outreach.messaging.delivery.unsubscribing.tokens: tokens that name a person and can't be made by anybody else."""

import pytest

from outreach.messaging.delivery.unsubscribing.tokens import InvalidToken, Unsubscriber, link, make_token, read_token

WHO = Unsubscriber("a" * 24, "b" * 24, "c" * 24)


def test_a_token_names_its_person() -> None:
    assert read_token(make_token(WHO)) == WHO


def test_the_link_fits_a_header() -> None:
    address = link("https://leads.example.com/", WHO)
    assert address == f"https://leads.example.com/api/public/unsubscribe/{make_token(WHO)}"
    assert len(address) < 200


@pytest.mark.parametrize("token", ["", ":", "x", "a" * 72, "a" * 72 + ":", "é:é", "\x00:\x00"])
def test_what_was_not_made_here_is_refused(token: str) -> None:
    with pytest.raises(InvalidToken):
        read_token(token)


def test_each_changed_character_is_noticed() -> None:
    token = make_token(WHO)
    for place in range(len(token)):
        other = "x" if token[place] != "x" else "y"
        with pytest.raises(InvalidToken):
            read_token(token[:place] + other + token[place + 1 :])


def test_only_ids_are_signed() -> None:
    with pytest.raises(ValueError, match="three ids"):
        make_token(Unsubscriber("a", "b" * 24, "c" * 24))
