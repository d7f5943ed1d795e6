"""Settings: which source wins, what is refused and how, and that every flag is a setting."""

import json
import os

import pytest

import tabwright.__main__
from tabwright.model import Face, Toolset
from tabwright.session.workspace import Options
from tabwright.settings import SECRET_FIELDS, SESSION_FIELDS, Settings, SettingsError, load, variable

TOKEN = "t" * 22


def test_flags_win_over_variables_over_old_variables_over_the_file() -> None:
    file_text = "port = 1\n"
    old = {"CLAUDE_BROWSER_MCP_PORT": "2"}
    new = {**old, "TABWRIGHT_PORT": "3"}
    assert load({}).port == 3456
    assert load({}, {}, file_text).port == 1
    assert load({}, old, file_text).port == 2
    assert load({}, new, file_text).port == 3
    assert load({"port": 4}, new, file_text).port == 4


def test_every_setting_has_a_variable_and_a_line_in_the_file() -> None:
    for name in Settings.model_fields:
        assert variable(name) == f"TABWRIGHT_{name.upper()}"
    assert load({}, {"TABWRIGHT_LINK_GRACE_S": "7.5"}).link_grace_s == 7.5
    assert load({}, {}, "link_grace_s = 2").link_grace_s == 2
    assert load({}, {}, "link-grace-s = 2").link_grace_s == 2


def test_an_absent_flag_and_an_empty_variable_say_nothing() -> None:
    assert load({"port": None}, {"TABWRIGHT_PORT": "", "CLAUDE_BROWSER_MCP_PORT": ""}).port == 3456


def test_words_are_parted_by_commas_or_spaces() -> None:
    assert load({"toolsets": "focus, hub"}).toolsets == (Toolset.FOCUS, Toolset.HUB)
    assert load({}, {}, 'toolsets = ["automation"]').toolsets == (Toolset.AUTOMATION,)
    assert load({"cors_origins": "https://a.test https://b.test"}).cors_origins == ("https://a.test", "https://b.test")


@pytest.mark.parametrize("source", ["flag", "variable", "old variable"])
def test_a_token_means_that_a_token_is_asked_for(source: str) -> None:
    made = {
        "flag": lambda: load({"auth_token": TOKEN}),
        "variable": lambda: load({}, {"TABWRIGHT_AUTH_TOKEN": TOKEN}),
        "old variable": lambda: load({}, {"CLAUDE_BROWSER_AUTH_TOKEN": TOKEN}),
    }[source]()
    assert made.auth == "token"
    assert made.auth_token is not None
    assert made.auth_token.get_secret_value() == TOKEN
    assert TOKEN not in repr(made)


def test_auth_is_as_told_even_beside_a_token() -> None:
    assert load({"auth_token": TOKEN, "auth": "off"}).auth == "off"
    assert load({}).auth == "same-user"


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ({"auth_token": "t" * 21}, r"--auth-token: a token has at least 22 characters"),
        ({"cors_origins": "*"}, r"--cors-origins: '\*' is not an exact origin"),
        ({"cors_origins": "http://localhost:*"}, "not an exact origin"),
        ({"cors_origins": "https://*.a.test"}, "not an exact origin"),
        ({"cors_origins": "null"}, "not an origin"),
        ({"cors_origins": "a.test"}, "not an origin"),
        ({"cors_origins": "https://a.test/path"}, "not an origin"),
        ({"host": "0.0.0.0"}, r"--host: only loopback"),
        ({"host": "192.168.0.1"}, "only loopback"),
        ({"host": "example.com"}, "only loopback"),
        ({"port": 65536}, r"--port"),
        ({"port": "many"}, "port"),
        ({"idle_exit_s": 0}, "--idle-exit-s should be greater than 0"),
        ({"toolsets": "focus,everything"}, "toolsets"),
        ({"list": "sometimes"}, "list"),
        ({"auth": "none"}, "auth"),
        ({"via": "https://proxy.example.com"}, r"--via: .* is not a WebSocket address"),
        ({"via": "ws://proxy.example.com"}, "unencrypted"),
        ({"via": "wss://p.example", "via_token_file": "token"}, "not an absolute path"),
        ({"via_token_file": "/token"}, "give via too"),
        ({"via": "wss://p.example", "via_token_file": "/token", "via_token": "x"}, "not both"),
        ({"browser_args": "fr"}, r"--browser-args: 'fr' is not a browser argument"),
        ({"browser_args": "--lang=fr --user-data-dir=/x"}, "--user-data-dir cannot be given: .* TABWRIGHT_HOME"),
        ({"browser_args": "--headless=old"}, "there is a setting for it: headless"),
        ({"browser_args": "--disable-extensions"}, "cannot reach the browser"),
        ({"browser_args": '--lang="fr'}, "--browser-args: .*No closing quotation"),
        ({"colour": "red"}, "There is no setting --colour"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(flags: dict[str, object], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem) as refused:
        load(flags)
    assert "\n" not in str(refused.value)
    assert "tabwright serve --help" in str(refused.value)


def test_a_refusal_tells_where_the_value_came_from_and_never_the_token() -> None:
    with pytest.raises(SettingsError, match=r"host in settings\.toml: only"):
        load({}, {}, 'host = "0.0.0.0"')
    with pytest.raises(SettingsError, match=r"^TABWRIGHT_AUTH_TOKEN: ") as refused:
        load({}, {"TABWRIGHT_AUTH_TOKEN": "my short secret"})
    assert "my short secret" not in str(refused.value)


def test_the_way_to_a_proxy_is_read_and_its_token_never_shown() -> None:
    made = load({"via": "wss://Proxy.example.com"}, {"TABWRIGHT_VIA_TOKEN": "eyJ.secret.x"})
    assert made.via == "wss://proxy.example.com/mcp"
    assert made.via_token is not None
    assert "secret" not in repr(made) + json.dumps(made.model_dump(mode="json"))
    assert load(made.model_dump()) == made


def test_an_unknown_key_and_a_broken_file_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"no setting prot in settings\.toml\. Did you mean port\?"):
        load({}, {}, "prot = 1")
    with pytest.raises(SettingsError, match=r"settings\.toml cannot be read"):
        load({}, {}, "port = = 1")


SERVER_BLOCK = f"""
log_level = "debug"

[mcpServer]
enabled = true
port = 4567
host = "localhost"
authToken = "{TOKEN}"
corsOrigins = ["http://localhost:3000"]
"""


def test_the_http_specifications_own_block_is_understood() -> None:
    made = load({}, {}, SERVER_BLOCK)
    assert (made.http, made.port, made.host, made.cors_origins) == (True, 4567, "localhost", ("http://localhost:3000",))
    assert made.auth == "token"
    assert made.auth_token is not None
    assert made.auth_token.get_secret_value() == TOKEN
    assert load({}, {}, "[mcpServer]\nenabled = false").http is False
    assert load({}, {"CLAUDE_BROWSER_MCP_PORT": "5678"}, SERVER_BLOCK).port == 5678, "it is the file, no more"


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ('corsOrigins = ["http://localhost:*"]', r"cors_origins in settings\.toml: 'http://localhost:\*' .* any page"),
        ('authToken = ""', r"auth_token in settings\.toml"),
        ('host = "0.0.0.0"', r"host in settings\.toml: only loopback"),
        ("enabled = 7", r"http in settings\.toml"),
        ("cors_origins = []", r"no cors_origins in \[mcpServer\].*enabled, port, host, authToken, corsOrigins"),
    ],
)
def test_what_is_wrong_in_that_block_is_named(block: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        load({}, {}, f"[mcpServer]\n{block}\n")


def test_that_block_and_the_rest_of_the_file_do_not_contradict_each_other() -> None:
    with pytest.raises(SettingsError, match="sets port twice"):
        load({}, {}, "port = 1\n[mcpServer]\nport = 1\n")
    with pytest.raises(SettingsError, match="is a table"):
        load({}, {}, "mcpServer = 1\n")


def test_a_rate_is_a_number_of_requests_or_none() -> None:
    assert (load({}).message_rate, load({}).mcp_rate) == (100, 6000)
    assert load({"message_rate": "0"}).message_rate == 0
    with pytest.raises(SettingsError, match="--mcp-rate"):
        load({"mcp_rate": -1})


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_a_loopback_host_is_taken(host: str) -> None:
    assert load({"host": host}).host == host


@pytest.mark.parametrize(
    ("chosen", "modern", "face"),
    [
        ("auto", False, Face.DYNAMIC),
        ("auto", True, Face.STABLE),
        ("dynamic", True, Face.DYNAMIC),
        ("stable", False, Face.STABLE),
    ],
)
def test_the_list_goes_by_the_clients_era_unless_told(chosen: str, modern: bool, face: Face) -> None:
    flags = {"list": chosen, "toolsets": "focus", "follow_active_tab": True, "close_group_on_end": True}
    made = load(flags).options(modern=modern)
    assert made == Options(frozenset({Toolset.FOCUS}), face, follow_active_tab=True, close_group_on_end=True)


def test_a_client_sets_for_itself_only_what_is_a_sessions() -> None:
    asked = {"toolsets": "hub", "list": "stable", "activate-on-focus": "true", "port": "1", "nonsense": "x"}
    gateway = load({"auth_token": TOKEN, "port": 5})
    session = gateway.for_session(asked)
    assert (session.toolsets, session.list, session.activate_on_focus) == ((Toolset.HUB,), "stable", True)
    assert session.port == 5
    assert session.auth_token == gateway.auth_token
    with pytest.raises(SettingsError, match="toolsets"):
        gateway.for_session({"toolsets": "everything"})


def test_session_settings_are_the_ones_a_client_may_choose() -> None:
    assert {
        "toolsets", "list", "activate_on_focus", "follow_active_tab", "close_group_on_end", "upload_dirs", "output_dir",
        "session",
    } == SESSION_FIELDS  # fmt: skip


def test_every_flag_of_the_fast_path_is_a_setting_and_only_tokens_are_none() -> None:
    known = vars(tabwright.__main__)["_KNOWN"]
    # secrets never in argv: every user of the machine reads it there
    assert known == {name.replace("_", "-") for name in Settings.model_fields.keys() - SECRET_FIELDS}


def test_upload_folders_are_a_list_of_whole_paths() -> None:
    assert load({}).upload_dirs == ()
    given = load({"upload_dirs": "/srv/pictures:~/My Documents/:"})
    assert given.upload_dirs == ("/srv/pictures", os.path.expanduser("~/My Documents"))
    assert given.options(modern=True).upload_dirs == given.upload_dirs
    assert load({}, {}, 'upload_dirs = ["/srv/a", "/srv/b"]').upload_dirs == ("/srv/a", "/srv/b")
    for field in ("upload_dirs", "output_dir"):
        with pytest.raises(SettingsError, match="not an absolute path"):
            load({field: "pictures"})


def test_arguments_of_a_browser_may_hold_blanks_and_commas() -> None:
    rules = "--host-resolver-rules=MAP *.a 127.0.0.1, MAP *.b 127.0.0.1"
    assert load({"browser_args": f"--lang=fr '{rules}'"}).browser_args == ("--lang=fr", rules)
    assert load({}, {}, f'browser_args = ["{rules}"]').browser_args == (rules,)
