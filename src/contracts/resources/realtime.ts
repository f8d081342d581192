import { z } from 'zod';

const IdList = z
  .string()
  .max(10_000)
  .transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))])
  .pipe(z.array(z.string().max(128)).min(1).max(100));

export const RealtimeQuery = z.strictObject({
  lastEventId: z.string().max(100).optional().describe('Used when the header Last-Event-ID is absent'),
  projectIds: IdList.optional().describe('Only events of these projects, comma-separated'),
});
