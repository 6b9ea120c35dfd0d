import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** Reads records in several ways. Each line it prints is one round: way, records, nanoseconds, reads by the server,
 * connections opened, and how many calls a parallel stream had under way at once.
 * Arguments: host, port, rounds, and how many records, once or several times. With fewer CPUs than 16 it plays the streams alone. */
public class Clients {
    interface Way extends Function<List<String>, List<?>> {}

    static final AtomicInteger underWay = new AtomicInteger(), most = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        String host = arguments[0], password = System.getenv("LAB_PASSWORD");
        int port = Integer.parseInt(arguments[1]), rounds = Integer.parseInt(arguments[2]);
        int cpus = Runtime.getRuntime().availableProcessors();
        String stream = "parallel stream, CPUs: " + cpus;
        Map<String, Way> ways = new LinkedHashMap<>();

        RedisStandaloneConfiguration place = new RedisStandaloneConfiguration(host, port);
        place.setPassword(password);
        LettuceConnectionFactory factory = new LettuceConnectionFactory(place);
        factory.afterPropertiesSet();
        StringRedisTemplate spring = new StringRedisTemplate(factory);
        ways.put("Spring, one by one", keys -> all(keys.stream().map(spring.opsForValue()::get)));
        ways.put("Spring, " + stream, keys -> inParallel(keys, spring.opsForValue()::get));
        ways.put("Spring, pipelined", keys -> spring.executePipelined((RedisCallback<Object>) connection -> {
            keys.forEach(key -> connection.stringCommands().get(key.getBytes()));
            return null;
        }));

        var lettuce = RedisClient.create(RedisURI.Builder.redis(host, port).withPassword(password.toCharArray()).build()).connect();
        ways.put("Lettuce, all futures at once", keys -> {
            List<RedisFuture<String>> asked = all(keys.stream().map(lettuce.async()::get));
            return all(asked.stream().map(each -> each.toCompletableFuture().join()));
        });

        JedisPoolConfig sizes = new JedisPoolConfig();
        sizes.setMaxTotal(100);
        sizes.setMaxIdle(100);
        JedisPool pool = new JedisPool(sizes, host, port, 20_000, password);
        ways.put("Jedis, " + stream, keys -> inParallel(keys, key -> {
            try (Jedis jedis = pool.getResource()) {
                return jedis.get(key);
            }
        }));
        ways.put("Jedis, pipelined", keys -> {
            try (Jedis jedis = pool.getResource()) {
                Pipeline pipeline = jedis.pipelined();
                List<Response<String>> asked = all(keys.stream().map(pipeline::get));
                pipeline.sync();
                return all(asked.stream().map(Response::get));
            }
        });

        if (cpus < 16) {
            ways.keySet().removeIf(name -> !name.contains("parallel stream"));
        }
        for (String records : List.of(arguments).subList(3, arguments.length)) {
            play(ways, Integer.parseInt(records), rounds, spring);
        }
        System.exit(0);
    }

    /** Reads in a parallel stream, and counts how many calls are under way. */
    static List<String> inParallel(List<String> keys, Function<String, String> get) {
        return all(keys.parallelStream().map(key -> {
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            String value = get.apply(key);
            underWay.decrementAndGet();
            return value;
        }));
    }

    static <T> List<T> all(Stream<T> stream) {
        return stream.collect(Collectors.toList());
    }

    static void play(Map<String, Way> ways, int records, int rounds, StringRedisTemplate spring) {
        List<String> keys = all(IntStream.range(0, records).mapToObj(each -> "key" + each));
        List<String> expected = all(keys.stream().map(key -> "value of " + key));
        for (Way way : ways.values()) {  // until it is compiled
            long until = System.nanoTime() + 2_000_000_000L;
            do {
                way.apply(keys);
            } while (System.nanoTime() < until);
        }
        for (int round = 0; round < rounds; round++) {
            ways.forEach((name, way) -> {
                long reads = stat(spring, "total_reads_processed"), connections = stat(spring, "total_connections_received");
                most.set(0);
                long started = System.nanoTime();
                List<?> values = way.apply(keys);
                long took = System.nanoTime() - started;
                if (!values.equals(expected)) {
                    throw new IllegalStateException(name + " read something else");
                }
                // Each of the two questions in between is a read too.
                long read = stat(spring, "total_reads_processed") - reads - 2;
                long connected = stat(spring, "total_connections_received") - connections;
                System.out.println(String.join("\t", name, "" + records, "" + took, "" + read, "" + connected, most.toString()));
            });
        }
    }

    static long stat(StringRedisTemplate spring, String name) {
        RedisCallback<String> ask = connection -> connection.info("stats").getProperty(name);
        return Long.parseLong(spring.execute(ask));
    }
}
