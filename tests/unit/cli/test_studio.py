"""`linkwork studio`: what it refuses, and that it listens where, and to whom, it says."""

import http.client
import os
import signal
import subprocess
import sys

import pytest

from linkwork.cli.main import main

pytest.importorskip("viser")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nonsense"], 2, "there is no such file, and no mechanism of that name"),
        (["--recover"], 2, "nothing is left to recover"),
        (["pendulum", "--recover"], 2, "found FILE and --recover"),
        (["--host", "0.0.0.0", "--token", "short"], 1, "token: allowed are 16 to 200"),
        (["--host", "203.0.113.7"], 1, "at which this computer cannot listen"),
        (["--port", "70000"], 1, "port: found 70000"),
    ],
)
def test_wrong_usage_is_one_clear_message(arguments, code, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["studio", "--no-browser", *arguments]) == code
    assert words in capsys.readouterr().err and os.listdir(tmp_path) == []


def test_a_file_that_cannot_be_read_ends_it_in_words(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.toml").write_text("]]]")
    assert main(["studio", "--no-browser", "--port", "0", "broken.toml"]) == 1
    assert "broken.toml" in capsys.readouterr().err


@pytest.mark.slow
def test_it_serves_whoever_has_the_token_until_it_is_asked_to_end(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    command = [sys.executable, "-m", "linkwork", "studio", "pendulum", "--port", "0", "--host", "0.0.0.0"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        address = process.stdout.readline().strip()
        place, token = address.removeprefix("http://localhost:").rstrip("/").split("/")
        assert len(token) >= 32
        for path, status in (("/", 401), (f"/{token}/", 200), (f"/{token[:-1]}/", 401)):
            connection = http.client.HTTPConnection("127.0.0.1", int(place), timeout=20)
            connection.request("GET", path)
            assert connection.getresponse().status == status, path
            connection.close()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 and "other computers can use it" in said and "Traceback" not in said
        assert os.listdir(tmp_path) == []
    finally:
        process.kill()
        process.wait()
