import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Seed } from '#app/compose/seed.ts';
import { InkgraphError } from '#src/domain/app-error.ts';

/** Way into an installation that is alive: its API, and the keys of its seed. */
export interface Alive {
  readonly api: string;
  readonly seed: Seed;
}

/** Ids of what a life leaves. */
export interface Left {
  /** Read, described and indexed by the default workflow; has a record that was corrected. */
  readonly documentId: string;
  readonly recordId: string;
  /** Run that waits for an answer at `path`. */
  readonly waiting: { readonly runId: string; readonly path: string };
}

class FailedStepError extends InkgraphError {}

const limitMs = 120_000;
const pollMs = 200;

const fixtureBytes = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../test/fixtures/${name}`, import.meta.url));

/** One request; throws for an answer that is no success. Only these few fields of answers are read: releases add others. */
async function ask<Reply>(
  { api }: Alive,
  { method = 'GET', path, key, body }: { method?: string; path: string; key: string; body?: unknown },
  reply: z.ZodType<Reply>,
): Promise<Reply> {
  const response = await fetch(new URL(path, api), {
    method,
    headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new FailedStepError(`${method} ${path} was answered with ${response.status}: ${text}`);
  return reply.parse(JSON.parse(text));
}

async function until<Found>(about: string, look: () => Promise<Found | null>): Promise<Found> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const found = await look();
    if (found !== null) return found;
    await pause(pollMs);
  }
  throw new FailedStepError(`${about} did not come within ${limitMs / 1_000} s`);
}

const Id = z.object({ id: z.string() });

/** Uploads a fixture and acknowledges it: with a workflow key, or for the service API without a workflow. */
export async function uploadTo(alive: Alive, name: string, by: 'workflow' | 'service'): Promise<string> {
  const { seed } = alive;
  const [base, key] =
    by === 'workflow'
      ? (['/api/uploads', seed.workflowKey] as const)
      : (['/api/service/uploads', seed.serviceKey] as const);
  const bytes = await fixtureBytes(name);
  const contentType = name.endsWith('.gif') ? 'image/gif' : 'image/jpeg';
  const presigned = z.object({ uploadUrl: z.string(), objectKey: z.string() });
  const wanted = { contentType, size: bytes.length, ...(by === 'service' && { visibility: 'private' }) };
  const { uploadUrl, objectKey } = await ask(
    alive,
    { method: 'POST', path: `${base}/presign`, key, body: wanted },
    presigned,
  );
  const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!stored.ok) throw new FailedStepError(`the upload was answered with ${stored.status}`);
  const acked = z.object({ document: Id });
  const body = { objectKey, ...(by === 'service' && { idempotencyKey: 'life' }) };
  return (await ask(alive, { method: 'POST', path: `${base}/ack`, key, body }, acked)).document.id;
}

const Runs = z.object({
  runs: z.array(z.object({ runId: z.string(), status: z.string(), waitingFor: z.unknown().optional() })),
});

async function runOver(
  alive: Alive,
  workflowId: string,
  documentId: string,
  status: string,
): Promise<{ runId: string; waitingFor?: unknown }> {
  const { seed } = alive;
  const path = '/api/service/workflow-executions';
  const key = seed.serviceKey;
  const body = { workflowId, documentIds: [documentId] };
  const execution = await ask(alive, { method: 'POST', path, key, body }, Id);
  return until(`a run of ${workflowId} that is ${status}`, async () => {
    const { runs } = await ask(alive, { path: `${path}/${execution.id}/runs`, key }, Runs);
    const [run] = runs;
    if (run?.status === 'failed') throw new FailedStepError(`a run of ${workflowId} failed`);
    return run?.status === status ? run : null;
  });
}

/** Waits until the run that an upload started has ended. */
export async function untilRead(alive: Alive, documentId: string): Promise<string> {
  const path = `/api/service/workflow-executions/${documentId.replace('doc_', 'exec_')}?wait=20`;
  const End = z.object({ finishedAt: z.string().nullable(), status: z.string() });
  const { status } = await until(`the end of the run of ${documentId}`, async () => {
    const found = await ask(alive, { path, key: alive.seed.serviceKey }, End).catch((error: unknown) => {
      // An execution is made right after the ack was answered.
      if (error instanceof FailedStepError && error.message.includes(' 404')) return null;
      throw error;
    });
    return found === null || found.finishedAt === null ? null : found;
  });
  return status;
}

/**
 * Does with an installation over HTTP what people and programs do, by requests that every release since 0.2.0 answers: uploads, tags, runs,
 * a question, a record that is corrected, and a webhook.
 */
export async function live(alive: Alive): Promise<Left> {
  const { agentKey, serviceKey } = alive.seed;
  const documentId = await uploadTo(alive, 'receipt.jpg', 'workflow');
  await untilRead(alive, documentId);
  const tags = { tags: ['kept'], title: 'A receipt of an earlier release' };
  await ask(
    alive,
    { method: 'PATCH', path: `/api/service/documents/${documentId}`, key: serviceKey, body: tags },
    z.unknown(),
  );
  await runOver(alive, 'wf_receipt_extraction', documentId, 'succeeded');
  const Records = z.object({ records: z.array(z.object({ recordId: z.string(), revision: z.number() })) });
  const { records } = await ask(alive, { path: '/api/service/records?recordType=receipt', key: agentKey }, Records);
  const [record] = records;
  if (record === undefined) throw new FailedStepError('the extraction made no record');
  const change = { revision: record.revision, set: { total: { amount: 12.5, currency: 'EUR' } } };
  await ask(
    alive,
    { method: 'PATCH', path: `/api/service/records/${record.recordId}`, key: agentKey, body: change },
    z.unknown(),
  );
  const webhook = { url: 'https://webhooks.example/inkgraph', events: ['run.completed'] };
  await ask(alive, { method: 'POST', path: '/api/service/webhooks', key: agentKey, body: webhook }, z.unknown());
  const loose = await uploadTo(alive, 'note.gif', 'service');
  const asked = await runOver(alive, 'wf_triage', loose, 'waiting');
  const [question] = z.array(z.object({ path: z.string() })).parse(asked.waitingFor);
  return { documentId, recordId: record.recordId, waiting: { runId: asked.runId, path: question?.path ?? '' } };
}
