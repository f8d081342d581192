import { z } from 'zod';
import { AnyId } from '#src/contracts/fields.ts';
import { Execution, ExecutionBody } from '#src/contracts/resources/execution.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import { laneOf } from '#src/domain/runs/queue.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { callerIdOf, projectFor } from '#src/domain/access/principal.ts';
import { misspelt } from '#graphs/check/nearest.ts';
import { unstorable } from '#src/domain/storable.ts';
import type { CheckDeps } from '#tools/workflows/check-workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { ownUploads } from '#tools/own-uploads.ts';
import { selectionOf } from '#tools/documents/lists/list-page.ts';
import { documentMissing } from '#tools/documents/require-document.ts';
import { invalidInput } from '#tools/call.ts';
import { idempotent } from '#tools/idempotent.ts';
import { startedBy, startExecution } from '#tools/runs/start-execution.ts';
import { chosenDraft } from '#tools/runs/drafts/chosen-draft.ts';
import { chosenVersion } from '#tools/runs/chosen-version.ts';
import { waitForExecution } from '#tools/runs/wait-for-execution.ts';

type Body = z.output<typeof ExecutionBody> & { readonly projectId?: string | undefined };
type Chosen = 'documentIds' | 'projectId';
type Choosing = ToolContext<'documents' | 'recordTypes' | 'records'>;
const scopeLimit = 1_000;

/** Documents to run over. Errors: `document.not_found`; `request.invalid` for too many documents, or for several projects. */
async function chosenDocuments(ctx: Choosing, body: Body): Promise<Pick<ExecutionRecord, Chosen>> {
  if (body.documentIds !== undefined) return placed(ctx, body.documentIds, body.projectId);
  const { deps, principal } = ctx;
  const { organizationId } = principal;
  const own = ownUploads(principal, body.scope?.apiKeyBound === true, '/scope/apiKeyBound');
  const filter = body.scope?.filter ?? {};
  if (own.apiKeyId !== undefined && filter.apiKeyId !== undefined)
    throw invalidInput([
      { pointer: '/scope/filter/apiKeyId', code: 'conflict', message: 'apiKeyBound is the key: send one of them' },
    ]);
  const projectId = body.projectId ?? filter.projectId;
  const place =
    projectId === undefined ? principal : { organizationId, projectIds: [projectFor(principal, projectId)] };
  const selection = await selectionOf(ctx, { ...filter, ...own, projectId }, '/scope/filter');
  const documentIds = await deps.documents.listIds(place, selection, scopeLimit + 1);
  if (documentIds.length <= scopeLimit)
    return principal.keyId === null
      ? placed(ctx, documentIds, projectId)
      : { documentIds, projectId: projectFor(principal, projectId) };
  const message = `matches more than ${scopeLimit} documents, the maximum: list them and pass documentIds in parts`;
  throw new AppError('request.invalid', `scope ${message}.`, {
    errors: [{ pointer: '/scope', code: 'too_big', message }],
  });
}

/**
 * Chooses the project of an execution, whose secrets it uses and whose members see it: the named project, else that of the key, else that
 * of the documents.
 */
export async function placed(
  { deps, principal }: ToolContext<'documents'>,
  documentIds: readonly string[],
  named: string | undefined,
): Promise<Pick<ExecutionRecord, Chosen>> {
  const projects = await deps.documents.projectsOf(principal, documentIds);
  if (projects.size !== documentIds.length) throw documentMissing();
  if (named !== undefined || principal.projectIds.length === 1 || principal.keyId !== null)
    return { documentIds, projectId: projectFor(principal, named) };
  const [projectId, ...more] = new Set(projects.values());
  // Public documents can belong to a project that the caller cannot access.
  if (projectId !== undefined && more.length === 0 && principal.projectIds.includes(projectId))
    return { documentIds, projectId };
  const way = principal.session === null ? ', or projectId' : '';
  const message = `name documents of one project, at least one${way}`;
  throw invalidInput([{ pointer: '/documentIds', code: 'several_projects', message }]);
}

async function createExecution(
  ctx: Choosing & ToolContext<CheckDeps | 'announce' | 'executions' | 'thumbnails' | 'wake'>,
  body: Body,
  id: string,
): Promise<z.input<typeof Execution>> {
  const { principal } = ctx;
  const started = startedBy(ctx);
  if (body.documentIds !== undefined)
    ctx.deps.executions.lookAhead(laneOf({ source: started.source, documentIds: body.documentIds }));
  const choosing = chosenDocuments(ctx, body);
  // Awaited below, so that a missing workflow is always the first error, whichever read is faster.
  choosing.catch(() => undefined);
  const { workflowId, version = null, revision } = body;
  const chosen =
    version === 'draft' ? await chosenDraft(ctx, workflowId, revision) : await chosenVersion(ctx, workflowId, version);
  if (body.initialState !== undefined) await refuseMisspelt(ctx, body.initialState, { ...chosen, id: workflowId });
  const { documentIds, projectId } = await choosing;
  const wanted: ExecutionRecord = {
    _id: id,
    schemaVersion: 1,
    organizationId: principal.organizationId,
    projectId,
    workflowId,
    ...chosen,
    ...started,
    documentIds,
    initialState: body.initialState ?? null,
    ...(body.callbackUrl === undefined ? {} : { callbackUrl: body.callbackUrl, callbackPending: true }),
    createdAt: new Date(),
  };
  return startExecution(ctx, wanted);
}

/** Rejects a callback URL now that every later delivery would refuse unnoticed, and any for a draft, of which nobody else hears. */
function refuseCallback({ deps }: ToolContext<'outbound'>, { callbackUrl, version }: Body): void {
  if (callbackUrl !== undefined && version === 'draft') {
    const message = 'runs of a draft send no webhook: leave it out, and read the execution';
    throw invalidInput([{ pointer: '/callbackUrl', code: 'of_draft', message }]);
  }
  const problem = callbackUrl === undefined ? null : deps.outbound.refuses(callbackUrl);
  if (problem !== null) throw invalidInput([{ pointer: '/callbackUrl', code: 'outbound_refused', message: problem }]);
}

/**
 * Refuses a key that is almost a channel of the workflow, which would have no effect. Other keys are free-form. Source:
 * `service.executions.initial_state.misspelt`, docs/decisions/0023.
 */
async function refuseMisspelt(
  { deps, principal }: ToolContext<'workflows'>,
  initialState: object,
  { id, version }: { readonly id: string; readonly version: number | null },
): Promise<void> {
  const found = version === null ? null : await deps.workflows.findVersion(principal.organizationId, id, version);
  const keys = Object.keys(initialState);
  // A channel that the body has itself is meant by its own name.
  const channels = Object.keys(found?.graph.state ?? {}).filter((name) => !keys.includes(name));
  const errors = keys.flatMap((key) => {
    const isChannel = found !== null && Object.hasOwn(found.graph.state, key);
    const meant = isChannel ? null : misspelt(key, channels);
    if (meant === null) return [];
    const pointer = `/initialState/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [
      { pointer, code: 'misspelt', message: `the workflow has the channel ${meant}: use that name, or another key` },
    ];
  });
  if (errors.length > 0) throw invalidInput(errors);
}

function refuseUnstorable(initialState: Body['initialState']): void {
  const found = unstorable(initialState, '/initialState');
  if (found === null) return;
  const { pointer, message } = found;
  throw new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
    errors: [{ pointer, code: 'unstorable', message }],
  });
}

export const runWorkflow = defineTool({
  name: 'run_workflow',
  description:
    'Run a workflow over documents, one run for each: give documentIds, or scope for all that match. Example: {"workflowId": "wf_document_intake", "documentIds": ["doc_1"], "waitSeconds": 25}',
  scope: 'runs:execute',
  effect: 'write',
  audit: false,
  idempotent: false,
  expensive: true,
  input: ExecutionBody.safeExtend({
    projectId: AnyId.optional().describe('Project of the execution; default: that of the documents'),
    waitSeconds: z.int().min(0).max(25).default(0).describe('Seconds to wait for the end'),
  }),
  output: Execution,
  async run(
    ctx: ToolContext<
      | CheckDeps
      | 'announce'
      | 'documents'
      | 'events'
      | 'executions'
      | 'idempotency'
      | 'outbound'
      | 'recordTypes'
      | 'records'
      | 'steps'
      | 'stopping'
      | 'wake'
      | 'thumbnails'
    >,
    { waitSeconds, ...body },
  ) {
    const { idempotencyKey, ...input } = body;
    refuseUnstorable(input.initialState);
    refuseCallback(ctx, input);
    if (idempotencyKey === undefined) {
      const execution = await createExecution(ctx, input, newId('execution'));
      return waitSeconds === 0 ? execution : waitForExecution(ctx, execution.id, waitSeconds, 'end');
    }
    const request = { endpoint: 'workflow-executions', key: idempotencyKey, body: input };
    const reply = await idempotent(ctx, request, async (fingerprint) => {
      // The input is part of the id, so that an execution left behind by a failed request is not returned for another one.
      const { organizationId } = ctx.principal;
      const id = derivedId('execution', organizationId, callerIdOf(ctx.principal), idempotencyKey, fingerprint);
      return { status: 202, body: await createExecution(ctx, input, id) };
    });
    const execution = Execution.parse(reply.body);
    return waitSeconds === 0 ? execution : waitForExecution(ctx, execution.id, waitSeconds, 'end');
  },
});
