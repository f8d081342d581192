import { inThread } from '#graphs/evaluators/in-thread.ts';
import type { ComputeThreads } from '#graphs/compute/threads.ts';

/** Reasons why a value does not fit a schema without `schemaProblems`, the first ten; null if that takes too long to say. */
export async function unfitProblems(
  payload: { readonly schema: Readonly<Record<string, unknown>>; readonly value: unknown },
  {
    threads,
    signal,
    ms,
  }: { readonly threads: ComputeThreads | null; readonly signal: AbortSignal; readonly ms: number },
): Promise<readonly string[] | null> {
  if (threads === null) {
    const { answerProblems } = await import('#graphs/models/read-answer.ts');
    return answerProblems(payload.schema, payload.value);
  }
  const answer = await inThread(threads, { action: 'problems', payload, ms }, signal);
  return answer === null ? null : (answer as { readonly problems: readonly string[] }).problems;
}
