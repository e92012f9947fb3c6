"""Dice: the function and its published vectors, scripts, and what each source does."""

from __future__ import annotations

import hmac
from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegame import dice
from dicegame.errors import DiceError

SEED = bytes(range(32))
KEYS = st.binary(min_size=32, max_size=32)
SEATS = st.integers(0, 7)
TURNS = st.integers(0, 2**32 - 1)
ROLLS = st.integers(0, 2**16 - 1)


# The test vectors of the contract


def test_the_key_and_the_commitment_of_a_stream() -> None:
    key = dice.stream_key(SEED, 7)
    assert key.hex() == "0d1501e16604a7a1577079c506d56f3745d84e876346b2025feffe4875f6c3e0"
    assert dice.commitment(key) == "7e1a3559430945761a534fd96668f246ec44ad21a62341a107b136e4bc18f7ab"


def test_the_commitment_of_a_seed() -> None:
    assert dice.commitment(SEED) == "838e0761cbb4e9ee9b8331cc387504261860c7e1fb7a786a0f29d87c7833ba66"


@pytest.mark.parametrize(
    ("stream", "seat", "turn", "number", "rolled"),
    [
        (7, 0, 0, 0, (6, 3, 2, 6, 5, 4)),
        (7, 1, 0, 0, (1, 1, 3, 1, 1, 1)),
        (7, 0, 3, 2, (4, 2, 6, 5)),
        (8, 0, 0, 0, (4, 6, 1, 1, 2, 5)),
    ],
)
def test_rolls(stream: int, seat: int, turn: int, number: int, rolled: tuple[int, ...]) -> None:
    key = dice.stream_key(SEED, stream)
    assert dice.roll(key, seat, turn, number, len(rolled)) == rolled
    assert dice.SeededDice(key).roll(seat, turn, number, len(rolled)) == rolled


# The function, a second time from its words


def by_the_words(key: bytes, seat: int, turn: int, number: int, n: int) -> tuple[int, ...]:
    faces: list[int] = []
    block = 0
    while len(faces) < n:
        place = seat.to_bytes(2, "big") + turn.to_bytes(4, "big") + number.to_bytes(2, "big") + block.to_bytes(2, "big")
        faces += [byte % 6 + 1 for byte in sha256(key + place).digest() if byte < 252]
        block += 1
    return tuple(faces[:n])


@given(KEYS, SEATS, TURNS, ROLLS, st.integers(0, 100))
def test_a_roll_is_what_the_words_say(key: bytes, seat: int, turn: int, number: int, n: int) -> None:
    rolled = dice.roll(key, seat, turn, number, n)
    assert rolled == by_the_words(key, seat, turn, number, n)
    assert len(rolled) == n
    assert set(rolled) <= {1, 2, 3, 4, 5, 6}


@given(KEYS, SEATS, TURNS, ROLLS, st.integers(1, 6))
def test_fewer_dice_are_the_first_of_more(key: bytes, seat: int, turn: int, number: int, n: int) -> None:
    assert dice.roll(key, seat, turn, number, n) == dice.roll(key, seat, turn, number, 40)[:n]


@given(st.binary(max_size=64), st.integers(0, 2**64 - 1))
def test_a_stream_s_key_is_what_the_words_say(seed: bytes, stream: int) -> None:
    words = b"dice-stream-v1\0" + stream.to_bytes(8, "big")
    assert dice.stream_key(seed, stream) == hmac.new(seed, words, "sha256").digest()


def test_every_face_comes_from_as_many_bytes_as_every_other() -> None:
    """The only step that could favour a face is that from a byte to a die: it maps 42 bytes to each, and drops four."""
    fair = bytes(range(256)).translate(dice._FACES, dice._UNFAIR)
    assert Counter(fair) == dict.fromkeys(range(1, 7), 42)


def test_the_first_and_the_last_place_can_be_rolled() -> None:
    key = dice.stream_key(SEED, 2**64 - 1)
    assert len(dice.roll(key, 2**16 - 1, 2**32 - 1, 2**16 - 1, 6)) == 6
    assert len(dice.roll(key, 0, 0, 0, 6)) == 6


def test_another_place_or_stream_is_another_roll() -> None:
    """40 dice that are alike by chance: one in 6 ** 40, so each of these is told from all others."""
    places = [(seat, turn, number) for seat in range(4) for turn in range(12) for number in range(8)]
    rolled = {dice.roll(dice.stream_key(SEED, stream), *place, 40) for stream in range(3) for place in places}
    assert len(rolled) == 3 * len(places)


# Seeds


def test_a_text_gives_its_sha_256_as_the_seed() -> None:
    assert dice.seed_from_text("") == sha256(b"").digest()
    assert dice.seed_from_text("kostki") == sha256(b"kostki").digest()
    assert dice.seed_from_text("кости") == sha256("кости".encode()).digest()


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_a_seed_even_one_that_is_no_unicode(text: str) -> None:
    assert len(dice.seed_from_text(text)) == 32


def test_a_new_seed_is_32_bytes_and_never_the_same() -> None:
    seeds = {dice.new_seed() for _ in range(20)}
    assert {len(seed) for seed in seeds} == {32}
    assert len(seeds) == 20


@given(KEYS, SEATS, st.integers(0, 2**32))
def test_a_player_s_seed_is_a_number_of_31_bits(key: bytes, seat: int, rotation: int) -> None:
    assert 0 <= dice.player_seed(key, seat, rotation) <= 2**31 - 1


def test_the_seeds_of_players_differ_by_seat_and_rotation_and_key() -> None:
    keys = [dice.stream_key(SEED, stream) for stream in range(3)]
    seeds = [dice.player_seed(key, seat, rotation) for key in keys for seat in range(8) for rotation in range(8)]
    assert len(set(seeds)) == len(seeds)
    assert max(seeds) > 2**30 > min(seeds)
    assert dice.player_seed(keys[0], 3) == dice.player_seed(keys[0], 3, 0)


def test_a_player_s_seed_tells_nothing_of_the_dice() -> None:
    """It comes from a message authentication code of the key, and not from the bytes that the dice are made of."""
    key = dice.stream_key(SEED, 7)
    words = b"dice-bot-seed-v1\0" + (2).to_bytes(8, "big") + (5).to_bytes(8, "big")
    assert dice.player_seed(key, 2, 5) == int.from_bytes(hmac.new(key, words, "sha256").digest()[:4], "big") // 2


def test_a_commitment_binds_to_the_key() -> None:
    keys = [dice.stream_key(SEED, stream) for stream in range(50)]
    assert len({dice.commitment(key) for key in keys}) == 50
    assert dice.commitment(keys[0]) == sha256(b"dice-commit-v1\0" + keys[0]).hexdigest()


def test_seeded_dice_say_whether_their_seed_could_be_guessed() -> None:
    key = dice.stream_key(SEED, 0)
    assert (dice.SeededDice(key).predictable, dice.SeededDice(key, predictable=True).predictable) == (False, True)
    assert dice.SeededDice(key).kind == "seeded"


# Scripts


@pytest.mark.parametrize(
    ("text", "rolls"),
    [
        ("1 2 3 4 6 6 / 5 5 2", [(1, 2, 3, 4, 6, 6), (5, 5, 2)]),
        ("123466/552", [(1, 2, 3, 4, 6, 6), (5, 5, 2)]),
        ("1,2,3\n4, 5,\t6\r\n1", [(1, 2, 3), (4, 5, 6), (1,)]),
        ("# two rolls / of dice\n1 2 # the first\n\n/ / 3 4 # 9 9\n", [(1, 2), (3, 4)]),
        ("/1/", [(1,)]),
        ("6", [(6,)]),
    ],
)
def test_a_script_is_read(text: str, rolls: list[tuple[int, ...]]) -> None:
    assert dice.parse_script(text) == rolls


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 7", "roll 1 of the dice script: 7 is no face of a die (1 to 6)"),
        ("1 2 / 0", "roll 2 of the dice script: 0 is no face"),
        ("1 2\n3 4\n\n5 x", "roll 3 of the dice script: x is no face"),
        ("1 2; 3", "roll 1 of the dice script: ; is no face"),
        ("-1", "roll 1 of the dice script: - is no face"),
        ("1 ٣", "roll 1 of the dice script: ٣ is no face"),
        ("1\x1b", "roll 1 of the dice script: � is no face"),
        ("", "the dice script is empty"),
        (" / \n # 1 2 3", "the dice script is empty"),
    ],
)
def test_a_script_that_can_not_be_read_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(DiceError) as caught:
        dice.parse_script(text)
    assert said in caught.value.message
    assert caught.value.exit_code == 2
    assert "\x1b" not in caught.value.message


@given(
    st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=8).map(tuple), min_size=1), st.sampled_from([" / ", "\n"])
)
def test_a_script_that_is_written_down_reads_back(rolls: list[tuple[int, ...]], between: str) -> None:
    assert dice.parse_script(between.join(" ".join(map(str, faces)) for faces in rolls)) == rolls


@given(st.text())
def test_any_script_is_rolls_or_a_dice_error(text: str) -> None:
    try:
        rolls = dice.parse_script(text)
    except DiceError:
        return
    assert rolls
    assert all(faces and set(faces) <= set(range(1, 7)) for faces in rolls)


def test_scripted_dice_come_in_their_order_whoever_rolls() -> None:
    source = dice.ScriptedDice([(1, 2), (3,), (4, 5)])
    assert [source.roll(1, 9, 9, 2), source.roll(0, 0, 0, 1), source.roll(1, 0, 0, 2)] == [(1, 2), (3,), (4, 5)]
    assert source.kind == "scripted"


def test_scripted_dice_that_run_out_say_so_and_go_on_saying_it() -> None:
    source = dice.ScriptedDice([(1, 2)])
    source.roll(0, 0, 0, 2)
    for wanted in (2, 3):
        with pytest.raises(DiceError, match=f"ran out: 1 roll is there, roll {wanted} is wanted") as caught:
            source.roll(0, 0, 1, 2)
        assert caught.value.fields["roll"] == wanted


@pytest.mark.parametrize(
    ("script", "wanted", "said"),
    [
        ([(1, 2)], 3, "roll 1 of the dice script is 1 2, but 3 dice are rolled here"),
        ([(1, 2)], 1, "roll 1 of the dice script is 1 2, but 1 die is rolled here"),
    ],
)
def test_a_scripted_roll_of_another_size_is_refused(script: list[tuple[int, ...]], wanted: int, said: str) -> None:
    with pytest.raises(DiceError) as caught:
        dice.ScriptedDice(script).roll(0, 0, 0, wanted)
    assert caught.value.message == said


def test_typed_dice_ask_for_the_seat_and_the_number_of_dice() -> None:
    asked = []

    def ask(seat: int, n: int) -> tuple[int, ...]:
        asked.append((seat, n))
        return (6,) * n

    source = dice.TypedDice(ask)
    assert (source.roll(2, 0, 0, 3), source.roll(0, 4, 1, 5)) == ((6, 6, 6), (6, 6, 6, 6, 6))
    assert asked == [(2, 3), (0, 5)]
    assert source.kind == "typed"
