import { z } from 'zod';

const Check = z.object({ status: z.enum(['ok', 'degraded', 'error', 'off']), detail: z.string().optional() });

/** Source: `health.body`, docs/decisions/0014. */
export const Health = z
  .object({
    status: z.enum(['ok', 'degraded', 'error']),
    service: z.enum(['api', 'agents', 'mcp']),
    version: z.string(),
    uptimeSeconds: z.number(),
    checks: z.object({
      database: Check,
      objects: Check,
      /** `bytes` and `objects` are stored or promised in all organizations. Degraded: uploads are refused, because less than `minFreeBytes` is free. */
      storage: Check.extend({ freeBytes: z.number(), minFreeBytes: z.number(), bytes: z.int(), objects: z.int() }),
      queue: Check.extend({ depth: z.int(), oldestSeconds: z.number() }),
      search: Check,
      models: Check.extend({ describer: z.string(), textEmbeddings: z.string(), imageEmbeddings: z.string() }),
    }),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;
