import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'inkgraph/client';
import { quantile } from '#scripts/bench/figures.ts';

/** Scans of an ordinary tenant that its workflow read. */
export interface Reading {
  /** Milliseconds from the first request to the end of the run. */
  readonly times: readonly number[];
  /** Uploads that were refused, and runs that did not succeed. */
  readonly failed: number;
}

export const scanNames = ['note.gif', 'invoice.pdf'] as const;
export type ScanName = (typeof scanNames)[number];

const betweenMs = 500;
/** Seconds that one request waits for the run: the most that the service allows. */
const wait = 30;

/** Uploads the scans in turn, each when the one before was read, until the time is over. */
export async function readScans(
  { api, workflowKey }: { readonly api: string; readonly workflowKey: string },
  seconds: number,
  scans: readonly ScanName[] = scanNames,
): Promise<Reading> {
  const client = createClient({ baseUrl: api, apiKey: workflowKey, retries: 0 });
  const files = await Promise.all(
    scans.map(async (filename) => ({
      filename,
      bytes: new Uint8Array(await readFile(new URL(`../../test/fixtures/${filename}`, import.meta.url))),
    })),
  );
  const times: number[] = [];
  let failed = 0;
  const until = performance.now() + seconds * 1_000;
  for (let turn = 0; performance.now() < until; turn += 1) {
    const file = files[turn % files.length];
    if (file === undefined) throw new Error('there are no scans to upload');
    const begun = performance.now();
    const isRead = await isReadBy(client, file).catch(() => false);
    times.push(performance.now() - begun);
    if (!isRead) failed += 1;
    await pause(betweenMs);
  }
  return { times, failed };
}

async function isReadBy(
  client: ReturnType<typeof createClient>,
  { filename, bytes }: { readonly filename: string; readonly bytes: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  const { document } = await client.upload(bytes, { filename });
  const { status } = await client.ingestion.upload({ id: document.id, wait });
  return status === 'succeeded';
}

/** Several readings as one: the number of scans, their usual time, and failures. */
export function usualReading(readings: readonly Reading[]): {
  readonly scans: number;
  readonly p50: number;
  readonly failed: number;
} {
  return {
    scans: readings.reduce((sum, { times }) => sum + times.length, 0),
    p50: quantile(
      readings.flatMap(({ times }) => times),
      0.5,
    ),
    failed: readings.reduce((sum, { failed }) => sum + failed, 0),
  };
}
