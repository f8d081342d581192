import { once } from 'node:events';
import { get } from 'node:http';
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { pauseService, type PauseOutcome } from '#scripts/chaos/pause.ts';
import type { Victim } from '#scripts/chaos/restarter.ts';
import { startService, type ServiceOptions, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import type { Whereabouts } from '#scripts/chaos/stubborn-client.ts';

const UpLine = z.object({ pids: z.object({ front: z.number(), agents: z.number() }) });
const AgainLine = z.object({ pid: z.number(), services: z.array(z.string()) });
const askEveryMs = 10;

/** True when the API answers 200 to a connection of its own. */
async function answers(url: string): Promise<boolean> {
  const request = get(url, { agent: false, timeout: 5_000 });
  try {
    const [response] = (await once(request, 'response')) as [{ statusCode?: number; resume(): void }];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

/** Kills the service processes of one supervisor in turn, which starts them again. */
export class ServiceKiller implements Victim, AsyncDisposable {
  readonly #service: Promise<ServiceProcess>;
  #pids: { front: number; agents: number } | null = null;
  #back: Promise<unknown> = Promise.resolve();
  #restarts: number[] = [];
  #gaps: { front: number[]; agents: number[] } = { front: [], agents: [] };

  constructor(options: ServiceOptions) {
    this.#service = startService(options);
  }

  get restarts(): readonly number[] {
    return this.#restarts;
  }

  /** Milliseconds that the API did not answer after a kill of the process named. */
  get gaps(): { readonly front: readonly number[]; readonly agents: readonly number[] } {
    return this.#gaps;
  }

  readonly whereabouts: Whereabouts = async () => {
    await this.#back;
    return (await this.#service).addresses.api;
  };

  /** kill -9 of one process, of the other the next time; settles when it is up again. */
  async kill(): Promise<void> {
    const service = await this.#service;
    this.#pids ??= UpLine.parse(JSON.parse(await service.said('"inkgraph is up"'))).pids;
    const name = this.#restarts.length % 2 === 0 ? 'front' : 'agents';
    const seen = service.lines.length;
    const started = performance.now();
    const done = new AbortController();
    const gap = this.#longestGap(`${service.addresses.api}/health`, done.signal);
    kill(this.#pids[name], 'SIGKILL');
    const again = this.#again(service, seen);
    if (name === 'front') this.#back = again;
    this.#pids[name] = await again;
    this.#restarts.push(Math.round(performance.now() - started));
    done.abort();
    this.#gaps[name].push(Math.round(await gap));
  }

  /** The id of the process that is up in the place of the killed one. */
  async #again(service: ServiceProcess, seen: number): Promise<number> {
    for (;;) {
      const line = service.lines.slice(seen).find((one) => one.includes('service process is up again'));
      if (line !== undefined) return AgainLine.parse(JSON.parse(line)).pid;
      await pause(askEveryMs);
    }
  }

  /** Longest time between two answers, or from the first question without one; 0 when all questions were answered. */
  async #longestGap(url: string, signal: AbortSignal): Promise<number> {
    let longest = 0;
    let failing: number | null = null;
    while (!signal.aborted || failing !== null) {
      const asked = performance.now();
      if (await answers(url)) {
        if (failing !== null) longest = Math.max(longest, performance.now() - failing);
        failing = null;
      } else failing ??= asked;
      await pause(askEveryMs);
    }
    return longest;
  }

  async pause(seconds: number): Promise<PauseOutcome> {
    return pauseService(await this.#service, seconds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#service).kill();
  }
}
