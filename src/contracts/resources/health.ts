import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';

const Check = z.object({ status: z.enum(['ok', 'degraded', 'error', 'off']), detail: z.string().optional() });

/** Source: `health.body`, docs/decisions/0014. */
export const Health = z
  .object({
    status: z.enum(['ok', 'degraded', 'error']),
    service: z.enum(['api', 'agents', 'mcp']),
    version: z.string(),
    /** Name of this process: random at each start, in its log lines too. */
    instanceId: z.string(),
    uptimeSeconds: z.number(),
    checks: z.object({
      database: Check,
      /** `abilities`: of the S3 service, found out at the start. Absent for the store on the disk. */
      objects: Check.extend({
        abilities: z
          .object({
            writeOnce: z.boolean(),
            copyIfMatch: z.boolean(),
            batchDelete: z.boolean(),
            lifecycle: z.boolean(),
            cors: z.boolean(),
          })
          .optional(),
      }),
      /** `bytes` and `objects` are stored or promised in all organizations. Degraded: uploads are refused, because less than `minFreeBytes` is free. null: the object store tells no limit. */
      storage: Check.extend({
        freeBytes: z.number().nullable(),
        minFreeBytes: z.number().nullable(),
        bytes: z.int(),
        objects: z.int(),
      }),
      /** `oldestEventSeconds`: age of the oldest event of a document that is not relayed, such as an upload without a run. */
      queue: Check.extend({ depth: z.int(), oldestSeconds: z.number(), oldestEventSeconds: z.number() }),
      /** `quantization`: form of the vectors that VECTOR_QUANTIZATION asks for; absent: whole ones. */
      search: Check.extend({ quantization: z.enum(['scalar', 'binary']).optional() }),
      /** Absent where no Redis is configured. An error makes the service degraded: it goes on without Redis. */
      redis: Check.optional(),
      /** `contentTypes`: accepted uploads. HEIC is among them where its optional package is installed. */
      images: Check.extend({ contentTypes: z.array(z.enum(documentTypes)) }),
      models: Check.extend({ describer: z.string(), textEmbeddings: z.string(), imageEmbeddings: z.string() }),
    }),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;
