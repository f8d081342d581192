import { InkgraphError } from '#src/domain/app-error.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';
import { Execution } from '#src/contracts/resources/execution.ts';

/** Current address of the service; resolves after a restart while it is down. */
export type Whereabouts = () => Promise<string>;

/** The way of a client to the service. */
export interface Way {
  readonly whereabouts: Whereabouts;
  /** Hears of each answer; null: the connection broke. `about` names the request. */
  readonly answered?: (status: number | null, about: string) => void;
}

/** The service gave a response that breaks a promise; retrying does not help. */
class BrokenPromiseError extends InkgraphError {}

/** A service that is killed while S3 is away starts when S3 is back: tries that are 20 ms apart go on for longer than that. */
const giveUpAfter = 2_000;
/** Time between two tries: without it, clients of a dead service take the processor from the one that starts in its place. */
const betweenMs = 20;
/** Time that a client waits after an answer that says to come back later. */
const laterMs = 100;

/** `fetch`, of which the client's owner hears. */
async function seen({ answered }: Way, url: URL, init: RequestInit): Promise<Response> {
  const about = `${init.method ?? 'GET'} ${url.origin}${url.pathname.replaceAll(/(doc|exec)_\w+/g, '$1_…').slice(0, 60)}`;
  try {
    const response = await fetch(url, init);
    answered?.(response.status, about);
    return response;
  } catch (error) {
    answered?.(null, about);
    throw error;
  }
}

/** Asks until there is an answer: connections that break are what is being tried out here. */
async function ask<Reply>(way: Way, path: string, init: RequestInit, schema: z.ZodType<Reply>): Promise<Reply> {
  for (let tried = 1; ; tried += 1) {
    const url = new URL(path, await way.whereabouts());
    try {
      const response = await seen(way, url, init);
      const text = await response.text();
      if (response.ok) return schema.parse(JSON.parse(text));
      if (response.status === 404 && init.method === undefined) {
        // An execution is made right after the ack was answered.
        await pause(betweenMs);
        continue;
      }
      if (response.status < 500) throw new BrokenPromiseError(`${url.pathname} answered ${response.status}: ${text}`);
      await pause(laterMs);
    } catch (error) {
      if (error instanceof BrokenPromiseError || error instanceof z.ZodError || tried >= giveUpAfter) throw error;
      await pause(betweenMs);
    }
  }
}

const jsonInit = (key: string, body: object): RequestInit => ({
  method: 'POST',
  headers: { 'x-api-key': key, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The object key of a stored file. An address dies with its service: a broken upload begins anew. */
async function put(way: Way, key: string, file: { bytes: Buffer; contentType: string }): Promise<string> {
  for (let tried = 1; ; tried += 1) {
    const wanted = { contentType: file.contentType, size: file.bytes.length };
    const { uploadUrl, objectKey } = await ask(way, '/api/uploads/presign', jsonInit(key, wanted), PresignReply);
    try {
      const init = { method: 'PUT', body: new Uint8Array(file.bytes) };
      const stored = await seen(way, new URL(uploadUrl), init);
      if (stored.ok) return objectKey;
      if (stored.status < 500) throw new BrokenPromiseError(`PUT answered ${stored.status}: ${await stored.text()}`);
      await pause(laterMs);
    } catch (error) {
      if (error instanceof BrokenPromiseError || tried >= giveUpAfter) throw error;
      await pause(betweenMs);
    }
  }
}

/** Uploads and acknowledges through any number of deaths of the service; answers the document's id once it was acknowledged. */
export async function uploadStubbornly(
  way: Way,
  key: string,
  file: { bytes: Buffer; contentType: string },
): Promise<string> {
  const objectKey = await put(way, key, file);
  const { document } = await ask(way, '/api/uploads/ack', jsonInit(key, { objectKey }), AckReply);
  return document.id;
}

/** Waits until the run that an upload started is over. */
export async function untilFinished(way: Way, serviceKey: string, documentId: string): Promise<Execution> {
  const path = `/api/service/workflow-executions/${documentId.replace('doc_', 'exec_')}?wait=20`;
  for (;;) {
    const execution = await ask(way, path, { headers: { 'x-api-key': serviceKey } }, Execution.or(z.null()));
    if (execution !== null && execution.finishedAt !== null) return execution;
  }
}
