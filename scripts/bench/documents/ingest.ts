import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { siblingId } from '#src/domain/ids.ts';
import type { Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import type { LoadClient } from '#scripts/bench/processes/load-client.ts';
import { acksOf, putFiles, type File } from '#scripts/bench/processes/uploads.ts';
import { UsageError } from '#scripts/cli/with-app.ts';

const lookEveryMs = 500;
/** By document, when all wait for one Tesseract. */
const giveUpMs = 60_000;

export interface Scan extends File {
  readonly pages: number;
}

export async function readScan(path: string): Promise<Scan> {
  const bytes = await readFile(path);
  const codec = createImageCodec();
  const contentType = codec.sniff(bytes.subarray(0, 64));
  if (contentType === null) throw new UsageError(`${path} is no image that Inkgraph takes.`);
  return { contentType, bytes, pages: (await codec.inspect(bytes)).pages };
}

/** Sends the scans all the way: upload, acknowledgement, the whole default workflow. Settles when all runs have succeeded. */
export async function ingest(inkgraph: Inkgraph, client: LoadClient, scans: readonly Scan[]): Promise<void> {
  const { addresses, seed } = inkgraph;
  const objectKeys = await putFiles(inkgraph, client, scans);
  const acks = acksOf(`${addresses.api}/api/uploads/ack`, seed.workflowKey, objectKeys);
  const answers = await client.collect<{ document: { id: string } }>(acks, 201);
  const until = performance.now() + giveUpMs * scans.length;
  for (const { document } of answers) await untilDone(inkgraph, document.id, until);
}

/** Asks seldom, and of the database: asking costs the process under test next to nothing. */
async function untilDone({ app, seed }: Inkgraph, documentId: string, until: number): Promise<void> {
  const executionId = siblingId('execution', documentId.slice('doc_'.length));
  while (performance.now() < until) {
    const [run] = await app.deps.executions.runsOf(seed.organizationId, executionId);
    if (run?.status === 'succeeded') return;
    if (run !== undefined && run.finishedAt !== null)
      throw new Error(`a run ended as ${run.status}: ${run.error?.message ?? 'no reason'}`);
    await pause(lookEveryMs);
  }
  throw new Error(`${documentId} was not through its workflow in time`);
}
