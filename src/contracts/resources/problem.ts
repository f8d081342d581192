import { z } from 'zod';
import type { ErrorCode } from '#src/contracts/error-codes.ts';

/** Body of every error response of the three services. Source: `errors.shape`, RFC 9457. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('One or two sentences: what is wrong, and what to do'),
    instance: z.string(),
    code: z.string().describe('area.reason'),
    requestId: z.string(),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON Pointer into the request'),
          code: z.string(),
          message: z.string(),
        }),
      )
      .optional(),
    currentRevision: z.int().optional().describe('workflow.conflict: revision of the draft'),
    operationsSince: z.array(z.unknown()).optional().describe('workflow.conflict: edits since baseVersion'),
    complete: z.boolean().optional().describe('workflow.conflict: false when operationsSince is truncated'),
    issues: z.array(z.unknown()).optional().describe('workflow.invalid: issues of the graph'),
    quota: z
      .object({
        scope: z.enum(['organization', 'project', 'key']),
        bytes: z.object({ used: z.int(), limit: z.int().nullable() }),
        objects: z.object({ used: z.int(), limit: z.int().nullable() }),
      })
      .optional()
      .describe('quota.exceeded, upload.too_large: figures of the quota that has no room'),
    reauthenticate: z
      .string()
      .optional()
      .describe('auth.reauthentication_required: path that takes a POST with the password'),
    keys: z.array(z.unknown()).optional().describe('workflow.bound: API keys bound to the workflow'),
  })
  .meta({ id: 'Problem' });

/** `type` of a problem: a URN, since there is no public page to link to. Its last part is a code of docs/reference/errors.md. */
export function problemType(code: ErrorCode): string {
  return `urn:inkgraph:fault:${code}`;
}
