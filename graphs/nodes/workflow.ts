import { z } from 'zod';
import { own } from '#src/contracts/own.ts';
import { ChannelName } from '#src/contracts/resources/graph.ts';
import { defineNode, type NodeIo } from '#graphs/define.ts';
import { insideOf } from '#graphs/typing/json-schema.ts';

export const workflow = defineNode({
  type: 'workflow',
  version: 1,
  summary: 'Run another workflow of the project on the same document, with separate state',
  params: z.strictObject({
    workflowId: z.string().min(1).max(128).describe('Workflow to run; it must not run this workflow again'),
    version: z.int().min(1).describe('Version to run; fixed, so that runs stay repeatable'),
    input: z
      .record(ChannelName, z.unknown())
      .default({})
      .describe('Initial state of the workflow; { "$expr": "..." } takes values from this state'),
    outputs: z
      .record(ChannelName, ChannelName)
      .default({})
      .describe('Channels to write, each with the name of an output of the other workflow'),
  }),
  reads: [],
  writes: [],
  channels: ({ outputs }): Partial<NodeIo> => ({
    writes: typeof outputs === 'object' && outputs !== null ? Object.keys(outputs) : [],
  }),
  outputs({ workflowId, version, outputs }, facts) {
    if (typeof workflowId !== 'string' || typeof version !== 'number') return {};
    const known = facts.workflow(workflowId, version);
    if (known === null || typeof outputs !== 'object' || outputs === null) return {};
    return Object.fromEntries(
      Object.entries(outputs).map(([channel, name]) => {
        const schema = typeof name === 'string' ? own(known, name) : undefined;
        return [channel, schema === undefined ? {} : insideOf(schema, (one) => ({ anyOf: [one, { type: 'null' }] }))];
      }),
    );
  },
  pure: false,
  defaultTimeoutMs: 3_600_000,
  example: { workflowId: 'wf_of_the_project', version: 1, outputs: { fields: 'fields' } },
  async run(call) {
    const { workflowId, version, input, outputs } = call.params;
    const outcome = await call.runWorkflow({ workflowId, version, initialState: input });
    if (outcome.status === 'waiting') return { update: {}, wait: 'inside' };
    const update: Record<string, unknown> = {};
    for (const [channel, name] of Object.entries(outputs)) update[channel] = outcome.outputs[name] ?? null;
    return { update };
  },
});
