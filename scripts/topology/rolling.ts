import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Balancer } from '#scripts/topology/balancer.ts';
import type { Field, Load, Outcome } from '#scripts/topology/field.ts';
import type { Place, Stop } from '#scripts/topology/fleet.ts';
import { LiveViews } from '#scripts/topology/live-views.ts';
import { readScans } from '#scripts/topology/scans.ts';
import { FailedRequestError, StrictClient } from '#scripts/topology/strict-client.ts';

/** Balancers before the processes, one for each kind of listener. */
export interface Balancers {
  readonly api: Balancer;
  readonly mcp: Balancer;
  readonly objects: Balancer;
}

/** A platform kills what has not ended by then. */
const stopSeconds = 10;
const shownMax = 20;
/** Pause of the client of MCP between two calls. */
const mcpPauseMs = 50;

/** Folder of this release. */
const here = fileURLToPath(new URL('../..', import.meta.url));

interface Restart {
  readonly place: Place;
  /** Folder of the program that starts; absent: the one that stopped. */
  readonly root?: string;
  readonly name?: string;
}

/** Each process once; from an earlier release, first half of them, then another of the earlier ones as it is, then the rest. */
function restartsOf({ fleet, from }: Field): readonly Restart[] {
  const { places } = fleet;
  if (from === undefined) return places.map((place) => ({ place }));
  const toThis = (place: Place): Restart => ({ place, root: here, name: 'this release' });
  // The order of docs/guide/operations.md: agents, API, MCP.
  const [agents, api, mcp] = ['agents', 'api', 'mcp'].map((role) =>
    places.filter(({ name }) => name.startsWith(role)),
  ) as [Place[], Place[], Place[]];
  const firsts = [agents, api, mcp].flatMap(([first]) => first ?? []);
  const rest = [agents, api, mcp].flatMap(([, ...others]) => others);
  const again = rest.filter(({ name }) => name === 'agents 2' || name === 'api 2');
  return [
    ...firsts.map(toThis),
    // An earlier process starts on data that this release works with.
    ...again.map((place) => ({ place, name: `${from.name} again` })),
    ...rest.map(toThis),
  ];
}

/** Restarts all processes, one after the other, and returns how they stopped. */
async function restartAll(field: Field, balancers: Balancers): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (const { place, root, name } of restartsOf(field)) {
    const stop = await field.fleet.restart(place, root);
    const as = name === undefined ? '' : ` as ${name}`;
    process.stderr.write(`${stop.name} stopped in ${stop.seconds.toFixed(1)} s, and is up again${as}\n`);
    stops.push(stop);
    await Promise.all([balancers.api.allReady(), balancers.mcp.allReady(), balancers.objects.allReady()]);
  }
  return stops;
}

/** Counts of what clients of this mode saw: each failure is a broken promise. */
class Ledger {
  requests = 0;
  failures = 0;
  readonly sentences: string[] = [];
  readonly documents: string[] = [];

  fail(sentence: string): void {
    this.failures += 1;
    if (this.sentences.length < shownMax) this.sentences.push(sentence);
  }

  /** Runs a part of a client, whose first failure ends it. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof FailedRequestError)) throw error;
      this.fail(error.message);
    }
  }
}

interface Crowd {
  readonly field: Field;
  readonly load: Load;
  readonly urls: { readonly api: string; readonly mcp: string };
  readonly ledger: Ledger;
  readonly isOver: () => boolean;
}

/** Uploads and polls from many clients, and calls over MCP, until enough was uploaded and `isOver`. */
async function crowd({ field, load, urls, ledger, isOver }: Crowd): Promise<void> {
  const files = await readScans();
  const answered = (): void => void (ledger.requests += 1);
  const end = performance.now() + load.limitMs;
  let begun = 0;
  const uploaded = new AbortController();
  const newClient = (): StrictClient =>
    new StrictClient({ base: urls.api, mcpBase: urls.mcp, seed: field.seed, answered });
  const client = async (index: number): Promise<void> => {
    const strict = newClient();
    while ((begun < load.uploads || !isOver()) && performance.now() < end) {
      begun += 1;
      const file = files[begun % files.length];
      if (file === undefined) throw new Error('there are no scans to upload');
      await ledger.attempt(async () => {
        const documentId = await strict.upload(file);
        ledger.documents.push(documentId);
        await strict.untilFinished(documentId, index % 2 === 0 ? 'waiting' : 'often');
      });
    }
  };
  const agent = async (): Promise<void> => {
    const strict = newClient();
    while (!uploaded.signal.aborted) {
      await ledger.attempt(() => strict.callTool('get_context'));
      await pause(mcpPauseMs);
    }
  };
  const calling = agent();
  await Promise.all(Array.from({ length: load.clients }, (_, index) => client(index)));
  uploaded.abort();
  await calling;
}

/** Restarts every process under load, behind balancers. Nobody retries, and nothing may fail. */
export async function rolling(
  field: Field,
  load: Load,
  balancers: Balancers,
  urls: { readonly api: string; readonly mcp: string },
): Promise<Outcome> {
  await Promise.all([balancers.api.start(), balancers.mcp.start(), balancers.objects.start()]);
  const ledger = new Ledger();
  const views = await LiveViews.open([urls.api], field.seed, (status, about) => {
    ledger.requests += 1;
    if (status !== 200) ledger.fail(`${about} ${status === null ? 'broke' : `was answered with ${status}`}`);
  });
  const begun = performance.now();
  let areRestarted = false;
  const restarting = restartAll(field, balancers).finally(() => (areRestarted = true));
  await crowd({ field, load, urls, ledger, isOver: () => areRestarted });
  const stops = await restarting;
  const minutes = (performance.now() - begun) / 60_000;
  const late = stops.filter(({ seconds, end }) => seconds > stopSeconds || end !== 0);
  const { api, mcp, objects } = balancers;
  const all = [api, mcp, objects];
  const sum = (of: (one: Balancer) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    documents: ledger.documents,
    violations: [
      ...ledger.sentences,
      ...(ledger.failures > shownMax ? [`${ledger.failures - shownMax} more requests failed`] : []),
      ...late.map(({ name, seconds, end }) => `${name} stopped with ${end} after ${seconds.toFixed(1)} s`),
      ...(await views.close(ledger.documents)),
    ],
    figures: [
      ...(field.from === undefined ? [] : [['releases', `${field.from.name}, then this one`] as const]),
      ['uploads per minute', (ledger.documents.length / minutes).toFixed(0)],
      [
        'restarts',
        `${stops.length}, the longest stop ${Math.max(...stops.map(({ seconds }) => seconds)).toFixed(1)} s`,
      ],
      ['live views', `connected again ${views.reconnects} times`],
      ['requests', `${ledger.requests}, of which ${ledger.failures} failed`],
      [
        'sent elsewhere',
        `${sum((one) => one.refused)} refused connections, ${sum((one) => one.reset)} ended connections`,
      ],
    ],
  };
}
