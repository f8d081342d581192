import { z } from 'zod';
import { ChannelName, ExpressionText } from '#src/contracts/resources/graph.ts';
import { defineNode } from '#graphs/define.ts';
import { parseExpression } from '#graphs/expression/expression.ts';

export const transform = defineNode({
  type: 'transform',
  version: 1,
  summary: 'Compute channels with expressions over other channels',
  params: z.strictObject({
    set: z
      .record(ChannelName, ExpressionText)
      .refine((set) => Object.keys(set).length > 0, 'name at least one channel')
      .describe('Expression for each channel; all expressions see the state before this node'),
  }),
  reads: [],
  writes: [],
  channels: ({ set }) => ({ writes: typeof set === 'object' && set !== null ? Object.keys(set) : [] }),
  expressions: ['set'],
  pure: true,
  cheap: true,
  defaultTimeoutMs: 10_000,
  example: { set: { isLong: 'ocr != null && ocr.characters > 1000' } },
  run({ params, state }) {
    const update: Record<string, unknown> = {};
    for (const [channel, source] of Object.entries(params.set))
      update[channel] = parseExpression(source).evaluate(state);
    return Promise.resolve({ update });
  },
});
