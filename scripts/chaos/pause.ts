import { get } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '#scripts/chaos/service-process.ts';

export interface PauseOutcome {
  /** Milliseconds from the end of the pause until the API was ready. */
  readonly backMs: number;
  /** Answers of the API during the pause, by status; `none`: the connection broke. */
  readonly answers: ReadonlyMap<string, number>;
  /** Promises broken, one sentence each. */
  readonly violations: readonly string[];
}

const askEveryMs = 500;
/** Longest wait for an answer: below the 60 s of usual balancers. */
const answerMs = 55_000;
const longestBackMs = 15_000;
const backEveryMs = 50;
/** Lines of the log that tell of the end of a process. */
const ends = ['ended by itself', 'a vital part of this process failed', 'gave no sign of life'];

async function statusOf(url: string): Promise<string> {
  const request = get(url, { agent: false, timeout: answerMs });
  request.once('timeout', () => request.destroy(new Error('late')));
  try {
    const [response] = (await once(request, 'response')) as [{ statusCode?: number; resume(): void }];
    response.resume();
    return String(response.statusCode);
  } catch {
    return 'none';
  }
}

/** Milliseconds until the API is ready; null: it is not in time. */
async function untilReady(url: string): Promise<number | null> {
  const begun = performance.now();
  while (performance.now() - begun < longestBackMs) {
    if ((await statusOf(url)) === '200') return performance.now() - begun;
    await pause(backEveryMs);
  }
  return null;
}

/**
 * Pauses the process that runs the database for some seconds, as swap or a slow disk does, and asks the API meanwhile. Nothing may end, and
 * requests are answered with 200 or 503. Source: docs/decisions/0286.
 */
export async function pauseService(service: ServiceProcess, seconds: number): Promise<PauseOutcome> {
  const url = `${service.addresses.api}/readyz`;
  const seen = service.lines.length;
  const asked: Promise<string>[] = [];
  service.signal('SIGSTOP');
  try {
    for (const end = performance.now() + seconds * 1_000; performance.now() < end; await pause(askEveryMs))
      asked.push(statusOf(url));
  } finally {
    service.signal('SIGCONT');
  }
  const back = await untilReady(url);
  const answers = new Map(
    [...Map.groupBy(await Promise.all(asked), (one) => one)].map(([of, all]) => [of, all.length]),
  );
  const strange = [...answers].filter(([status]) => status !== '200' && status !== '503');
  const ended = service.lines.slice(seen).filter((line) => ends.some((end) => line.includes(end)));
  return {
    backMs: Math.round(back ?? longestBackMs),
    answers,
    violations: [
      ...(back === null ? [`the API was not ready within ${longestBackMs} ms of a pause of ${seconds} s`] : []),
      ...strange.map(([status, times]) => `${times} requests in a pause of ${seconds} s were answered with ${status}`),
      ...ended.map((line) => `a process ended in a pause of ${seconds} s: ${line.slice(0, 300)}`),
    ],
  };
}
