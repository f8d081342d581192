import { z } from 'zod';
import { AnyId, Cursor, PageLimit, Timestamp } from '#src/contracts/fields.ts';
import { NodeId, StoredGraph } from '#src/contracts/resources/graph.ts';
import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import { Operations } from '#src/contracts/resources/operation.ts';
import { WebLinks } from '#src/contracts/results/web-links.ts';

/** Source: `service.workflows.slug`, docs/decisions/0158. */
const slug = z
  .string()
  .nullable()
  .describe('Stands for workflowId everywhere, such as wf_triage; null for workflows not in code');

/** Source: docs/decisions/0194. */
const toolName = z.string().nullable().describe('MCP tool that the published version is; null: none');

const WorkflowSummary = z
  .object({
    workflowId: z.string().describe('Also called agentGraphId'),
    slug,
    name: z.string(),
    description: z.string(),
    publishedVersion: z.int(),
    toolName,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Workflow' });
/** Published workflows. Source: `resource.workflow.fields`. */
export const WorkflowList = z.object({ workflows: z.array(WorkflowSummary) });

const AnyWorkflow = z
  .object({
    workflowId: z.string(),
    slug,
    name: z.string(),
    description: z.string(),
    source: z.string().describe('stored; or code, which is read-only'),
    publishedVersion: z.int().nullable().describe('null: never published'),
    toolName,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'AnyWorkflow' });
const DraftState = z
  .object({
    revision: z.int(),
    changedAt: Timestamp,
    ahead: z.boolean().describe('true: differs from the published version'),
  })
  .nullable()
  .describe('null: a workflow in code');
export const AllWorkflows = z.object({
  workflows: z.array(z.object({ ...AnyWorkflow.shape, draft: DraftState, links: WebLinks })),
  nextCursor: z.string().nullable(),
});
export const WorkflowListQuery = z.strictObject({ cursor: Cursor.optional(), limit: PageLimit.default(25) });
export const WorkflowsQuery = WorkflowListQuery.extend({
  name: z.string().trim().min(1).max(200).optional().describe('Part of the name, in any case'),
});

const versionText = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'expected draft, published or a version number')
  .transform(Number);
/** The draft, the newest published version, or a version by number. */
export const VersionRef = z.union([z.enum(['draft', 'published']), z.int().min(1).max(999_999_999), versionText]);
export type VersionRef = z.output<typeof VersionRef>;

const nodeIds = z.array(NodeId).min(1).max(100);
const detail = z.enum(['summary', 'full']);
export const WorkflowPath = z.strictObject({ workflowId: AnyId });
export const WorkflowVersionPath = z.strictObject({ workflowId: AnyId, version: versionText });
export const WorkflowQuery = z.strictObject({
  version: VersionRef.optional().describe('Default: the draft; for a workflow in code, the published version'),
  detail: detail.default('full').describe('summary omits configs, schemas and layout'),
  nodeIds: z
    .union([
      nodeIds,
      z
        .string()
        .max(10_000)
        .transform((text) => text.split(','))
        .pipe(nodeIds),
    ])
    .optional()
    .describe('Only these nodes and their edges'),
});
export const WorkflowInput = WorkflowQuery.extend(WorkflowPath.shape);

/** Any JSON here: the checker reports every issue at once, a schema would stop at the shape. */
const GraphValue = z.unknown().meta({
  type: 'object',
  description: 'A stored graph, as get_workflow returns it; schema at /api/graph.schema.json',
});
/** Accepts the operations of `update_workflow`, without a second copy of their long schema in tool lists. */
const OperationsBySchema = z
  .array(z.unknown())
  .min(1)
  .max(100)
  .pipe(Operations)
  .describe('Operations of update_workflow, applied before the check');
const note = z.string().min(1).max(500).optional().describe('Reason, for the history');
const baseVersion = z.int().min(1).max(999_999_999).describe('Revision of the draft that this edit is based on');

export const CheckIssue = z.object({
  severity: z.string(),
  code: z.string(),
  path: z.string(),
  nodeId: z.string().optional(),
  message: z.string(),
  hint: z.string(),
  fix: z.array(z.unknown()).optional().describe('Operations that fix it'),
});
const check = {
  valid: z.boolean().describe('true: the workflow can be published and run'),
  issues: z.array(CheckIssue),
  stats: z.record(z.string(), z.int()),
};
const GraphJson = z.record(z.string(), z.unknown());

/** An evaluator, without a second copy of its long schema in tool lists. */
const GateEvaluator = z.unknown().optional().pipe(EvaluatorSpec.optional());

/** Proof that a version must have before it is published. Source: docs/decisions/0099. */
export const Gate = z.strictObject({
  datasetId: AnyId.describe('Its holdout decides'),
  datasetVersion: z.int().min(1).max(999_999_999).optional().describe('Default: the newest'),
  metric: z.string().min(1).max(40).describe('Name of the metric that decides'),
  evaluator: GateEvaluator.meta({ type: 'object', description: 'Evaluator with settings' }),
  maxRegression: z.number().min(0.001).max(0.9).default(0.02).describe('Mean loss that is accepted'),
  maxHarmRate: z.number().min(0).max(1).default(0.1).describe('Share of documents that may lose harmSize or more'),
  harmSize: z.number().min(0.01).max(1).default(0.2),
});
export type Gate = z.output<typeof Gate>;

/** A workflow at one version; `revision` is that of the draft. */
export const WorkflowDetail = z.object({
  ...AnyWorkflow.shape,
  links: WebLinks,
  version: z.int().nullable(),
  revision: z.int().nullable().describe('Send as baseVersion of the next edit'),
  graphHash: z.string(),
  gate: Gate.nullable().describe('Proof that the next version needs; null: none'),
  graph: GraphJson,
  ...check,
});

export const WorkflowCheckBody = z.strictObject({
  workflowId: AnyId.optional(),
  version: VersionRef.optional(),
  graph: GraphValue.optional().describe('Instead of workflowId'),
  operations: OperationsBySchema.optional(),
});
export const WorkflowCheck = z.object({ graphHash: z.string().nullable(), ...check });

export const NodeTypesQuery = z.strictObject({
  types: z
    .union([
      z.array(z.string().max(64)).min(1).max(50),
      z
        .string()
        .max(4_000)
        .transform((text) => text.split(',')),
    ])
    .optional()
    .describe('Default: all'),
  detail: detail
    .optional()
    .describe('full adds the JSON Schema of the config and an example; default: full with types, else summary'),
});
export const NodeTypes = z.object({
  nodeTypes: z.array(
    z.object({
      type: z.string(),
      version: z.int(),
      summary: z.string(),
      reads: z.array(z.string()).describe('Channels'),
      writes: z.array(z.string()),
      config: GraphJson.optional(),
      outputs: GraphJson.optional().describe('JSON Schema of each channel that the example writes'),
      example: GraphJson.optional(),
    }),
  ),
  expressions: z
    .object({ language: z.string(), functions: z.array(z.string()) })
    .optional()
    .describe('Language of conditions, $expr and {{ }}'),
});

const authorship = {
  author: z.string(),
  surface: z.string(),
  note: z.string().nullable(),
  at: Timestamp,
};
export const WorkflowVersions = z.object({
  versions: z.array(
    z.object({
      version: z.int(),
      graphHash: z.string(),
      fromRevision: z.int().nullable(),
      ...authorship,
      evidence: z
        .object({ experimentId: z.string().nullable(), sentence: z.string() })
        .optional()
        .describe('Experiment that the gate accepted, or the reason of an override'),
    }),
  ),
  publishedVersion: z.int().nullable(),
  draft: z.object({ revision: z.int(), graphHash: z.string(), ...authorship }).nullable(),
  nextCursor: z.string().nullable(),
});
export const WorkflowVersionsInput = WorkflowListQuery.extend(WorkflowPath.shape);

export const WorkflowDiffQuery = z.strictObject({ from: VersionRef, to: VersionRef.default('draft') });
export const WorkflowDiffInput = WorkflowDiffQuery.extend(WorkflowPath.shape);
export const WorkflowDiff = z.object({
  fromHash: z.string(),
  toHash: z.string(),
  operations: z.array(z.unknown()).describe('Operations that turn from into to'),
});

export const NewWorkflow = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(4_000).optional(),
  graph: GraphValue.optional(),
  from: z
    .strictObject({ workflowId: AnyId, version: VersionRef.optional() })
    .optional()
    .describe('Copy another workflow'),
  preset: z.string().min(1).max(64).optional().describe('Copy a built-in workflow, such as wf_document_intake'),
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
  note,
});

/** Result of an edit. */
export const WorkflowChange = z.object({
  workflowId: z.string(),
  revision: z.int().describe('Send as baseVersion of the next edit'),
  graphHash: z.string(),
  dryRun: z.boolean(),
  undo: z.array(z.unknown()).describe('Operations that undo this edit'),
  ...check,
});

export const WorkflowEditBody = z.strictObject({
  baseVersion,
  operations: Operations,
  dryRun: z.boolean().default(false).describe('true: return the result without saving'),
  note,
});
export const WorkflowEditInput = WorkflowEditBody.extend(WorkflowPath.shape);

export const WorkflowRestoreBody = z.strictObject({ version: VersionRef, baseVersion, note });
export const WorkflowRestoreInput = WorkflowRestoreBody.extend(WorkflowPath.shape);

export const WorkflowPublishBody = z.strictObject({
  baseVersion,
  note,
  gate: Gate.nullable()
    .optional()
    .describe('Kept on the workflow: later versions need a confirming experiment. null removes it; owners change it'),
  override: z
    .strictObject({ reason: z.string().trim().min(10).max(500) })
    .optional()
    .describe('Owners only: publish without that proof; audited'),
});
/** A tool removes the gate by a word: models in strict modes send null for every parameter that they leave out. */
export const WorkflowPublishInput = WorkflowPublishBody.extend(WorkflowPath.shape).extend({
  gate: z
    .union([Gate, z.enum(['none'])])
    .optional()
    .describe('Proof that later versions need; none removes it; owners change it'),
});
export const PublishedWorkflow = z.object({
  workflowId: z.string(),
  version: z.int(),
  graphHash: z.string(),
  fromRevision: z.int(),
  issues: z.array(CheckIssue).describe('Warnings'),
  gate: Gate.nullable().describe('Proof that the next version needs; null: none'),
});

export const DeletedWorkflow = z.object({ workflowId: z.string(), deleted: z.literal(true) });

/** JSON Schema of a stored graph. */
export function graphJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(StoredGraph, { io: 'input' });
}
