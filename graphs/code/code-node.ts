import { z } from 'zod';
import { defineNode, type ChannelValues, type Literals, type NodeDefinition } from '#graphs/define.ts';

export interface CodeNodeOptions<Type extends string, Written extends Readonly<Record<string, z.ZodType>>> {
  /** Name of the node type: a-z, 0-9 and _. */
  readonly type: Type;
  readonly version?: number;
  readonly summary?: string;
  readonly reads: readonly string[];
  readonly readsIfPresent?: readonly string[];
  /** Channels that it writes, and their schemas. */
  readonly outputs: Written;
  /** Values of the written channels. The same channels must give the same values: outcomes are cached. */
  readonly run: (channels: ChannelValues) => { [Name in keyof Written]?: z.input<Written[Name]> };
}

/** A node type for a small pure function of channels, without config. Source: docs/decisions/0198. */
export function codeNode<const Type extends string, const Written extends Readonly<Record<string, z.ZodType>>>({
  type,
  version = 1,
  summary = 'Compute values in code',
  reads,
  readsIfPresent = [],
  outputs,
  run,
}: CodeNodeOptions<Type, Written>): NodeDefinition<z.ZodObject<{}, z.core.$strict>, Written> &
  Literals<Type, string, string> {
  return defineNode({
    type,
    version,
    summary,
    params: z.strictObject({}),
    reads,
    readsIfPresent,
    writes: Object.keys(outputs),
    outputs,
    pure: true,
    cheap: true,
    defaultTimeoutMs: 10_000,
    example: {},
    run: ({ state }) => Promise.resolve().then(() => ({ update: run(state) })),
  });
}
