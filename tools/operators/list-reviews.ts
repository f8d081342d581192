import type { z } from 'zod';
import { ReviewList, reviewsCounted, ReviewsQuery, type Review } from '#src/contracts/operators/reviews.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { titleOf, type DocumentRecord } from '#src/domain/documents/document.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRecord } from '#tools/records/present.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import type { ToolDeps } from '#tools/deps.ts';

type Context = ToolContext<'cursorSecret' | 'documents' | 'executions' | 'records' | 'thumbnails'>;
type Presented = z.input<typeof Review>;
type Waiting =
  | { readonly kind: 'question'; readonly of: RunRecord }
  | { readonly kind: 'record'; readonly of: RecordRecord };

/** The page that a question names in its data, such as `{ page: 2 }`. */
function pageOfQuestion(run: RunRecord): number | null {
  const data: unknown = run.waitingFor?.[0]?.data;
  const page = typeof data === 'object' && data !== null && 'page' in data ? data.page : null;
  return typeof page === 'number' && Number.isInteger(page) && page >= 0 ? page : null;
}

/** The page of the first cell with a problem, or of the first cell that has one. */
function pageOfRecord({ cells, problems }: RecordRecord): number | null {
  const wrong = new Set(problems.map(({ field }) => field));
  const placed = cells.filter(({ page }) => page !== null);
  return (placed.find(({ path }) => wrong.has(path)) ?? placed[0])?.page ?? null;
}

function placeOf(
  { thumbnails }: Pick<ToolDeps, 'thumbnails'>,
  { of, kind }: Waiting,
  document: DocumentRecord,
): Omit<Presented, 'kind' | 'run' | 'record'> {
  const named = kind === 'question' ? pageOfQuestion(of) : pageOfRecord(of);
  const page = named !== null && named < document.pages ? named : null;
  return {
    id: of._id,
    projectId: of.projectId,
    createdAt: of.createdAt.toISOString(),
    document: {
      documentId: document._id,
      title: titleOf(document),
      filename: document.filename ?? null,
      pages: document.pages,
      thumbnailUrl: thumbnails.url(document),
    },
    page,
    pageUrl: thumbnails.pageUrl(document, page ?? 0),
  };
}

function present(deps: Pick<ToolDeps, 'thumbnails'>, waiting: Waiting, document: DocumentRecord): Presented {
  const place = placeOf(deps, waiting, document);
  if (waiting.kind === 'record')
    return { kind: 'record', ...place, record: presentRecord(waiting.of, document, deps.thumbnails) };
  const { runId, executionId, workflowId, version, waitingFor = [] } = presentRunDetail(waiting.of, [], new Set());
  return { kind: 'question', ...place, run: { runId, executionId, workflowId, version, questions: waitingFor } };
}

const before = (a: Waiting, b: Waiting): number =>
  a.of.createdAt.getTime() - b.of.createdAt.getTime() || (a.of._id < b.of._id ? -1 : 1);

/** Source: `dashboard.reviews`, docs/decisions/0162. */
export const listReviews = defineTool({
  name: 'list_reviews',
  description:
    'Questions of waiting runs and doubtful records, oldest first. Answer with resume_run or correct_record.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: ReviewsQuery,
  output: ReviewList,
  async run({ deps, principal }: Context, { projectId, kind, limit, cursor }) {
    const { organizationId } = principal;
    // Questions are of runs: a credential that reads documents alone sees the records.
    const asksRuns = principal.scopes.has('runs:read');
    const projectIds = projectId === undefined ? principal.projectIds : [projectFor(principal, projectId)];
    const tenant = { organizationId, projectIds };
    const binding = JSON.stringify(['reviews', organizationId, projectId ?? null, kind ?? null]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    const [runs, records, question, record] = await Promise.all([
      kind === 'record' || !asksRuns ? [] : deps.executions.waitingRuns(tenant, after, limit + 1),
      kind === 'question' ? [] : deps.records.doubtful(tenant, after, limit + 1),
      asksRuns ? deps.executions.countWaiting(tenant, reviewsCounted) : 0,
      deps.records.countDoubtful(tenant, reviewsCounted),
    ]);
    const all = [
      ...runs.map((of): Waiting => ({ kind: 'question', of })),
      ...records.map((of): Waiting => ({ kind: 'record', of })),
    ].toSorted(before);
    const page = all.slice(0, limit);
    const last = all.length > limit ? page.at(-1)?.of : undefined;
    const ids = [...new Set(page.map(({ of }) => of.documentId))];
    const documents = new Map((await deps.documents.findMany(principal, ids)).map((one) => [one._id, one]));
    return {
      reviews: page.flatMap((one) => {
        // A document that was deleted a moment ago: its runs and records go too.
        const document = documents.get(one.of.documentId);
        return document === undefined ? [] : [present(deps, one, document)];
      }),
      counts: { question, record },
      nextCursor:
        last === undefined
          ? null
          : encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id }),
    };
  },
});
