import { ModelError } from '#src/domain/model-error.ts';
import type { ChatModel, ChatRequest } from '#src/domain/ports/chat-model.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';
import { sumUsage } from '#graphs/models/usage.ts';

/** Largest JSON value in a channel, in bytes. */
export const largestAnswer = 32 * 1024;
/** Characters of an invalid answer to send back to the model. */
const shownAgain = 8_000;
const namedProblems = 3;

/** Result of validation: a value, or its errors, one line each. */
export type ReadAnswer<T> = { readonly value: T } | { readonly problems: readonly string[] };

export interface JsonRequest<T> extends ChatRequest {
  readonly schema: NonNullable<ChatRequest['schema']>;
  /** Called with a parsed object of at most 32 KiB. */
  readonly read: (value: Readonly<Record<string, unknown>>) => ReadAnswer<T> | Promise<ReadAnswer<T>>;
}

/**
 * Asks a model for JSON. If the answer is invalid, asks once more with the errors, then throws `model.output_invalid` with the first of
 * them. `first` is an answer of an earlier call. The returned usage is that of all calls.
 */
export async function askForJson<T>(
  chat: ChatModel,
  { read, ...request }: JsonRequest<T>,
  first?: { readonly text: string; readonly usage: ModelUsage },
): Promise<{ value: T; usage: ModelUsage }> {
  const answer = first ?? (await chat.complete(request));
  const reading = await readJson(answer.text, read);
  if ('value' in reading) return { value: reading.value, usage: answer.usage };
  const repaired = await chat.complete({
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', text: answer.text.slice(0, shownAgain).toWellFormed().trim() || '(empty)' },
      { role: 'user', text: repairText(reading.problems, request.schema.schema) },
    ],
  });
  const usage = sumUsage([answer.usage, repaired.usage]);
  const second = await readJson(repaired.text, read);
  if ('value' in second) return { value: second.value, usage };
  const problems = second.problems
    .slice(0, namedProblems)
    .join('; ')
    .replace(/\p{C}+/gu, ' ');
  throw new ModelError(`${usage.provider}/${usage.model} returned an invalid answer twice: ${problems}.`, usage);
}

/** Instruction that tells the model the required JSON Schema. */
export function schemaRule(schema: Readonly<Record<string, unknown>>): string {
  return `Answer with one JSON object and nothing else, no code fence and no comment. It fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

function repairText(problems: readonly string[], schema: Readonly<Record<string, unknown>>): string {
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  return `Your answer cannot be used:\n${list}\n${schemaRule(schema)}`;
}

async function readJson<T>(text: string, read: JsonRequest<T>['read']): Promise<ReadAnswer<T>> {
  const value = parseObject(text);
  if (value === undefined) return { problems: [text.trim() === '' ? 'it is empty' : 'it is not a JSON object'] };
  if (Buffer.byteLength(JSON.stringify(value)) > largestAnswer)
    return { problems: [`it is larger than ${largestAnswer / 1024} KiB`] };
  return read(value);
}

/** Content of the first code fence. Two searches: one pattern for both ends costs the cube of a run of line breaks. */
function fencedIn(text: string): string | undefined {
  const start = /```(?:json)?[^\S\n]*\n/i.exec(text);
  if (start === null) return undefined;
  const rest = text.slice(start.index + start[0].length);
  const end = /\n[^\S\n]*```/.exec(rest);
  return end === null ? undefined : rest.slice(0, end.index);
}

/** Finds JSON alone, in a code fence, after reasoning text, or inside prose. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const spoken = text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/, '').trim();
  const fenced = fencedIn(spoken);
  const braces = spoken.slice(Math.max(0, spoken.indexOf('{')), spoken.lastIndexOf('}') + 1);
  for (const candidate of [spoken, fenced, braces]) {
    const value = candidate === undefined ? undefined : parse(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text, withoutPrototype);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Drops `__proto__`, which a plain copy would turn into a prototype. */
function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
