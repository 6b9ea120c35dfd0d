"""Run a real Redis Cluster of three masters on loopback, private to this process, with any RTT."""

import secrets

import redis
from redis.cluster import ClusterNode, RedisCluster

from ..arguments import Option, as_options, check_number
from .chosen_server import check_options
from .keeper import all_or_none
from .link import check_distance, link
from .private_server import Server, find_binary, free_port, start, wait_until

NODES = 3
SLOTS = 16384  # https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
SETTINGS = "cluster-enabled yes", "cluster-require-full-coverage no"
FORMING_TIMEOUT_S = 20


class Cluster:
    """Three Redis Cluster masters without replicas, which the lab started on loopback.

    `nodes` lists their Servers, in the order of their slots.
    """

    def __init__(self, nodes: list[Server]) -> None:
        self.nodes = nodes

    def connect(self, rtt_ms: float = 0, **options: Option) -> RedisCluster:
        """Return a RedisCluster, each of whose nodes is `rtt_ms` milliseconds of round trip away.

        `options` go to redis-py unchanged. Raises LabError for a distance that the link cannot
        offer, and for options that lead to other servers.
        """
        check_distance(rtt_ms)
        check_options(self.nodes[0], options)
        ports = {
            node.address[1]: link().port(node, rtt_ms) if rtt_ms else node.address[1]
            for node in self.nodes
        }
        host, port = self.nodes[0].address
        with as_options(options, "connect"):
            return RedisCluster(
                startup_nodes=[ClusterNode(host, ports[port])],
                password=self.nodes[0].options["password"],
                **{"address_remap": lambda at: (at[0], ports.get(at[1], at[1])), **options},
            )

    def node(self, number: int, **options: Option) -> redis.Redis:
        """Return a redis.Redis on node `number`, 0 to 2, which does not know the other nodes.

        `options` go to redis-py unchanged.
        """
        check_options(self.nodes[0], options)
        return self._numbered(number).connect(**options)

    def kill(self, number: int) -> None:
        """Kill the process of node `number`, 0 to 2, as if its machine were lost."""
        self._numbered(number).stop()

    def _numbered(self, number: int) -> Server:
        return self.nodes[check_number(number, "number", 0, NODES - 1, whole=True)]

    def stop(self) -> None:
        """End the process of every node, and wait for it."""
        for node in self.nodes:
            node.stop()


def cluster() -> Cluster:
    """Start three masters, give each a third of the slots, and wait until they agree.

    Returns a Cluster, after about two seconds. The masters end with the Jupyter kernel, or by
    `stop()`. Raises LabError if they do not start or do not find each other.
    """
    password = secrets.token_hex(16)
    with all_or_none():
        nodes = [
            start(find_binary(), *SETTINGS, f"cluster-port {free_port()}", password=password)
            for _ in range(NODES)
        ]
        form(nodes)
        return Cluster(nodes)


def form(nodes: list[Server]) -> None:
    clients = [node.connect() for node in nodes]
    for number, client in enumerate(clients):
        slots = range(number * SLOTS // NODES, (number + 1) * SLOTS // NODES)
        client.execute_command("CLUSTER ADDSLOTS", *slots)
        client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
    for node, client in zip(nodes[1:], clients[1:], strict=True):
        bus = client.config_get("cluster-port")["cluster-port"]
        clients[0].execute_command("CLUSTER MEET", *node.address, bus)
    wait_until(
        lambda: all(map(is_complete, clients)),
        FORMING_TIMEOUT_S,
        "The three nodes did not form a cluster",
    )
    for client in clients:
        client.close()


def is_complete(client: redis.Redis) -> bool:
    info = client.execute_command("CLUSTER INFO")
    known = int(info["cluster_known_nodes"]), int(info["cluster_slots_assigned"])
    return info["cluster_state"] == "ok" and known == (NODES, SLOTS)
