import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { AckReply, PresignReply, Upload } from '#src/contracts/resources/upload.ts';
import type { Input } from '#scripts/inputs/input.ts';

/** Ends of an input. The last two break a promise. */
export const outcomes = ['refused', 'failed', 'read', 'blank', 'warned', 'silent blank', 'crash'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Result {
  readonly input: Input;
  readonly outcome: Outcome;
  /** Code of the error or of the warnings, or a few words of the text. */
  readonly reason: string;
}

export interface Place {
  readonly api: string;
  readonly workflowKey: string;
  readonly serviceKey: string;
}

const Problem = z.object({ code: z.string(), detail: z.string() });
/** Codes that name no reason. */
const unnamed: ReadonlySet<string> = new Set(['service.internal', 'run.failed', 'node.failed']);

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask({ api }: Place, key: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(new URL(path, api), {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Null for an answer that is no error. */
function refusalOf(input: Input, { status, text }: Answer): Result | null {
  if (status < 400) return null;
  const problem = status < 500 ? Problem.safeParse(JSON.parse(text)) : null;
  if (problem?.success !== true) return { input, outcome: 'crash', reason: `${status} ${text.slice(0, 200)}` };
  return { input, outcome: 'refused', reason: problem.data.code };
}

/** Uploads an input and waits for its run. A service that does not answer is a crash. */
export async function tryInput(place: Place, input: Input): Promise<Result> {
  try {
    return await sent(place, input);
  } catch (error) {
    return { input, outcome: 'crash', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function sent(place: Place, input: Input): Promise<Result> {
  const { contentType, bytes } = input;
  const presigned = await ask(place, place.workflowKey, '/api/uploads/presign', { contentType, size: bytes.length });
  const notPresigned = refusalOf(input, presigned);
  if (notPresigned !== null) return notPresigned;
  const { uploadUrl, objectKey } = PresignReply.parse(JSON.parse(presigned.text));
  const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!stored.ok) return { input, outcome: 'crash', reason: `PUT answered ${stored.status}` };
  const acked = await ask(place, place.workflowKey, '/api/uploads/ack', { objectKey });
  const notAcked = refusalOf(input, acked);
  if (notAcked !== null) return notAcked;
  return ended(place, input, AckReply.parse(JSON.parse(acked.text)).document.id);
}

async function ended(place: Place, input: Input, documentId: string): Promise<Result> {
  for (;;) {
    const { status, text } = await ask(place, place.workflowKey, `/api/uploads/${documentId}?wait=30`);
    if (status !== 200) return { input, outcome: 'crash', reason: `GET answered ${status} ${text.slice(0, 200)}` };
    const { runs, execution } = Upload.parse(JSON.parse(text));
    if (execution === null || execution.finishedAt === null) continue;
    const [run] = runs;
    if (run?.status === 'succeeded') return read(place, input, documentId);
    const code = run?.error?.code ?? '';
    const isNamed = code !== '' && !unnamed.has(code);
    return { input, outcome: isNamed ? 'failed' : 'crash', reason: isNamed ? code : JSON.stringify(run?.error ?? run) };
  }
}

async function read(place: Place, input: Input, documentId: string): Promise<Result> {
  const path = `/api/service/documents/${documentId}`;
  const { ocr } = Document.parse(JSON.parse((await ask(place, place.serviceKey, path)).text));
  const { text } = await ask(place, place.serviceKey, `${path}/text`);
  const warnings = [...new Set(ocr?.warnings.map(({ code }) => code) ?? [])];
  if (warnings.length > 0) return { input, outcome: 'warned', reason: warnings.join(', ') };
  if (text.trim() !== '') return { input, outcome: 'read', reason: text.trim().replaceAll(/\s+/g, ' ').slice(0, 60) };
  return { input, outcome: input.hasText ? 'silent blank' : 'blank', reason: '' };
}
