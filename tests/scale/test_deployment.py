"""The files for Compose, Kubernetes and SLURM are what their schemas ask for, and say what the documentation says of them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import typer.main
import yaml

from veritab.cli import app

ROOT = Path(__file__).parents[2]
SCALE = ROOT / "examples" / "scale"
MANIFESTS = sorted((SCALE / "kubernetes").glob("*.yaml"))
OBJECTS = [(path.name, each) for path in MANIFESTS for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
KUBERNETES = "1.34"
SBATCH = SCALE / "slurm" / "cluster.sbatch"
COMPOSE: dict[str, Any] = yaml.safe_load((SCALE / "compose.yaml").read_text(encoding="utf-8"))


def pod_of(found: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = found["spec"]["template"]["spec"]
    return pod


PODS = [
    pytest.param(pod_of(found), id=f"{file}-{found['metadata']['name']}")
    for file, found in OBJECTS
    if "template" in found["spec"]
]


def named(kind: str) -> dict[str, dict[str, Any]]:
    return {found["metadata"]["name"]: found for _, found in OBJECTS if found["kind"] == kind}


def refuse_unknown_options(words: list[str]) -> None:
    """Whether a command line of Veritab's has only options that there are."""
    command: Any = typer.main.get_command(app)
    name, *rest = words
    known = {option for parameter in command.commands[name].params for option in parameter.opts}
    for word in rest:
        option = word.partition("=")[0]
        assert not option.startswith("-") or option in known, f"veritab {name} has no option {option}"


# -- Compose -----------------------------------------------------------------------------------------------


def test_the_compose_file_is_what_its_specification_asks_for() -> None:
    schema = json.loads((resources.files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(COMPOSE)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate({**COMPOSE, "services": {"serve": {"imag": "veritab"}}})


def test_what_a_service_of_the_compose_file_names_is_there() -> None:
    services = COMPOSE["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= services.keys(), name
        assert set(service.get("networks", ())) <= COMPOSE["networks"].keys(), name
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or source == "./sources" or (SCALE / source).exists(), name


def test_nothing_but_the_proxy_of_the_compose_file_can_be_reached_from_outside() -> None:
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services["proxy"]["ports"] == ["127.0.0.1:8080:8080"]
    assert [name for name, service in services.items() if "outside" in service.get("networks", ())] == ["proxy"]
    assert COMPOSE["networks"]["cluster"] == COMPOSE["networks"]["inside"] == {"internal": True}


def test_containers_of_the_compose_file_have_no_rights_and_commands_that_exist() -> None:
    for name in ("serve-1", "serve-2", "prepare", "scheduler", "worker"):
        service = COMPOSE["services"][name]
        assert service["user"] == "10001:10001"
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        if "entrypoint" not in service:
            refuse_unknown_options(service["command"])


def test_the_commands_in_the_heads_of_the_files_have_options_that_exist() -> None:
    for path in (SCALE / "compose.yaml", SBATCH):
        commands = re.findall(
            r"^#.*(?:prepare|cluster\.sbatch) (ingest .*)$", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert commands
        for command in commands:
            refuse_unknown_options(shlex.split(command))


# -- the proxy ---------------------------------------------------------------------------------------------


def test_the_proxy_knows_the_servers_of_the_compose_file_by_their_names() -> None:
    servers = re.findall(r"server ([\w-]+):8321", (SCALE / "nginx.conf").read_text(encoding="utf-8"))
    assert servers == [name for name in COMPOSE["services"] if name.startswith("serve")]


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    own = tmp_path / "nginx.conf"
    text = (SCALE / "nginx.conf").read_text(encoding="utf-8")
    # The names are known inside of the compose file's network only.
    own.write_text(re.sub(r"serve-\d:", "127.0.0.1:", text).replace("/tmp/", f"{tmp_path}/"), encoding="utf-8")
    done = subprocess.run(
        ["nginx", "-t", "-q", "-c", str(own)], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr


# -- Kubernetes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "found"), OBJECTS, ids=lambda value: value if isinstance(value, str) else value["kind"]
)
def test_a_manifest_is_what_the_api_asks_for(file: str, found: dict[str, Any]) -> None:
    kubernetes_validate.validate(found, KUBERNETES, strict=True)


def test_a_misspelt_field_of_a_manifest_would_be_refused() -> None:
    found = json.loads(json.dumps(named("Deployment")["serve"]))
    pod_of(found)["containers"][0]["resource"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(found, KUBERNETES, strict=True)


@pytest.mark.parametrize("pod", PODS)
def test_a_pod_runs_without_rights_on_a_read_only_root(pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] > 0
    assert pod["automountServiceAccountToken"] is False
    for container in pod["containers"]:
        rights = container["securityContext"]
        assert rights["readOnlyRootFilesystem"]
        assert rights["allowPrivilegeEscalation"] is False
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        volumes = {volume["name"] for volume in (*pod["volumes"], {"name": "data"})}
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_services_budgets_and_policies_select_pods_that_there_are() -> None:
    labels = [found["spec"]["template"]["metadata"]["labels"] for _, found in OBJECTS if "template" in found["spec"]]

    def selects(selector: dict[str, str]) -> bool:
        return any(selector.items() <= pod.items() for pod in labels)

    for kind, names in (("Service", 3), ("PodDisruptionBudget", 1), ("NetworkPolicy", 2)):
        assert len(named(kind)) == names
    assert all(selects(found["spec"]["selector"]) for found in named("Service").values())
    assert all(selects(found["spec"]["selector"]["matchLabels"]) for found in named("PodDisruptionBudget").values())
    for found in named("NetworkPolicy").values():
        assert selects(found["spec"]["podSelector"]["matchLabels"])
        for source in found["spec"]["ingress"][0]["from"]:
            assert selects(source["podSelector"]["matchLabels"])
    for found in (*named("Deployment").values(), *named("StatefulSet").values()):
        assert (
            found["spec"]["selector"]["matchLabels"].items() <= found["spec"]["template"]["metadata"]["labels"].items()
        )


def test_ports_claims_and_commands_of_the_manifests_are_those_of_each_other() -> None:
    claims = named("PersistentVolumeClaim")
    assert claims["corpus"]["spec"]["accessModes"] == ["ReadWriteMany"]
    for _, found in OBJECTS:
        if "template" not in found["spec"]:
            continue
        pod = pod_of(found)
        for volume in pod["volumes"]:
            assert volume.get("persistentVolumeClaim", {"claimName": "corpus"})["claimName"] in claims
        for container in pod["containers"]:
            ports = {port["name"] for port in container.get("ports", ())}
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                asked = container.get(probe, {})
                port = (asked.get("httpGet") or asked.get("tcpSocket") or {}).get("port")
                assert port is None or port in ports
            if "args" in container:
                refuse_unknown_options(container["args"])
    for service in named("Service").values():
        (port,) = service["spec"]["ports"]
        pods = [pod_of(found) for _, found in OBJECTS if "template" in found["spec"]]
        assert port["targetPort"] in {
            each["name"] for pod in pods for one in pod["containers"] for each in one.get("ports", ())
        }


# -- SLURM -------------------------------------------------------------------------------------------------


def test_the_batch_script_is_shell() -> None:
    subprocess.run(["bash", "-n", str(SBATCH)], check=True, timeout=30)
    done = subprocess.run(["bash", str(SBATCH)], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr[:6]) == (2, "usage:")


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_the_batch_script_has_no_known_traps() -> None:
    done = subprocess.run(["shellcheck", str(SBATCH)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
