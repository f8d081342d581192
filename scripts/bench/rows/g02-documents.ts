import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf, median } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import type { HttpRequest } from '#scripts/bench/processes/http-send.ts';
import { startLoadClient, type LoadClient } from '#scripts/bench/processes/load-client.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';

const documents = 10_000;
const atOnce = 200;
/** Documents whose answers the peer keeps: requests go over these in turn. */
const asked = 500;
const peerName = 'bare Express, same JSON from memory';

/** Through the repository, newest last; answers the ids. */
async function fill(inkgraph: Inkgraph): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < documents; from += atOnce) {
    const batch = Array.from({ length: atOnce }, (_, index) => sampleDocument(inkgraph.seed, from + index));
    await Promise.all(batch.map((document) => inkgraph.app.deps.documents.insert(document)));
    ids.push(...batch.map((document) => document._id));
  }
  return ids;
}

interface Sides {
  readonly inkgraph: Inkgraph;
  readonly client: LoadClient;
}

async function compare(
  context: BenchContext,
  { inkgraph, client }: Sides,
  pair: {
    label: string;
    what: string;
    ours: readonly HttpRequest[];
    bodies: Record<string, string>;
    peerPaths: readonly string[];
  },
): Promise<Line> {
  const file = join(context.scratch, 'bodies.json');
  await writeFile(file, JSON.stringify(pair.bodies));
  await using peer = startChild(new URL('../peers/json-server.ts', import.meta.url), { args: [file] });
  const origin = await peer.ask<string>('origin');
  const theirs = pair.peerPaths.map((path): HttpRequest => ({ method: 'GET', url: origin + path }));
  const results = await interleave(context, {
    ours: () => client.measure(inkgraph.service, pair.label, pair.ours, 200),
    peer: () => client.measure(peer, 'peer', theirs, 200),
  });
  return {
    id: 'G2',
    what: pair.what,
    unit: 'req/s',
    ours: figureOf(results.ours.map((one) => one.perSecond)),
    cpuMs: median(results.ours.map((one) => one.cpuMs)),
    peer: {
      name: peerName,
      figure: figureOf(results.peer.map((one) => one.perSecond)),
      cpuMs: median(results.peer.map((one) => one.cpuMs)),
    },
    goal: { of: 'ratio', atLeast: 0.6 },
  };
}

function repeated<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[index % items.length] as Item);
}

/** G2: reading documents from the database beside bytes from memory. */
export const readDocuments: Row = {
  id: 'G2',
  async measure(context) {
    await using inkgraph = await startInkgraph(context, 'api');
    await using client = startLoadClient();
    context.progress(`inserting ${documents} documents`);
    const ids = (await fill(inkgraph)).filter((_, index) => index % (documents / asked) === 0);
    const headers = { 'x-api-key': inkgraph.seed.serviceKey };
    const base = `${inkgraph.addresses.api}/api/service/documents`;
    const byId = ids.map((id): HttpRequest => ({ method: 'GET', url: `${base}/${id}`, headers }));
    const list: HttpRequest = { method: 'GET', url: `${base}?limit=25`, headers };
    const answers = await client.collect<{ id: string }>(byId, 200);
    const [page] = await client.collect<object>([list], 200);
    const gets = scaled(context, 4_000);
    const lists = scaled(context, 1_000);
    return [
      await compare(
        context,
        { inkgraph, client },
        {
          label: 'G2-get',
          what: 'document by id, of 10,000',
          ours: repeated(byId, gets),
          bodies: Object.fromEntries(answers.map((answer) => [answer.id, JSON.stringify(answer)])),
          peerPaths: repeated(ids, gets).map((id) => `/one/${id}`),
        },
      ),
      await compare(
        context,
        { inkgraph, client },
        {
          label: 'G2-list',
          what: 'list of 25, of 10,000',
          ours: repeated([list], lists),
          bodies: { list: JSON.stringify(page) },
          peerPaths: repeated(['/list'], lists),
        },
      ),
    ];
  },
};
