import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf } from '#scripts/bench/figures.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import type { HttpRequest } from '#scripts/bench/processes/http-send.ts';
import { startLoadClient, type LoadClient, type Measured } from '#scripts/bench/processes/load-client.ts';
import { acksOf, putFiles } from '#scripts/bench/processes/uploads.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';
import { smallPng } from '#scripts/bench/small-png.ts';

const documents = 10_000;
/** Documents that are read, in turn. */
const asked = 500;

interface Sides {
  readonly context: BenchContext;
  readonly inkgraph: Inkgraph;
  readonly peer: Child;
  readonly client: LoadClient;
}

interface Pair {
  readonly what: string;
  readonly label: string;
  readonly peerName: string;
  readonly status: number;
  readonly atLeast: number;
  readonly ours: () => Promise<readonly HttpRequest[]>;
  readonly theirs: readonly HttpRequest[];
}

function linesOf({ what, peerName, atLeast }: Pair, { ours, peer }: { ours: Measured[]; peer: Measured[] }): Line[] {
  const line = (name: string, unit: string, of: (one: Measured) => number): Line => ({
    id: 'F1',
    what: `${what}: ${name}`,
    unit,
    ours: figureOf(ours.map(of)),
    peer: { name: peerName, figure: figureOf(peer.map(of)) },
  });
  return [
    { ...line('throughput', 'req/s', (one) => one.perSecond), goal: { of: 'ratio', atLeast } },
    line('CPU a request', 'ms', (one) => one.cpuMs),
  ];
}

async function compare({ context, inkgraph, peer, client }: Sides, pair: Pair): Promise<Line[]> {
  const results = await interleave(context, {
    ours: async () => client.measure(inkgraph.service, pair.label, await pair.ours(), pair.status),
    peer: () => client.measure(peer, `${pair.label}-peer`, pair.theirs, pair.status),
  });
  return linesOf(pair, results);
}

async function fill({ app, seed }: Inkgraph): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < documents; from += 200) {
    const batch = Array.from({ length: 200 }, (_, index) => sampleDocument(seed, from + index));
    await Promise.all(batch.map((document) => app.deps.documents.insert(document)));
    ids.push(...batch.map(({ _id }) => _id));
  }
  return ids;
}

const spread = (ids: readonly string[]): string[] => ids.filter((_, index) => index % (documents / asked) === 0);
const repeated = <Item>(items: readonly Item[], count: number): Item[] =>
  Array.from({ length: count }, (_, index) => items[index % items.length] as Item);

async function measureReads(sides: Sides, origin: string): Promise<Line[]> {
  const { context, inkgraph, peer } = sides;
  context.progress(`inserting ${documents} documents on both sides`);
  const [ours, theirs] = [spread(await fill(inkgraph)), spread(await peer.ask<string[]>('fill', documents))];
  const headers = { 'x-api-key': inkgraph.seed.serviceKey };
  const base = `${inkgraph.addresses.api}/api/service/documents`;
  const get = (url: string, more: object = {}): HttpRequest => ({ method: 'GET', url, ...more });
  const peerName = 'Express + driver + same engine, one read';
  const shared = { peerName, status: 200 };
  const [gets, lists] = [scaled(context, 4_000), scaled(context, 1_000)];
  const byId = ours.map((id) => get(`${base}/${id}`, { headers }));
  return [
    ...(await compare(sides, {
      ...shared,
      what: 'document by id, of 10,000',
      label: 'F1-get',
      atLeast: 0.8,
      ours: async () => repeated(byId, gets),
      theirs: repeated(theirs, gets).map((id) => get(`${origin}/one/${id}`)),
    })),
    ...(await compare(sides, {
      ...shared,
      what: 'list of 25, of 10,000',
      label: 'F1-list',
      atLeast: 0.7,
      ours: async () => repeated([get(`${base}?limit=25`, { headers })], lists),
      theirs: repeated([get(`${origin}/list`)], lists),
    })),
  ];
}

async function measureAcks(sides: Sides, origin: string): Promise<Line[]> {
  const { context, inkgraph, client } = sides;
  const files = repeated([{ contentType: 'image/png', bytes: smallPng }], scaled(context, 1_500));
  const key = inkgraph.seed.workflowKey;
  return compare(sides, {
    what: 'ack, PNG of 1 pixel',
    label: 'F1-ack',
    peerName: 'Express + driver + same engine, one durable write',
    status: 201,
    atLeast: 0.7,
    ours: async () => acksOf(`${inkgraph.addresses.api}/api/uploads/ack`, key, await putFiles(inkgraph, client, files)),
    theirs: acksOf(
      `${origin}/ack`,
      key,
      files.map((_, index) => `uploads/bench/${index}`),
    ),
  });
}

/** F1: the requests of G1 and G2 beside the least that a service on the same driver and engine can do. */
export const sameEngine: Row = {
  id: 'F1',
  async measure(context) {
    await using inkgraph = await startInkgraph(context, 'api');
    const folder = await mkdtemp(join(context.scratch, 'peer-'));
    const { profiles } = context;
    await using peer = startChild(new URL('../peers/driver-server.ts', import.meta.url), { args: [folder], profiles });
    await using client = startLoadClient();
    const sides: Sides = { context, inkgraph, peer, client };
    const origin = await peer.ask<string>('origin');
    return [...(await measureReads(sides, origin)), ...(await measureAcks(sides, origin))];
  },
};
