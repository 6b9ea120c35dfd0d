/* A wire between two network namespaces: each packet is passed on a fixed time after it came.
 *
 *     wire NAMESPACE_A NAMESPACE_B DELAY_US LOSS
 *
 * It makes a TUN device t0 in each namespace, both named by their descriptors, prints "ready", and
 * ends when its standard input closes. LOSS is the share of packets with data that are dropped.
 * Needs root.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PACKETS 65536 /* that one direction can hold */
#define LARGEST 1600  /* bytes; the devices' MTU is 1,500 */
#define IP_HEADER 20  /* bytes */
#define EARLY_NS 30000

struct packet {
    long due;
    int size;
    char bytes[LARGEST];
};

struct direction {
    int from, to;
    struct packet *packets; /* a ring: `sent` of them have left, `read` have come */
    unsigned sent, read;
};

static long now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000L + at.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Make the device t0 in a namespace; return its descriptor. */
static int tun_in(int namespace) {
    struct ifreq request;
    int own = open("/proc/self/ns/net", O_RDONLY);
    if (setns(namespace, CLONE_NEWNET)) fail("setns");
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "t0");
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (device < 0 || ioctl(device, TUNSETIFF, &request)) fail("tun");
    if (setns(own, CLONE_NEWNET)) fail("setns");
    return device;
}

static void pass_on(struct direction *way) {
    while (way->sent != way->read && way->packets[way->sent % PACKETS].due <= now_ns()) {
        struct packet *packet = &way->packets[way->sent++ % PACKETS];
        if (write(way->to, packet->bytes, packet->size) < 0) perror("write");
    }
}

/* The bytes of data that a packet of TCP over IPv4 carries: an empty acknowledgement has none. */
static int data_in(const struct packet *packet) {
    int words = (unsigned char)packet->bytes[IP_HEADER + 12] >> 4;
    return packet->size - IP_HEADER - 4 * words;
}

static void take_in(struct direction *way, long delay_ns, double loss, unsigned short seed[3]) {
    while (way->read - way->sent < PACKETS) {
        struct packet *packet = &way->packets[way->read % PACKETS];
        packet->size = read(way->from, packet->bytes, LARGEST);
        if (packet->size <= 0) return;
        if (loss > 0 && data_in(packet) > 0 && erand48(seed) < loss) continue;
        packet->due = now_ns() + delay_ns;
        way->read++;
    }
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    int a = tun_in(atoi(arguments[1])), b = tun_in(atoi(arguments[2]));
    long delay_ns = atol(arguments[3]) * 1000;
    double loss = atof(arguments[4]);
    unsigned short seed[3] = {1, 2, 3};
    struct direction ways[2] = {{a, b, 0, 0, 0}, {b, a, 0, 0, 0}};
    for (int i = 0; i < 2; i++) ways[i].packets = malloc(sizeof(struct packet) * PACKETS);

    /* Late packets would be the wire's fault, not TCP's: wake exactly, before all others. */
    struct sched_param priority = {.sched_priority = 5};
    prctl(PR_SET_TIMERSLACK, 1);
    if (sched_setscheduler(0, SCHED_FIFO, &priority)) fail("SCHED_FIFO");
    puts("ready");
    fflush(stdout);

    for (;;) {
        long next = now_ns() + 50000000;
        for (int i = 0; i < 2; i++) {
            pass_on(&ways[i]);
            struct packet *first = &ways[i].packets[ways[i].sent % PACKETS];
            if (ways[i].sent != ways[i].read && first->due < next) next = first->due;
        }
        long left = next - now_ns() - EARLY_NS;
        struct timespec wait = {0, left > 0 ? left : 0};
        struct pollfd watched[3] = {{a, POLLIN, 0}, {b, POLLIN, 0}, {0, POLLIN, 0}};
        ppoll(watched, 3, &wait, 0);
        if (watched[2].revents) return 0;
        for (int i = 0; i < 2; i++) take_in(&ways[i], delay_ns, loss, seed);
    }
}
