import { z } from 'zod';
import { ChannelName, ExpressionText } from '#src/contracts/resources/graph.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { Fault } from '#src/domain/fault.ts';
import { defineNode, type ChannelValues } from '#graphs/define.ts';
import { parseExpression } from '#graphs/expression/expression.ts';

const maxBytes = 64 * 1024;

/** The expression's value, when it is JSON; `of` names it in faults. Throws `expression.failed`. */
export function evaluated(source: string, state: ChannelValues, of: string): unknown {
  const value = parseExpression(source).evaluate(state);
  let text: string;
  try {
    text = canonicalJson(value);
  } catch (error) {
    throw new Fault('expression.failed', `The value of "${of}" is nothing that JSON can say.`, { cause: error });
  }
  if (Buffer.byteLength(text) <= maxBytes) return value;
  throw new Fault('expression.failed', `The value of "${of}" is larger than ${maxBytes / 1_024} KiB of JSON.`);
}

export const transform = defineNode({
  type: 'transform',
  version: 1,
  summary: 'Compute channels from other channels with expressions',
  params: z.strictObject({
    set: z
      .record(ChannelName, ExpressionText)
      .refine((set) => Object.keys(set).length > 0, 'name at least one channel')
      .describe('Channels, and the expression whose value each is given; all see the state from before this node'),
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
    for (const [channel, source] of Object.entries(params.set)) update[channel] = evaluated(source, state, channel);
    return Promise.resolve({ update });
  },
});
