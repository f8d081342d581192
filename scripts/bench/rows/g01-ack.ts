import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { hashKey } from '#src/domain/access/api-key.ts';
import { figureOf } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { startLoadClient, type LoadClient, type Measured } from '#scripts/bench/processes/load-client.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import { acksOf, putFiles, type File } from '#scripts/bench/processes/uploads.ts';
import { smallPng } from '#scripts/bench/small-png.ts';

interface Upload extends File {
  readonly what: string;
  /** Acknowledgements a run. */
  readonly count: number;
}

const peerName = 'Express + key + zod + fdatasync';

async function uploads(): Promise<Upload[]> {
  const photo = await readFile(new URL('../../../test/fixtures/photo-rotated.jpg', import.meta.url));
  return [
    { what: 'PNG of 1 pixel', contentType: 'image/png', bytes: smallPng, count: 1_500 },
    { what: `JPEG of ${Math.round(photo.length / 1_000)} kB`, contentType: 'image/jpeg', bytes: photo, count: 400 },
  ];
}

async function measureUpload(
  context: BenchContext,
  { inkgraph, client }: { inkgraph: Inkgraph; client: LoadClient },
  upload: Upload,
): Promise<Line[]> {
  const key = inkgraph.seed.workflowKey;
  const ackUrl = `${inkgraph.addresses.api}/api/uploads/ack`;
  const [example] = await client.collect<{ document: object }>(
    acksOf(ackUrl, key, await putFiles(inkgraph, client, [upload])),
    201,
  );
  const args = [join(context.scratch, 'acks.log'), hashKey(key), JSON.stringify(example?.document)];
  await using peer = startChild(new URL('../peers/ack-server.ts', import.meta.url), { args });
  const peerUrl = `${await peer.ask<string>('origin')}/ack`;
  const count = scaled(context, upload.count);
  let keys: string[] = [];
  const results = await interleave(context, {
    async ours() {
      keys = await putFiles(
        inkgraph,
        client,
        Array.from({ length: count }, () => upload),
      );
      return client.measure(inkgraph.service, `G1-${upload.contentType.slice(6)}`, acksOf(ackUrl, key, keys), 201);
    },
    async peer() {
      const some = keys.length === 0 ? Array.from({ length: count }, (_, index) => `uploads/bench/${index}`) : keys;
      return client.measure(peer, 'peer', acksOf(peerUrl, key, some), 201);
    },
  });
  return linesOf(upload.what, results);
}

function linesOf(what: string, { ours, peer }: { ours: Measured[]; peer: Measured[] }): Line[] {
  const line = (name: string, unit: string, of: (one: Measured) => number): Omit<Line, 'goal'> => ({
    id: 'G1',
    what: `ack, ${what}: ${name}`,
    unit,
    ours: figureOf(ours.map(of)),
    peer: { name: peerName, figure: figureOf(peer.map(of)) },
  });
  return [
    { ...line('throughput', 'req/s', (one) => one.perSecond), goal: { of: 'ratio', atLeast: 0.5 } },
    { ...line('CPU a request', 'ms', (one) => one.cpuMs), goal: { of: 'ratio', atMost: 2 } },
    { ...line('p99 latency', 'ms', (one) => one.p99Ms), goal: { of: 'ratio', atMost: 3 } },
  ];
}

/** G1: a durable acknowledgement beside the least that Express can do. */
export const ack: Row = {
  id: 'G1',
  async measure(context) {
    await using inkgraph = await startInkgraph(context, 'api');
    await using client = startLoadClient();
    const lines: Line[] = [];
    for (const upload of await uploads()) {
      lines.push(...(await measureUpload(context, { inkgraph, client }, upload)));
    }
    return lines;
  },
};
