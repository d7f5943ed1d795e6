"""Secrets: masked wherever a request carries them, and nothing else is."""

import time

import pytest

from tabwright.policy.secrets import mask_body, mask_headers, mask_log, mask_script, mask_text, mask_url

M = "[masked]"


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://a.test/?token=abc&q=tea", f"https://a.test/?token={M}&q=tea"),
        ("https://a.test/cb?code=abc&state=open", f"https://a.test/cb?code={M}&state=open"),
        ("https://a.test/#access_token=abc&x=1", f"https://a.test/#access_token={M}&x=1"),
        ("https://a.test/?X-Amz-Signature=00ff&page=2", f"https://a.test/?X-Amz-Signature={M}&page=2"),
        ("https://ann:pw@a.test/", f"https://{M}@a.test/"),
        ("https://a.test/?user[password]=x", f"https://a.test/?user[password]={M}"),
        ("https://a.test/tokens?sort=name&monkey=1", "https://a.test/tokens?sort=name&monkey=1"),
    ],
)
def test_addresses(url: str, masked: str) -> None:
    assert mask_url(url) == masked


def test_headers() -> None:
    headers = {
        "Cookie": "a=b", "set-cookie": "a=b", "Authorization": "Bearer x", "X-Api-Key": "k", "X-CSRF-Token": "t",
        "Proxy-Authorization": "x", "X-Auth-User": "u", "Accept": "text/html", "Referer": "https://a.test/?token=abc",
    }  # fmt: skip
    kept = {name: value for name, value in mask_headers(headers).items() if value != M}
    assert kept == {"Accept": "text/html", "Referer": f"https://a.test/?token={M}"}


@pytest.mark.parametrize(
    ("body", "masked"),
    [
        ('{"user":"ann","password":"pw","n":1}', f'{{"user":"ann","password":"{M}","n":1}}'),
        ('{"refresh_token": "a\\"b", "state": "open"}', f'{{"refresh_token": "{M}", "state": "open"}}'),
        ('{"max_tokens": 100, "pin": 1234, "key": "size"}', f'{{"max_tokens": 100, "pin": "{M}", "key": "size"}}'),
        ("user=ann&password=pw%20d&go=1", f"user=ann&password={M}&go=1"),
        ("password=pw", f"password={M}"),
        (
            'Content-Disposition: form-data; name="passwd"\r\n\r\npw\r\n--x',
            f'Content-Disposition: form-data; name="passwd"\r\n\r\n{M}\r\n--x',
        ),
        ("login({user: 'ann', password: 'pw'})", f"login({{user: 'ann', password: \"{M}\"}})"),
        ("document.cookie = 'id=1'", f'document.cookie = "{M}"'),
        ("<input type=password value='pw' name=p>", f'<input type=password value="{M}" name=p>'),
        ("<input value=pw name=csrf_token>", f'<input value="{M}" name=csrf_token>'),
        ("<input type=text value=tea>", "<input type=text value=tea>"),
        ('{"password":"cut off', f'{{"password":"{M}"'),
        ("<p>Forgot your password? Reset it.</p>", "<p>Forgot your password? Reset it.</p>"),
    ],
)
def test_bodies(body: str, masked: str) -> None:
    assert mask_body(body) == masked


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("{password: two words, token: abc, n: 1}", f"{{password: {M}, token: {M}, n: 1}}"),
        ("[{pin: 1234, max_tokens: 100}]", f"[{{pin: {M}, max_tokens: 100}}]"),
        ("password=pw12", f"password={M}"),
        ("password: 123456", f"password: {M}"),
        ("user.password = pw12", f"user.password = {M}"),
        ("token abc123def", f"token {M}"),
        ("Cookie: sid=a; b=c", f"Cookie: {M}"),
        ("Authorization: Token abcdef", f"Authorization: {M}"),
        ("{X-Api-Key: abc, accept: x}", f"{{X-Api-Key: {M}, accept: x}}"),
        ("{token: null, password: undefined}", "{token: null, password: undefined}"),
        ("Unexpected token < in JSON at position 0", "Unexpected token < in JSON at position 0"),
        ("Warning: password field is required", "Warning: password field is required"),
        ("GET https://a.test/secrets/file1.js:10 404", "GET https://a.test/secrets/file1.js:10 404"),
    ],
)
def test_lines_of_a_console(line: str, masked: str) -> None:
    assert mask_log(line) == masked


@pytest.mark.parametrize(
    ("script", "masked"),
    [
        ("const password = `pw`", f'const password = "{M}"'),
        ("document.querySelector('#pw').value = 'pw1'", f"document.querySelector('#pw').value = \"{M}\""),
        ("localStorage.setItem('token', 'abc')", f"localStorage.setItem('token', \"{M}\")"),
        ("document.querySelector('#inside').value = 'tea'", "document.querySelector('#inside').value = 'tea'"),
    ],
)
def test_scripts(script: str, masked: str) -> None:
    assert mask_script(script) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Bearer abcdefgh12",
        "eyJhbGciOiJI.eyJzdWIiOiIx.sig",
        "sk_live_0123456789ab",
        "ghp_" + "a" * 36,
        "AKIA" + "A" * 16,
    ],
)
def test_what_is_plainly_a_credential(text: str) -> None:
    assert mask_text(f"got {text} back") == f"got {M} back"


@pytest.mark.parametrize(
    "unit", ["a", "a.", "token-", '"', "<input ", "name=", "a:'", "x://", "{token: a", "token ", ", a: "]
)
def test_long_bodies_are_masked_in_little_time(unit: str) -> None:
    for mask in (mask_body, mask_log, mask_script):
        began = time.process_time()
        mask((unit * 20_000)[:20_000])
        assert time.process_time() - began < 2
