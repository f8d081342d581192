import { z } from 'zod';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId } from '#src/domain/ids.ts';
import { defineNode } from '#graphs/define.ts';

const maxBytes = 32 * 1024;

export const emit = defineNode({
  type: 'emit',
  version: 1,
  summary: 'Send a signed webhook, publish an event on the realtime feed, or both',
  params: z
    .strictObject({
      channel: z
        .enum(['webhook', 'realtime', 'both'])
        .default('realtime')
        .describe('Destination: webhook, realtime feed, or both'),
      url: z.string().min(1).max(2_000).optional().describe('URL of the webhook, public https'),
      type: z
        .string()
        .regex(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/, 'use lower-case words joined by dots')
        .max(100)
        .default('run.emitted')
        .describe('Event type for receivers'),
      data: z
        .unknown()
        .optional()
        .describe('Payload, at most 32 KiB of JSON; values can be { "$expr": "<expression>" }'),
    })
    .refine(({ channel, url }) => channel === 'realtime' || url !== undefined, {
      path: ['url'],
      message: 'a webhook needs a URL: set "url", or set "channel" to "realtime"',
    }),
  reads: [],
  writes: [],
  pure: false,
  defaultTimeoutMs: 15_000,
  example: { channel: 'realtime', type: 'receipt.read', data: { total: { $expr: 'fields.total' } } },
  async run({ deps, run, path, params }) {
    const { channel, url, type, data = {} } = params;
    if (Buffer.byteLength(JSON.stringify(data)) > maxBytes)
      throw new AppError('workflow.invalid', `"data" is larger than ${maxBytes / 1_024} KiB of JSON. Send less.`);
    if (url !== undefined && channel !== 'realtime') {
      const { organizationId, projectId, runId, executionId, documentId } = run;
      const about = { projectId, executionId, runId, documentId, nodePath: path };
      await deps.deliver({
        // The payload is part of the id: each iteration of a loop sends its own, and a step repeated after a crash does not send twice.
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
