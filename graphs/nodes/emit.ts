import { z } from 'zod';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId } from '#src/domain/ids.ts';
import { defineNode } from '#graphs/define.ts';

const maxBytes = 32 * 1024;

export const emit = defineNode({
  type: 'emit',
  version: 1,
  summary: 'Tell the world: a signed webhook, an event on the realtime feed, or both',
  params: z
    .strictObject({
      channel: z.enum(['webhook', 'realtime', 'both']).default('realtime').describe('Which ways it is told'),
      url: z.string().min(1).max(2_000).optional().describe('Address of the webhook: a public https address'),
      type: z
        .string()
        .regex(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/, 'use lower-case words joined by dots')
        .max(100)
        .default('run.emitted')
        .describe('Kind of the event, as receivers tell kinds apart'),
      data: z
        .unknown()
        .optional()
        .describe('What is told; values may be { "$expr": "<expression>" }; at most 32 KiB of JSON'),
    })
    .refine(({ channel, url }) => channel === 'realtime' || url !== undefined, {
      path: ['url'],
      message: 'a webhook needs an address: give "url", or set "channel" to "realtime"',
    }),
  reads: [],
  writes: [],
  pure: false,
  defaultTimeoutMs: 15_000,
  example: { channel: 'realtime', type: 'receipt.read', data: { total: { $expr: 'fields.total' } } },
  async run({ deps, run, path, params }) {
    const { channel, url, type, data = {} } = params;
    if (Buffer.byteLength(JSON.stringify(data)) > maxBytes)
      throw new AppError('workflow.invalid', `"data" is larger than ${maxBytes / 1_024} KiB of JSON: tell less.`);
    if (url !== undefined && channel !== 'realtime') {
      const { organizationId, projectId, runId, executionId, documentId } = run;
      const about = { projectId, executionId, runId, documentId, nodePath: path };
      await deps.deliver({
        // With what is told, so that each turn of a loop is told, and a turn that runs again after a crash is not told again.
        _id: derivedId('delivery', runId, path, canonicalHash([url, type, data])),
        organizationId,
        projectId,
        url,
        type,
        payload: JSON.stringify({ type, timestamp: new Date().toISOString(), ...about, data }),
      });
    }
    if (channel !== 'webhook') await deps.announce(run, path, { type, data });
    return { update: {} };
  },
});
