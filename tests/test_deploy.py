"""What `deploy` hands to Docker, Compose, Kubernetes and the proxies holds together, and with the app."""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from streamlit import config as streamlit_config

from tests.test_structure import our_sources

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
HEALTH = "/_stcore/health"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
PORT = 8501
OURS = {"app.kubernetes.io/part-of": "glassformer"}


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@cache
def objects(kind: str) -> list[Any]:
    every = [one for path in MANIFESTS for one in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
    return [one for one in every if one["kind"] == kind]


@cache
def compose() -> Any:
    """The file as it is where the environment sets nothing but the secret."""
    filled = re.sub(
        r"\$\{\w+(?::([-?])([^}]*))?\}", lambda said: said[2] if said[1] == "-" else "set", text("compose.yaml")
    )
    return yaml.safe_load(filled)


def servers() -> dict[str, Any]:
    return {name: one for name, one in compose()["services"].items() if name.startswith("app-")}


def instructions() -> list[tuple[str, str]]:
    lines = re.sub(r"\\\n\s*", "", text("Dockerfile")).splitlines()
    pairs = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in pairs]


def pods() -> list[Any]:
    return [one["spec"]["template"] for one in objects("Deployment")]


def containers() -> list[Any]:
    return [container for pod in pods() for container in pod["spec"]["containers"]]


def fits(labels: dict[str, str]) -> list[Any]:
    return [pod for pod in pods() if labels.items() <= pod["metadata"]["labels"].items()]


def bytes_of(said: str) -> int:
    number, unit = re.fullmatch(r"(\d+) ?([kKmMgG]?)[iI]?[bB]?", said).groups()
    return int(number) * 1024 ** "kmg".index(unit.lower()) * 1024 if unit else int(number)


def test_the_image_copies_all_that_the_app_imports_and_only_what_is_there() -> None:
    copied = [rest.split() for name, rest in instructions() if name == "COPY" and not rest.startswith("--from")]
    sources = {source for *sources, _ in copied for source in sources}
    assert [source for source in sources if not (ROOT / source).exists()] == []
    needed = {path.relative_to(ROOT).parts[0] for path in our_sources()} | {"assets", ".streamlit"}
    assert needed - {"examples", "deploy", "docs"} <= sources
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert let_in == sources


def test_the_stages_of_the_image_follow_each_other() -> None:
    known = set[str]()
    for name, rest in instructions():
        if name == "FROM":
            base, _, stage = rest.partition(" AS ")
            assert base in known or re.fullmatch(r"python:3\.\d+-slim", base)
            known.add(stage)
        for stage in re.findall(r"--from=(\S+)", rest):
            assert stage in known
    assert {"app", "cluster"} <= known


def test_the_image_runs_the_app_as_nobody_in_particular_on_the_port_that_others_ask() -> None:
    said = dict(instructions())
    assert int(said["USER"]) >= 10000
    assert int(said["EXPOSE"]) == PORT
    command = json.loads(said["CMD"])
    assert command == ["python", "-m", "ui.command", "--address", "0.0.0.0", "--port", str(PORT), "--headless"]
    assert HEALTH in said["HEALTHCHECK"]


def test_the_image_takes_the_cpu_build_from_the_page_that_make_tries() -> None:
    (page,) = re.findall(r"^CPU_PAGE := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert ("ARG", f"TORCH_INDEX={page}") in instructions()


def test_compose_names_targets_and_files_that_there_are_and_a_proxy_before_all_servers() -> None:
    services, stages = compose()["services"], re.findall(r" AS (\S+)$", text("Dockerfile"), re.MULTILINE)
    for one in services.values():
        if "build" in one:
            assert one["build"]["target"] in stages
            assert (DEPLOY / one["build"]["context"] / one["build"]["dockerfile"]).exists()
    assert len(servers()) >= 2
    proxy = services["proxy"]
    assert set(proxy["environment"]["GLASSFORMER_SERVERS"].split()) == {f"{name}:{PORT}" for name in servers()}
    assert [name for name in proxy["environment"] if f"{{${name}" not in text("Caddyfile")] == []
    mounted = [said.partition(":")[0] for said in proxy["volumes"] if said.startswith(".")]
    assert all((DEPLOY / path).exists() for path in mounted)
    assert compose()["networks"]["inside"]["internal"]
    assert [name for name, one in services.items() if "ports" in one or "outside" in one["networks"]] == ["proxy"]


def test_all_servers_have_the_same_secret_and_none_is_written_down() -> None:
    assert len({json.dumps(one["environment"], sort_keys=True) for one in servers().values()}) == 1
    assert all("STREAMLIT_SERVER_COOKIE_SECRET" in one["environment"] for one in servers().values())
    assert "${STREAMLIT_SERVER_COOKIE_SECRET:?" in text("compose.yaml")
    (secret,) = objects("Secret")
    (refused,) = secret["data"].values()
    assert not re.fullmatch(r"[A-Za-z0-9+/=\s]*", refused)  # no base64, so Kubernetes does not take it as it stands
    asked = [
        env["valueFrom"]["secretKeyRef"] for one in containers() for env in one.get("env", ()) if "valueFrom" in env
    ]
    assert [(one["name"], one["key"]) for one in asked] == [(secret["metadata"]["name"], *secret["data"])]


def test_the_environment_of_a_cluster_sets_what_compose_asks_for() -> None:
    said = dict(line.split("=", 1) for line in text("ray.env").splitlines() if not line.startswith("#"))
    assert {one["profiles"][0] for one in compose()["services"].values() if "profiles" in one} == {
        said.pop("COMPOSE_PROFILES")
    }
    assert [name for name in said if f"${{{name}:-" not in text("compose.yaml")] == []
    assert f"AS {said['GLASSFORMER_TARGET']}\n" in text("Dockerfile")
    head, _, port = said["GLASSFORMER_RAY"].partition(":")
    assert f"--port={port}" in compose()["services"][head]["command"]
    assert f"--address={head}:{port}" in compose()["services"]["ray-worker"]["command"]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_a_manifest_says_what_it_is_and_whose(path: Path) -> None:
    for one in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        assert {"apiVersion", "kind", "metadata"} <= one.keys()
        assert one["metadata"]["name"].startswith("glassformer")
        assert OURS.items() <= one["metadata"]["labels"].items()


def selectors() -> Iterator[dict[str, str]]:
    for kind in ("Deployment", "PodDisruptionBudget"):
        yield from (one["spec"]["selector"]["matchLabels"] for one in objects(kind))
    yield from (one["spec"]["selector"] for one in objects("Service"))
    for policy in objects("NetworkPolicy"):
        yield policy["spec"]["podSelector"]["matchLabels"]
    for pod in pods():
        for spread in pod["spec"].get("topologySpreadConstraints", ()):
            yield spread["labelSelector"]["matchLabels"]


def test_what_a_manifest_selects_is_there() -> None:
    found = [fits(labels) for labels in selectors()]
    assert len(found) >= 9
    assert all(found)
    assert all(
        fits(one["spec"]["selector"]["matchLabels"]) == [one["spec"]["template"]] for one in objects("Deployment")
    )
    for service in objects("Service"):
        (pod,) = fits(service["spec"]["selector"])
        named = {port["name"] for one in pod["spec"]["containers"] for port in one["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= named
    (ingress,) = objects("Ingress")
    (way,) = ingress["spec"]["rules"][0]["http"]["paths"]
    backend = way["backend"]["service"]
    (service,) = [one for one in objects("Service") if one["metadata"]["name"] == backend["name"]]
    assert backend["port"]["name"] in {port["name"] for port in service["spec"]["ports"]}
    for pod in pods():
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        assert all({mount["name"] for mount in one["volumeMounts"]} == volumes for one in pod["spec"]["containers"])


def test_every_check_asks_the_one_address_that_tells() -> None:
    """Any other one answers 200 with the app's page: tests/test_routes.py."""
    (app,) = [one for one in containers() if one["name"] == "app"]
    probes = {name: app[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert set(probes.values()) == {HEALTH}
    caddy = text("Caddyfile")
    assert re.search(rf"health_uri \{{\$STREAMLIT_SERVER_BASE_URL_PATH\}}{HEALTH}$", caddy, re.MULTILINE)
    assert "health_body ^ok$" in caddy
    for name in ("Dockerfile", "Caddyfile", "kubernetes/app.yaml"):
        assert "answers 200 with the app's page" in re.sub(r"\n\s*# ", " ", text(name))


def test_no_pod_has_more_rights_than_it_needs() -> None:
    assert all(pod["spec"]["securityContext"]["runAsNonRoot"] for pod in pods())
    assert all(one["securityContext"]["readOnlyRootFilesystem"] for one in containers())
    assert all(one["securityContext"]["capabilities"] == {"drop": ["ALL"]} for one in containers())


def test_what_a_server_may_take_is_more_than_it_keeps_to() -> None:
    (app,) = [one for one in containers() if one["name"] == "app"]
    environment = {one["name"]: one.get("value") for one in app["env"]}
    assert int(environment["GLASSFORMER_MEMORY"]) * 2**20 < bytes_of(app["resources"]["limits"]["memory"])
    for one in servers().values():
        assert int(one["environment"]["GLASSFORMER_MEMORY"]) * 2**20 < bytes_of(one["mem_limit"])


def test_an_upload_that_the_app_takes_passes_every_proxy() -> None:
    server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]
    (ingress,) = objects("Ingress")
    limits = [
        re.findall(r"client_max_body_size (\w+);", text("nginx.conf"))[0],
        ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-body-size"],
    ]
    assert all(bytes_of(limit) > server["maxUploadSize"] * 2**20 for limit in limits)
    decimal = int(re.findall(r"max_size (\d+)MB", text("Caddyfile"))[0])
    assert decimal * 10**6 > server["maxUploadSize"] * 2**20


def test_every_proxy_keeps_a_reader_by_the_same_cookie_and_none_by_address() -> None:
    (ingress,) = objects("Ingress")
    (service,) = [one for one in objects("Service") if "annotations" in one["metadata"]]
    assert "hash $glassformer_reader consistent;" in text("nginx.conf")
    assert "$cookie_glassformer" in text("nginx.conf")
    assert "lb_policy cookie glassformer" in text("Caddyfile")
    said = ingress["metadata"]["annotations"]
    assert said["nginx.ingress.kubernetes.io/affinity"] == "cookie"
    assert said["nginx.ingress.kubernetes.io/session-cookie-name"] == "glassformer"
    assert (
        service["metadata"]["annotations"]["traefik.ingress.kubernetes.io/service.sticky.cookie.name"] == "glassformer"
    )
    assert all("sessionAffinity" not in one["spec"] for one in objects("Service"))


def test_what_is_set_in_the_environment_is_an_option_of_streamlit() -> None:
    options = {
        "STREAMLIT_" + re.sub(r"([A-Z])", r"_\1", name.replace(".", "_")).upper()
        for name in streamlit_config.get_config_options()
    }
    files = [path for path in DEPLOY.rglob("*") if path.is_file()]
    named = {name for path in files for name in re.findall(r"STREAMLIT_\w+", path.read_text(encoding="utf-8"))}
    assert named >= {"STREAMLIT_SERVER_COOKIE_SECRET", "STREAMLIT_SERVER_BASE_URL_PATH"}
    assert named <= options


def test_what_the_containers_set_of_our_own_the_app_reads() -> None:
    (app,) = [one for one in containers() if one["name"] == "app"]
    (compose_sets,) = {tuple(one["environment"]) for one in servers().values()}
    named = {name for name in (*(one["name"] for one in app["env"]), *compose_sets) if name.startswith("GLASSFORMER_")}
    read = {name for path in our_sources() for name in re.findall(r'"(GLASSFORMER_\w+)"', path.read_text())}
    assert {"GLASSFORMER_MEMORY", "GLASSFORMER_RAY"} <= named <= read


def test_the_readme_names_every_file() -> None:
    files = {str(path.relative_to(DEPLOY)) for path in DEPLOY.rglob("*") if path.is_file()} - {"README.md"}
    assert [name for name in sorted(files) if f"`{name}`" not in text("README.md")] == []
