import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { ComputeAction } from '#graphs/compute/threads.ts';
import { evaluateBatch, millisecondsOf, type Batch } from '#graphs/compute/evaluate-batch.ts';
import type { SentScore } from '#graphs/evaluators/compute-score.ts';
import type { SentCheck } from '#graphs/compute/check-in-thread.ts';

/** Entry point of a compute thread. It speaks the protocol of guarded-thread.ts and gets one call at a time. */
interface Packet {
  readonly jobId: number;
  readonly action: ComputeAction;
  readonly payload: unknown;
}

const list = Array.from({ length: 10 }, (_, at) => at);

// Code that runs for the first time is slow, which must not count against the limit of an author's expression.
evaluateBatch({ sources: ['list.map(a, list.filter(b, b > a)).size()'], scope: { list }, untilTrue: false, ms: 1_000 });

parentPort?.on('message', (packet: Packet) => {
  void answer(packet);
});

async function answer({ jobId, action, payload }: Packet): Promise<void> {
  try {
    parentPort?.postMessage({ jobId, status: 'resolve', data: await perform(action, payload) }, []);
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    parentPort?.postMessage({ jobId, status: 'reject', data: text.slice(0, 300) }, []);
  }
  // The process is killed when it is idle: without this, the next one would compile everything again.
  flushCompileCache();
}

/**
 * Loads libraries by need: a thread that evaluates expressions knows neither the catalog of nodes nor JSON Schema. Without a payload the call only
 * waits until those of the action are loaded.
 */
async function perform(action: ComputeAction, payload: unknown): Promise<unknown> {
  if (action === 'evaluate') return payload === null ? null : evaluateBatch(payload as Batch);
  if (action === 'problems') {
    const { answerProblems } = await import('#graphs/models/read-answer.ts');
    if (payload === null) return null;
    const { schema, value } = payload as { schema: Readonly<Record<string, unknown>>; value: unknown };
    const start = process.threadCpuUsage();
    const problems = answerProblems(schema, value);
    return { problems, usedMs: millisecondsOf(process.threadCpuUsage(start)) };
  }
  if (action === 'score') {
    const { computeScore } = await import('#graphs/evaluators/compute-score.ts');
    return payload === null ? null : computeScore(payload as SentScore);
  }
  const { checkSent } = await import('#graphs/compute/check-sent.ts');
  return payload === null ? null : checkSent(payload as SentCheck);
}
