import { z } from 'zod';
import { ChannelName, ExpressionText } from '#src/contracts/resources/graph.ts';
import { defineNode } from '#graphs/define.ts';

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
  outputs: ({ set }, facts) =>
    Object.fromEntries(
      Object.entries(typeof set === 'object' && set !== null ? set : {}).map(([channel, source]) => [
        channel,
        typeof source === 'string' ? facts.expression(source) : {},
      ]),
    ),
  expressions: ['set'],
  pure: true,
  cheap: true,
  defaultTimeoutMs: 10_000,
  example: { set: { isLong: 'ocr != null && ocr.characters > 1000' } },
  async run({ params, state, computing }) {
    const values = await computing.evaluate(Object.values(params.set), state);
    return { update: Object.fromEntries(Object.keys(params.set).map((channel, at) => [channel, values[at]])) };
  },
});
