import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { Execution } from '#src/contracts/resources/execution.ts';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';

export interface Uploader {
  /** Presign, PUT, ack: what any uploader does. Answers the document's id. */
  upload(bytes: Buffer, contentType: string, filename: string): Promise<string>;
}

async function json<Result>(response: Response, schema: z.ZodType<Result>): Promise<Result> {
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(body)}`);
  return schema.parse(body);
}

/** POST with an API key; waits for Retry-After when the service limits the rate. */
async function post<Result>(url: string, key: string, body: object, schema: z.ZodType<Result>): Promise<Result> {
  for (;;) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 429) return json(response, schema);
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    await pause(seconds * 1_000);
  }
}

export function createUploader(baseUrl: string, workflowKey: string): Uploader {
  return {
    async upload(bytes, contentType, filename) {
      const wanted = { contentType, size: bytes.length, filename };
      const presigned = await post(`${baseUrl}/api/uploads/presign`, workflowKey, wanted, PresignReply);
      const stored = await fetch(presigned.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
      if (!stored.ok) throw new Error(`upload answered ${stored.status}: ${await stored.text()}`);
      const { objectKey } = presigned;
      const { document } = await post(`${baseUrl}/api/uploads/ack`, workflowKey, { objectKey }, AckReply);
      return document.id;
    },
  };
}

/** Waits for the run that an upload started; its execution shares the document's token. */
export async function waitForExecution(baseUrl: string, serviceKey: string, documentId: string): Promise<Execution> {
  const id = documentId.replace('doc_', 'exec_');
  for (;;) {
    const response = await fetch(`${baseUrl}/api/service/workflow-executions/${id}?wait=20`, {
      headers: { 'x-api-key': serviceKey },
    });
    // The execution is created right after the ack has been answered.
    if (response.status === 404) {
      await pause(50);
      continue;
    }
    const execution = await json(response, Execution);
    if (execution.finishedAt !== null) return execution;
  }
}
