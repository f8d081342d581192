import { z } from 'zod';
import { AnyId, FreeObject } from '#src/contracts/fields.ts';
import { RunDetail } from '#src/contracts/resources/execution.ts';
import { GraphNode, NodeId } from '#src/contracts/resources/graph.ts';
import { CheckIssue, VersionRef } from '#src/contracts/resources/workflow.ts';

export const TestNodePath = z.strictObject({ workflowId: AnyId, nodeId: NodeId });

/** A node of a workflow, with the state that it finds. Source: docs/decisions/0166. */
export const TestNodeBody = z.strictObject({
  documentId: AnyId,
  state: FreeObject.default({}).meta({ description: 'Channels and their values at the node' }),
  version: VersionRef.optional().describe('Default: the draft'),
  node: z
    .unknown()
    .optional()
    .pipe(GraphNode.optional())
    .describe('A node to try in its place, such as { type, config }; it is not saved'),
});
export const TestNodeInput = TestNodeBody.extend(TestNodePath.shape);

/** A run of one node. `outputs` are the channels that it wrote; `status` is `waiting` for a node that asks. */
export const TestedNode = RunDetail.pick({
  runId: true,
  executionId: true,
  status: true,
  error: true,
  waitingFor: true,
  outputs: true,
  steps: true,
}).extend({ issues: z.array(CheckIssue).describe('What the checker says of the node') });
