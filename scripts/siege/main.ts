import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import { graphHash } from '#graphs/hash.ts';
import { keyScopes } from '#src/contracts/scopes.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { newId } from '#src/domain/ids.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { processesOf, proportionalBytes } from '#scripts/bench/processes/process-tree.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { storeDocument } from '#scripts/siege/store-document.ts';
import type { Statuses } from '#scripts/siege/send.ts';
import { attacks } from '#scripts/siege/attacks.ts';
import { keepCoreBusy } from '#scripts/siege/busy-core.ts';
import { pageAttacks } from '#scripts/siege/page-attacks.ts';
import type { Target } from '#scripts/siege/target.ts';
import { readScans, usualReading, type ScanName } from '#scripts/siege/read-scans.ts';
import { experienceOf, ordinaryUse, signedIn, type Experience } from '#scripts/siege/tenant.ts';

export interface SiegeOptions {
  /** Seconds that each attack lasts. */
  readonly seconds: number;
  /** Parts of names; empty: all attacks. */
  readonly only: readonly string[];
  readonly progress: (text: string) => void;
}

export interface SiegeLine {
  readonly attack: string;
  /** The time of a scan has a goal: the attack is on the pages. */
  readonly isOnPages: boolean;
  /** Other programs used a core meanwhile. */
  readonly busy: boolean;
  readonly quiet: Experience;
  readonly under: Experience;
  /** Times of the tenant's scans, from upload to read, and those that were not read. */
  readonly reading: {
    readonly quiet: ReturnType<typeof usualReading>;
    readonly under: ReturnType<typeof usualReading>;
  };
  /** Responses that the attacker got. */
  readonly statuses: Statuses;
  /** Memory of all processes, at its highest in the quiet before and under the attack. Shared pages count once. */
  readonly quietBytes: number;
  readonly underBytes: number;
}

/** A graph that computes without end: the checker's limits of loops allow a hundred turns. */
const looping = StoredGraph.parse({
  schemaVersion: 1,
  name: 'Looping',
  state: { n: { schema: { type: 'number' }, default: 0 }, x: { schema: {} } },
  nodes: {
    count: {
      type: 'transform',
      config: { set: { n: 'n + 1', x: 'range(1000).map(i, range(300).map(j, i * j).size()).size()' } },
    },
  },
  edges: [
    { from: 'START', to: 'count' },
    { from: 'count', when: [{ if: 'n < 100', to: 'count' }], else: 'END' },
  ],
});

async function addLooping({ app }: Inkgraph, place: { organizationId: string; projectId: string }): Promise<string> {
  const now = new Date();
  const _id = newId('workflow', now);
  const hash = graphHash(looping);
  await app.deps.workflows.insert(
    {
      ...place,
      _id,
      schemaVersion: 1,
      name: looping.name,
      description: '',
      source: 'stored',
      codeName: null,
      publishedVersion: 1,
      publishedHash: hash,
      createdAt: now,
      updatedAt: now,
    },
    {
      version: {
        _id: `${_id}@1`,
        organizationId: place.organizationId,
        workflowId: _id,
        version: 1,
        graphHash: hash,
        graph: looping,
        fromRevision: null,
        author: 'siege',
        surface: 'code',
        note: null,
        at: now,
      },
    },
  );
  return _id;
}

/** An organization of the attacker, as a sign-up makes one. */
async function addAttacker(inkgraph: Inkgraph): Promise<Target> {
  const { app, addresses } = inkgraph;
  const createdAt = new Date();
  const organizationId = newId('organization', createdAt);
  const projectId = newId('project', createdAt);
  const place = { organizationId, projectId };
  await app.deps.organizations.insertOrganization({ _id: organizationId, name: 'Attacker', createdAt });
  await app.deps.organizations.insertProject({ _id: projectId, organizationId, name: 'Attacker', createdAt });
  const intake = await addCodeWorkflow(app.deps, documentIntake, place);
  const issued = { ...place, createdBy: 'siege', name: 'Attacker' };
  const workflowKey = await issueKey(app.deps, { ...issued, kind: 'workflow', workflowId: intake._id });
  const key = await issueKey(app.deps, { ...issued, kind: 'service', scopes: keyScopes });
  return {
    ...addresses,
    key: key.secret,
    workflowKey: workflowKey.secret,
    documentId: await storeDocument(addresses.api, key.secret),
    loopingWorkflowId: await addLooping(inkgraph, place),
  };
}

/** Highest memory of the service while the work goes on. */
async function highest<Result>(inkgraph: Inkgraph, work: Promise<Result>): Promise<{ result: Result; bytes: number }> {
  let bytes = 0;
  const timer = setInterval(() => {
    void proportionalBytes(inkgraph.service.pid).then((now) => {
      bytes = Math.max(bytes, now);
    });
  }, 500);
  try {
    return { result: await work, bytes };
  } finally {
    clearInterval(timer);
  }
}

/** A quiet service uses less than so much of a processor, and has no processes left that were started by need. */
const quietShare = 0.05;
const settleMs = 90_000;

/**
 * Resolves when nothing is left of an attack: else the tenant would pay for it in what counts as the quiet, and the next attack would meet
 * refusals of this one.
 */
async function settled({ service }: Inkgraph, processes: number): Promise<void> {
  const until = performance.now() + settleMs;
  let before = await service.usage();
  for (let calm = 0; calm < 2 && performance.now() < until;) {
    await pause(1_000);
    const now = await service.usage();
    const isCalm = now.cpuMs - before.cpuMs < 1_000 * quietShare && (await processesOf(service.pid)) <= processes;
    calm = isCalm ? calm + 1 : 0;
    before = now;
  }
}

/** An ordinary tenant beside each attack, measured before, after and under it. Source: docs/decisions/0081. */
export async function siege({ seconds, only, progress }: SiegeOptions): Promise<readonly SiegeLine[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'inkgraph-siege-'));
  try {
    const context = { runs: 1, scale: 1, images: [], profiles: null, scratch, progress };
    await using inkgraph = await startInkgraph(context, 'api,agents,mcp', { RATE_LIMITS: 'on', LOG_LEVEL: 'error' });
    const target = await addAttacker(inkgraph);
    const { serviceKey, operatorEmail, operatorPassword } = inkgraph.seed;
    const cookie = await signedIn(target.api, operatorEmail, operatorPassword);
    const documentId = await storeDocument(target.api, serviceKey);
    const tenant = { api: target.api, key: serviceKey, documentId, workflowKey: inkgraph.seed.workflowKey, cookie };
    // Requests, and scans that are read meanwhile: the memory that the main job takes is no attacker's work.
    const usual = async (scans?: readonly ScanName[]) => {
      const [requests, reading] = await Promise.all([ordinaryUse(tenant, seconds), readScans(tenant, seconds, scans)]);
      return { requests, reading };
    };
    await usual();
    await using attacker = startChild(new URL('attacker.ts', import.meta.url));
    const lines: SiegeLine[] = [];
    const processes = await processesOf(inkgraph.service.pid);
    const all = [...attacks, ...pageAttacks];
    const chosen = all.filter((one) => only.length === 0 || only.some((part) => one.name.includes(part)));
    for (const { name, scans, busy = false } of chosen) {
      await settled(inkgraph, processes);
      using _busyCore = busy ? keepCoreBusy(2 * seconds + settleMs / 1_000) : null;
      const before = await highest(inkgraph, usual(scans));
      progress(`attack: ${name}`);
      await attacker.ask('begin', { name, target });
      const under = await highest(inkgraph, usual(scans));
      const statuses = await attacker.ask<Statuses>('end');
      await settled(inkgraph, processes);
      const after = await usual(scans);
      lines.push({
        attack: name,
        isOnPages: scans !== undefined,
        busy,
        quiet: experienceOf([before.result.requests, after.requests]),
        under: experienceOf([under.result.requests]),
        reading: {
          quiet: usualReading([before.result.reading, after.reading]),
          under: usualReading([under.result.reading]),
        },
        statuses,
        quietBytes: before.bytes,
        underBytes: under.bytes,
      });
    }
    return lines;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
