import type { NodeComputing } from '#graphs/compute/computing.ts';
import type { ReadAnswer } from '#graphs/models/ask-for-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads answers that fit a schema without `schemaProblems`: the value, or the first ten errors, one line each. */
export function readerOf(schema: Json, computing: NodeComputing): (value: Json) => Promise<ReadAnswer<Json>> {
  return async (value) => {
    const problems = await computing.problems(schema, value);
    return problems.length === 0 ? { value } : { problems };
  };
}
