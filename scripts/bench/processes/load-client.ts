import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import type { HttpRequest } from '#scripts/bench/processes/http-send.ts';
import type { LoadJob, LoadResult } from '#scripts/bench/processes/load.ts';
import { quantile } from '#scripts/bench/figures.ts';

const connections = 10;

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly latenciesMs: readonly number[];
  /** CPU of the process under test by request. */
  readonly cpuMs: number;
}

export interface LoadClient extends AsyncDisposable {
  /** Sends all requests; throws unless every answer has `status`. */
  send(requests: readonly HttpRequest[], status: number): Promise<LoadResult>;
  /** The same with the bodies of the answers, parsed. */
  collect<Body>(requests: readonly HttpRequest[], status: number): Promise<Body[]>;
  /** The same, with the CPU that `target` used meanwhile. */
  measure(target: Child, label: string, requests: readonly HttpRequest[], status: number): Promise<Measured>;
}

/** Ten keep-alive connections from a process of its own. */
export function startLoadClient(): LoadClient {
  const child = startChild(new URL('./load.ts', import.meta.url));
  const run = async (job: LoadJob, status: number): Promise<LoadResult> => {
    const result = await child.ask<LoadResult>('run', job);
    const right = result.statuses[status] ?? 0;
    if (right !== job.requests.length)
      throw new Error(`expected ${job.requests.length} answers ${status}, got ${JSON.stringify(result.statuses)}`);
    return result;
  };
  return {
    send: (requests, status) => run({ requests, connections, keepBodies: false }, status),
    async collect<Body>(requests: readonly HttpRequest[], status: number) {
      const { bodies } = await run({ requests, connections, keepBodies: true }, status);
      return bodies.map((body) => (body === '' ? null : JSON.parse(body)) as Body);
    },
    async measure(target, label, requests, status) {
      const { result, cpuMs } = await target.count(label, () =>
        run({ requests, connections, keepBodies: false }, status),
      );
      const { elapsedMs, latenciesMs } = result;
      const single = [...latenciesMs];
      return {
        perSecond: (requests.length / elapsedMs) * 1_000,
        p50Ms: quantile(single, 0.5),
        p99Ms: quantile(single, 0.99),
        latenciesMs: single,
        cpuMs: cpuMs / requests.length,
      };
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
