import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import type { ErrorCode } from '#src/contracts/error-codes.ts';
import { defineTool, type AnyTool } from '#tools/define.ts';

const read = { scope: null, effect: 'read', idempotent: true } as const;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  ...read,
  input: z.strictObject({ word: z.string().max(20).describe('What to say') }),
  output: z.object({ word: z.string() }),
  run: async (_ctx, { word }) => ({ word }),
});

const who = defineTool({
  name: 'who',
  description: 'Who calls.',
  ...read,
  input: z.strictObject({}),
  output: z.object({ keyId: z.string(), surface: z.string() }),
  run: async ({ principal, surface }) => ({ keyId: principal.actorId, surface }),
});

const fail = defineTool({
  name: 'fail',
  description: 'Fails on purpose.',
  ...read,
  input: z.strictObject({ code: z.string() }),
  output: z.object({}),
  run: async (_ctx, { code }) => {
    throw new AppError(code as ErrorCode, 'Told on purpose.');
  },
});

const crash = defineTool({
  name: 'crash',
  description: 'Fails unexpectedly.',
  ...read,
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => {
    throw new Error('connect ECONNREFUSED 10.0.0.7 password=hunter2');
  },
});

const scan = defineTool({
  name: 'scan',
  description: 'A document as it was scanned.',
  ...read,
  input: z.strictObject({ text: z.string(), times: z.int().default(1) }),
  output: z.object({ documentId: z.string(), documentText: z.string(), pages: z.int() }),
  run: async (_ctx, { text, times }) => ({ documentId: 'doc_1', documentText: text.repeat(times), pages: 1 }),
});

const shelf = defineTool({
  name: 'shelf',
  description: 'Many documents.',
  ...read,
  input: z.strictObject({ count: z.int() }),
  output: z.object({
    documents: z.array(z.object({ id: z.string(), title: z.string().nullable(), kind: z.string() })),
    nextCursor: z.string().nullable(),
  }),
  run: async (_ctx, { count }) => ({
    documents: Array.from({ length: count }, (_, index) => ({
      id: `doc_${index}`,
      title: `Ä title of ${index}, which is not short at all`,
      kind: 'scan'.repeat(50),
    })),
    nextCursor: null,
  }),
});

const keep = defineTool({
  name: 'keep',
  description: 'Writes.',
  scope: 'documents:write',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: z.strictObject({}),
  output: z.object({ kept: z.boolean() }),
  run: async () => ({ kept: true }),
});

/** Waits until its caller goes away; `started` and `gone` tell the test. */
export function waiting(): { tool: AnyTool; started: Promise<void>; gone: Promise<void> } {
  const started = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    ...read,
    input: z.strictObject({}),
    output: z.object({}),
    async run({ signal }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve(), { once: true });
      started.resolve();
      await promise;
      gone.resolve();
      return {};
    },
  });
  return { tool, started: started.promise, gone: gone.promise };
}

export const sampleTools = [echo, who, fail, crash, scan, shelf, keep] as unknown as readonly AnyTool[];
