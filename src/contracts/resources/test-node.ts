import { z } from 'zod';
import { AnyId, FreeObject } from '#src/contracts/fields.ts';
import { RunDetail, Step } from '#src/contracts/resources/execution.ts';
import { GraphNode, NodeId } from '#src/contracts/resources/graph.ts';
import { CheckIssue } from '#src/contracts/resources/workflow.ts';

export const TestNodePath = z.strictObject({ workflowId: AnyId, nodeId: NodeId });

/** A node of a workflow, with the state that it finds. Source: docs/decisions/0166. */
export const TestNodeBody = z.strictObject({
  documentId: AnyId,
  state: FreeObject.default({}).meta({ description: 'Channels at the node' }),
  node: z
    .unknown()
    .optional()
    .pipe(GraphNode.optional())
    .meta({ type: 'object', description: 'Tried in its place: { type, config }' }),
});
export const TestNodeInput = TestNodePath.extend(TestNodeBody.shape);

/** A run of one node. `outputs` are the channels that it wrote; `status` is `waiting` for a node that asks. */
export const TestedNode = RunDetail.pick({
  runId: true,
  status: true,
  error: true,
  waitingFor: true,
  outputs: true,
}).extend({
  steps: z.array(Step.pick({ nodeId: true, status: true, ms: true, requestText: true, usage: true, error: true })),
  issues: z.array(CheckIssue),
});
