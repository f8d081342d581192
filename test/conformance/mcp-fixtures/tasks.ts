import { randomUUID } from 'node:crypto';
import {
  inputRequired,
  type CallToolResult,
  type InputRequests,
  type InputResponses,
} from '@modelcontextprotocol/server';
import type { Task, Tasks } from '#mcp/tasks/tasks.ts';
import type { McpTool } from '#mcp/tool.ts';
import { answered, askFor } from './input-required.ts';
import { fixture, text } from './fixture.ts';

type Outcome =
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } };

interface Entry {
  readonly createdAt: Date;
  readonly endsAt: number;
  readonly open: Map<string, InputRequests[string]>;
  readonly outcome: Outcome;
  cancelled: boolean;
}

interface Work {
  readonly outcome: Outcome;
  /** Duration in seconds of the referee, each of which is shortened here. */
  readonly seconds?: number;
  readonly asks?: InputRequests;
}

const millisecondsOfASecond = 20;
const idKey = 'test/task';

/** Tasks in memory: work is nothing but time that passes, or answers that come. */
export class MemoryTasks implements Tasks {
  readonly #entries = new Map<string, Entry>();

  /** The id of the new task. */
  begin({ outcome, seconds = 1, asks = {} }: Work): string {
    const taskId = randomUUID();
    this.#entries.set(taskId, {
      createdAt: new Date(),
      endsAt: performance.now() + seconds * millisecondsOfASecond,
      open: new Map(Object.entries(asks)),
      outcome,
      cancelled: false,
    });
    return taskId;
  }

  async get(taskId: string): Promise<Task | null> {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return null;
    const { createdAt } = entry;
    const facts = { taskId, createdAt, lastUpdatedAt: createdAt, ttlMs: 60_000, pollIntervalMs: 50 };
    if (entry.cancelled) return { ...facts, status: 'cancelled' };
    if (entry.open.size > 0)
      return { ...facts, status: 'input_required', inputRequests: Object.fromEntries(entry.open) };
    return performance.now() < entry.endsAt ? { ...facts, status: 'working' } : { ...facts, ...entry.outcome };
  }

  async update(taskId: string, responses: InputResponses): Promise<boolean> {
    const entry = this.#entries.get(taskId);
    for (const key of Object.keys(responses)) entry?.open.delete(key);
    return entry !== undefined;
  }

  async cancel(taskId: string): Promise<boolean> {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return false;
    const over = entry.open.size === 0 && performance.now() >= entry.endsAt;
    entry.cancelled ||= !over;
    return true;
  }
}

function started(taskId: string): CallToolResult {
  return { ...text('It goes on.'), _meta: { [idKey]: taskId } };
}

const taskOf = ({ _meta }: CallToolResult): string | null => (_meta?.[idKey] as string | undefined) ?? null;
const done = (value: string): Outcome => ({ status: 'completed', result: text(value) });
const confirm = inputRequired.elicit({
  message: 'Really?',
  requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
});

/** Tools whose work outlives the call. */
export function taskTools(tasks: MemoryTasks): readonly McpTool[] {
  const job = (name: string, work: Work): McpTool => ({
    ...fixture(name, { description: 'Goes on after the call.' }, () => started(tasks.begin(work))),
    taskOf,
  });
  const named = { type: 'object', properties: { name: { type: 'string' } } } as const;
  return [
    fixture('greet', { description: 'Greets at once.', input: named }, (_, { name }) =>
      text(`Hello, ${String(name)}!`),
    ),
    {
      ...fixture('slow_compute', { description: 'Takes its time.', input: { type: 'object' } }, (_, { seconds }) =>
        seconds === 0
          ? text('Done at once.')
          : started(tasks.begin({ seconds: Number(seconds), outcome: done('Done.') })),
      ),
      taskOf,
    },
    {
      ...job('failing_job', { outcome: { status: 'completed', result: { ...text('It went wrong.'), isError: true } } }),
      needsTask: true,
    },
    job('protocol_error_job', { outcome: { status: 'failed', error: { code: -32_603, message: 'It broke.' } } }),
    job('confirm_delete', { asks: { sure: confirm }, outcome: done('Deleted.') }),
    job('multi_input', { asks: { first: confirm, second: confirm }, outcome: done('Both said.') }),
    {
      ...fixture('test_tool_with_task', { description: 'Asks, then goes on.' }, ({ sdk }) => {
        const name = answered(sdk, 'user_name', 'name');
        if (name === null) return inputRequired({ inputRequests: { user_name: askFor('name') } });
        return started(tasks.begin({ outcome: done(`It was for ${name}.`) }));
      }),
      taskOf,
    },
  ];
}
