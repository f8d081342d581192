import { z } from 'zod';
import type { ErrorCode } from '#src/contracts/error-codes.ts';

/** RFC 9457 problem details, as every error of the three services is told. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('Reads well on its own'),
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
    currentRevision: z.int().optional().describe('workflow.conflict: where the draft is'),
    operationsSince: z.array(z.unknown()).optional().describe('workflow.conflict: edits since the given baseVersion'),
    complete: z.boolean().optional().describe('workflow.conflict: false when there are more edits than told'),
    issues: z.array(z.unknown()).optional().describe('workflow.invalid: what the checker says'),
    keys: z.array(z.unknown()).optional().describe('workflow.bound: the keys'),
  })
  .meta({ id: 'Problem' });

/** `type` of a problem: names the row of docs/reference/errors.md, without promising a page at some address. */
export function problemType(code: ErrorCode): string {
  return `urn:inkgraph:fault:${code}`;
}
