"""A real Redis Cluster of three masters on loopback, private to this kernel, at any distance."""

import secrets
import time

import redis
from redis.cluster import ClusterNode, RedisCluster

from ..arguments import as_options, check_number
from ..errors import LabError
from .chosen_server import check_options
from .keeper import all_or_none
from .link import check_distance, link
from .private_server import binary_version, find_binary, free_port, said_version, start

NODES = 3
SLOTS = 16384  # hash slots of any Redis Cluster: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
FORMING_TIMEOUT_S = 20


class Cluster:
    """Three masters without replicas. `nodes` lists their Servers, each owning a third of the slots in this order."""

    def __init__(self, nodes):
        self.nodes = nodes

    def connect(self, rtt_ms=0, **options):
        """A `redis.RedisCluster` with every node `rtt_ms` milliseconds of round trip away. Options go to redis-py."""
        for node in self.nodes:
            check_distance(node, rtt_ms)
        check_options(self.nodes[0], options)
        ports = {node.address[1]: link().port(node, rtt_ms) if rtt_ms else node.address[1] for node in self.nodes}
        host, port = self.nodes[0].address
        with as_options(options, "connect"):
            return RedisCluster(
                startup_nodes=[ClusterNode(host, ports[port])], password=self.nodes[0].options["password"],
                address_remap=lambda address: (address[0], ports.get(address[1], address[1])), **options,
            )

    def node(self, number, **options):
        """A plain `redis.Redis` on one node, which knows nothing of the others."""
        check_options(self.nodes[0], options)
        return self.nodes[check_number(number, "number", 0, NODES - 1, whole=True)].connect(**options)

    def kill(self, number):
        """Kills one node's process, as a lost machine would."""
        self.nodes[check_number(number, "number", 0, NODES - 1, whole=True)].stop()

    def stop(self):
        """Ends every node."""
        for node in self.nodes:
            node.stop()


def cluster():
    """Starts three masters, gives each a third of the slots and waits until they agree: less than a second on Redis from 7.0 on,
    two on others.

    They end with the kernel, or by `stop()`. Raises LabError where they do not start or do not find each other.
    """
    binary = find_binary()
    ghosts = [secrets.token_hex(20) for _ in range(NODES)] if takes_over(binary) else []
    with all_or_none():
        made = Cluster([])
        for number in range(NODES):
            password = made.nodes[0].options["password"] if made.nodes else None
            made.nodes.append(start_node(binary, password, table(number, ghosts[number]) if ghosts else None))
        form(made.nodes, ghosts)
        return made


def takes_over(binary):
    """Whether a replica may take over from a ghost: on Redis from 7.0 on. Valkey does not count a master without an address."""
    return said_version(binary).startswith("Redis") and binary_version(binary) >= (7, 0)


def slots_of(number):
    return range(number * SLOTS // NODES, (number + 1) * SLOTS // NODES)


def table(number, ghost):
    """A nodes.conf: a replica of `ghost`, a master without an address that has the node's slots.

    A master takes no writes in the first two seconds after its start. A replica that takes over from a master that never was
    takes them at once, and tells the others its slots in that moment, not when its next ping is due.
    """
    slots = slots_of(number)
    return (f"{secrets.token_hex(20)} 127.0.0.1:0@0 myself,slave {ghost} 0 0 {number} connected\n"
            f"{ghost} :0@0 master,noaddr - 0 0 {number} disconnected {slots[0]}-{slots[-1]}\n"
            f"vars currentEpoch {10 * number} lastVoteEpoch 0\n")


def start_node(binary, password, table):
    return start(binary, "cluster-enabled yes", f"cluster-port {free_port()}", "cluster-require-full-coverage no",
                 password=password, table=table)


def form(nodes, ghosts):
    clients = [node.connect() for node in nodes]
    if not ghosts:
        for number, client in enumerate(clients):
            client.execute_command("CLUSTER ADDSLOTS", *slots_of(number))
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
    for number, node in enumerate(nodes):
        bus = clients[number].config_get("cluster-port")["cluster-port"]
        for client in clients[:number]:
            client.execute_command("CLUSTER MEET", *node.address, bus)
    if ghosts:
        wait_until(met, clients)
        for client, ghost in zip(clients, ghosts, strict=True):
            client.execute_command("CLUSTER FAILOVER", "TAKEOVER")
            client.execute_command("CLUSTER FORGET", ghost)
    wait_until(formed, clients)
    for client in clients:
        client.close()


def wait_until(reached, clients):
    deadline = time.monotonic() + FORMING_TIMEOUT_S
    while not all(reached(client) for client in clients):
        if time.monotonic() > deadline:
            raise LabError(f"The three nodes did not form a cluster within {FORMING_TIMEOUT_S} s. Run the cell again.")
        time.sleep(0.02)


def met(client):
    """True when a node has shaken hands with the others; it knows its ghost too."""
    known = client.execute_command("CLUSTER NODES").values()
    return len(known) == NODES + 1 and not any("handshake" in node["flags"] for node in known)


def formed(client):
    try:
        info = client.execute_command("CLUSTER INFO")
    except redis.ConnectionError:
        return False
    known = int(info["cluster_known_nodes"]), int(info["cluster_slots_assigned"])
    return info["cluster_state"] == "ok" and known == (NODES, SLOTS)
