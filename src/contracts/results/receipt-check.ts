import { z } from 'zod';

/** Source: docs/decisions/0174. */
export const ReceiptCheck = z
  .object({
    runId: z.string(),
    valid: z.boolean().describe('true: all values of the receipt follow from what is stored'),
    differences: z
      .array(
        z.object({
          at: z.string().describe('Path in the receipt'),
          receipt: z.unknown().describe('Value in the receipt'),
          computed: z.unknown().describe('Value that follows'),
        }),
      )
      .describe('Values that do not follow from the stored steps and outputs, the first 50'),
    unchecked: z
      .array(z.enum(['document', 'outputs']))
      .describe('Parts that were deleted, so that nothing is compared'),
    steps: z.int(),
    hash: z.string().describe('Hash of the receipt'),
  })
  .meta({ id: 'ReceiptCheck' });
