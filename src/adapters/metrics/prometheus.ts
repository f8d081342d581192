import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics, register } from 'prom-client';
import type { Stored } from '#src/domain/access/quota.ts';
import { Largest, withLargest } from '#src/adapters/metrics/largest.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';

/** Few: each organization has its own. */
const waitSeconds = [0.1, 1, 10, 60];
const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

/** Values that are read when the metrics are. */
interface Read {
  readonly queue: () => Promise<{ readonly depth: number; readonly oldestSeconds: number }>;
  readonly stored: () => Promise<Stored>;
  /** Failed commands and connections since the start; null: no Redis is configured. */
  readonly redisErrors: (() => number) | null;
}

/** Without labels of organizations: a scraper needs the sum, and each organization would be a series. */
function storageGauges(stored: Read['stored']): readonly Gauge[] {
  const gauge = (name: string, help: string, value: (sum: Stored) => number): Gauge =>
    new Gauge({
      name,
      help,
      // All processes count the same database.
      aggregator: 'max',
      registers: [],
      async collect() {
        this.set(value(await stored()));
      },
    });
  return [
    gauge('inkgraph_stored_bytes', 'Stored and promised bytes of all organizations', ({ bytes }) => bytes),
    gauge('inkgraph_stored_objects', 'Documents and promised uploads of all organizations', ({ objects }) => objects),
  ];
}

function redisErrorCount(read: () => number): Counter {
  let counted = 0;
  return new Counter({
    name: 'inkgraph_redis_errors_total',
    help: 'Failed commands and connections of Redis',
    registers: [],
    collect() {
      const errors = read();
      this.inc(errors - counted);
      counted = errors;
    },
  });
}

/** CPU, memory and event loop of the process, in the library's registry for it: services of one process share their timer, which never ends. */
function processMetrics(): Registry {
  if (register.getSingleMetric('inkgraph_process_cpu_user_seconds_total') === undefined)
    // Twenty looks a second: the usual hundred wake an idle process as often.
    collectDefaultMetrics({ prefix: 'inkgraph_', eventLoopMonitoringPrecision: 50 });
  return register;
}

const poolWaitName = 'inkgraph_pool_wait_seconds';

/** Waits by the organizations that wait the most: each organization would be a series. */
function createPoolWaits() {
  const pools = new Set<string>();
  const metric = new Histogram({
    name: poolWaitName,
    help: 'Time that pages waited for a member of a pool, by the 20 organizations that waited the most',
    labelNames: ['pool', 'organization'],
    buckets: waitSeconds,
    registers: [],
  });
  const largest = new Largest((organization) => {
    for (const pool of pools) metric.remove({ pool, organization });
  });
  return {
    metric,
    observe(pool: string, owner: string, took: number): void {
      pools.add(pool);
      metric.observe({ pool, organization: largest.add(owner, took) }, took);
    },
  };
}

/** `ofOthers`: what `json` returns in the other processes on this machine. */
export function createPrometheusMetrics(
  { queue: readQueue, stored, redisErrors }: Read,
  ofOthers: () => Promise<readonly (readonly object[])[]> = async () => [],
): Metrics {
  const registry = new Registry();
  const requests = new Histogram({
    name: 'inkgraph_http_request_seconds',
    help: 'HTTP requests by service, route and status',
    labelNames: ['service', 'method', 'route', 'status'],
    buckets: seconds,
    registers: [registry],
  });
  const runs = new Histogram({
    name: 'inkgraph_run_seconds',
    help: 'Finished runs by status, from claim to end',
    labelNames: ['status'],
    buckets: seconds,
    registers: [registry],
  });
  const searchRetrievers = new Histogram({
    name: 'inkgraph_search_leg_seconds',
    help: 'Time of the retrievers of a search by outcome: found, empty, failed or late',
    labelNames: ['leg', 'outcome'],
    buckets: seconds,
    registers: [registry],
  });
  const removed = new Counter({
    name: 'inkgraph_upkeep_removed_total',
    help: 'Records and files that regular work removed, or for mends and embeddings repeated, by the name of the work',
    labelNames: ['chore'],
    registers: [registry],
  });
  const poolWaits = createPoolWaits();
  registry.registerMetric(poolWaits.metric);
  const depth = new Gauge({
    name: 'inkgraph_queue_depth',
    help: 'Queued runs, at most 10,000',
    // All processes count the same queue.
    aggregator: 'max',
    registers: [],
    async collect() {
      this.set((await readQueue()).depth);
    },
  });
  const oldest = new Gauge({
    name: 'inkgraph_queue_oldest_seconds',
    help: 'Time that the oldest queued run has waited',
    aggregator: 'max',
    registers: [],
    async collect() {
      this.set((await readQueue()).oldestSeconds);
    },
  });
  for (const gauge of [depth, oldest, ...storageGauges(stored)]) registry.registerMetric(gauge);
  if (redisErrors !== null) registry.registerMetric(redisErrorCount(redisErrors));
  const all = Registry.merge([processMetrics(), registry]);
  return {
    request: ({ service, method, route, status, seconds: took }) =>
      requests.observe({ service, method, route, status }, took),
    run: (status, took) => runs.observe({ status }, took),
    searchRetriever: (retriever, outcome, took) => searchRetrievers.observe({ leg: retriever, outcome }, took),
    removed: (chore, count) => removed.inc({ chore }, count),
    poolWait: (pool, organization, took) => poolWaits.observe(pool, organization, took),
    async text() {
      const others = await ofOthers();
      if (others.length === 0) return all.metrics();
      const ofAll = [await all.getMetricsAsJSON(), ...others];
      return AggregatorRegistry.aggregate(withLargest(ofAll, poolWaitName)).metrics();
    },
    json: () => all.getMetricsAsJSON(),
  };
}
