import { InkgraphError } from '#src/domain/app-error.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';
import { Execution } from '#src/contracts/resources/execution.ts';

/** Current address of the service; resolves after a restart while it is down. */
export type Whereabouts = () => Promise<string>;

/** The service gave a response that breaks a promise; retrying does not help. */
class BrokenPromiseError extends InkgraphError {}

const giveUpAfter = 200;

/** Asks until there is an answer: connections that break are what is being tried out here. */
async function ask<Reply>(
  base: Whereabouts,
  path: string,
  init: RequestInit,
  schema: z.ZodType<Reply>,
): Promise<Reply> {
  for (let tried = 1; ; tried += 1) {
    const url = new URL(path, await base());
    try {
      const response = await fetch(url, init);
      const text = await response.text();
      if (response.ok) return schema.parse(JSON.parse(text));
      if (response.status === 404 && init.method === undefined) {
        // An execution is made right after the ack was answered.
        await pause(20);
        continue;
      }
      if (response.status < 500) throw new BrokenPromiseError(`${url.pathname} answered ${response.status}: ${text}`);
    } catch (error) {
      if (error instanceof BrokenPromiseError || error instanceof z.ZodError || tried >= giveUpAfter) throw error;
    }
  }
}

const jsonInit = (key: string, body: object): RequestInit => ({
  method: 'POST',
  headers: { 'x-api-key': key, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The object key of a stored file. An address dies with its service: a broken upload begins anew. */
async function put(base: Whereabouts, key: string, file: { bytes: Buffer; contentType: string }): Promise<string> {
  for (let tried = 1; ; tried += 1) {
    const wanted = { contentType: file.contentType, size: file.bytes.length };
    const { uploadUrl, objectKey } = await ask(base, '/api/uploads/presign', jsonInit(key, wanted), PresignReply);
    try {
      const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(file.bytes) });
      if (stored.ok) return objectKey;
      if (stored.status < 500) throw new BrokenPromiseError(`PUT answered ${stored.status}: ${await stored.text()}`);
    } catch (error) {
      if (error instanceof BrokenPromiseError || tried >= giveUpAfter) throw error;
    }
  }
}

/** Uploads and acknowledges through any number of deaths of the service; answers the document's id once it was acknowledged. */
export async function uploadStubbornly(
  base: Whereabouts,
  key: string,
  file: { bytes: Buffer; contentType: string },
): Promise<string> {
  const objectKey = await put(base, key, file);
  const { document } = await ask(base, '/api/uploads/ack', jsonInit(key, { objectKey }), AckReply);
  return document.id;
}

/** Waits until the run that an upload started is over. */
export async function untilFinished(base: Whereabouts, serviceKey: string, documentId: string): Promise<Execution> {
  const path = `/api/service/workflow-executions/${documentId.replace('doc_', 'exec_')}?wait=20`;
  for (;;) {
    const execution = await ask(base, path, { headers: { 'x-api-key': serviceKey } }, Execution.or(z.null()));
    if (execution !== null && execution.finishedAt !== null) return execution;
  }
}
