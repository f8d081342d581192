import type { Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import type { HttpRequest } from '#scripts/bench/processes/http-send.ts';
import type { LoadClient } from '#scripts/bench/processes/load-client.ts';

export interface File {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const json = { 'content-type': 'application/json' };

/** Presigns and puts the files with the workflow key; answers their object keys, ready to be acknowledged. */
export async function putFiles(
  { addresses, seed }: Inkgraph,
  client: LoadClient,
  files: readonly File[],
): Promise<string[]> {
  const headers = { ...json, 'x-api-key': seed.workflowKey };
  const url = `${addresses.api}/api/uploads/presign`;
  const presigns = files.map(({ contentType, bytes }): HttpRequest => {
    return { method: 'POST', url, headers, body: JSON.stringify({ contentType, size: bytes.length }) };
  });
  const presigned = await client.collect<{ uploadUrl: string; objectKey: string }>(presigns, 200);
  const puts = presigned.flatMap(({ uploadUrl }, index): HttpRequest[] => {
    const file = files[index];
    return file === undefined ? [] : [{ method: 'PUT', url: uploadUrl, body: file.bytes }];
  });
  await client.send(puts, 200);
  return presigned.map(({ objectKey }) => objectKey);
}

/** One acknowledgement for each object key. */
export function acksOf(url: string, key: string, objectKeys: readonly string[]): HttpRequest[] {
  const headers = { ...json, 'x-api-key': key };
  return objectKeys.map((objectKey) => ({ method: 'POST', url, headers, body: JSON.stringify({ objectKey }) }));
}
