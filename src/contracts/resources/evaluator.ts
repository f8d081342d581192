import { z } from 'zod';
export const EvaluatorSpec = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('cer'), name: z.string().optional() }),
  z.strictObject({ type: z.literal('field_match'), name: z.string().optional() }),
]);
export type EvaluatorSpec = z.output<typeof EvaluatorSpec>;
