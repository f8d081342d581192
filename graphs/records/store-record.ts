import { recordLimits } from '#src/contracts/records/record-type.ts';
import type { NodeComputing } from '#graphs/compute/computing.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import { brokenRules } from '#graphs/records/broken-rules.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { FoundField } from '#src/domain/extract-locally/field.ts';
import { correctCells, mergeCells, problemsOf, statusOf, type Changes } from '#src/domain/records/change.ts';
import { facetsOf } from '#src/domain/records/facets.ts';
import { cellsOf } from '#src/domain/records/from-fields.ts';
import { pathsOf, type RecordTypeRecord } from '#src/domain/records/record-type.ts';
import { recordId, type CellRecord, type RecordRecord } from '#src/domain/records/record.ts';
import { valuesOf } from '#src/domain/records/values.ts';

/** Attempts to store a record that others change at the same time. */
const attempts = 5;

interface Parts {
  readonly deps: Pick<NodeDeps, 'records'>;
  readonly run: RunFacts;
  /** Path of the node in the run. */
  readonly path: string;
  readonly computing: NodeComputing;
}

type Next = Pick<RecordRecord, 'cells' | 'corrections'> & { readonly confirmed: boolean };

/** Stores the next revision; `change` is called again when somebody else was faster. null leaves the record as it is. */
async function put(
  { deps, run, computing }: Parts,
  type: RecordTypeRecord,
  change: (before: RecordRecord | null) => Next | null,
): Promise<RecordRecord> {
  const { organizationId, projectId, documentId } = run;
  const _id = recordId(documentId, type._id);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const before = await deps.records.find({ organizationId, projectIds: [projectId] }, _id);
    const next = change(before);
    if (next === null && before !== null) return before;
    if (next === null) break;
    const { cells, corrections, confirmed } = next;
    const values = valuesOf(cells, type.fields);
    const problems = problemsOf(cells, type, await brokenRules(type.rules, values, computing));
    const now = new Date();
    const record: RecordRecord = {
      _id,
      organizationId,
      projectId,
      documentId,
      recordTypeId: type._id,
      recordType: type.name,
      typeVersion: type.version,
      status: statusOf(problems, confirmed),
      problems,
      cells,
      corrections,
      revision: (before?.revision ?? 0) + 1,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    const facets = facetsOf(cells, pathsOf(type.fields));
    if (await deps.records.save({ ...record, values, facets })) return record;
  }
  throw new AppError('record.conflict', 'The record is being changed by others. The step is tried again.');
}

/** Stores what was found, once for each document and type. Values that people or agents gave stay, and so do confirmed records. */
export function storeFound(
  parts: Parts,
  type: RecordTypeRecord,
  found: Readonly<Record<string, FoundField>>,
  by: CellRecord['by'],
): Promise<RecordRecord> {
  const cells = cellsOf(found, type.fields, { by, at: new Date(), runId: parts.run.runId });
  return put(parts, type, (before) => {
    if (before?.status === 'confirmed') return null;
    return {
      cells: before === null ? cells : mergeCells(before, cells),
      corrections: before?.corrections ?? [],
      confirmed: false,
    };
  });
}

/** Stores the answer of a reviewer, and confirms the record. Error: `request.invalid` for a value that does not fit. */
export function storeAnswer(parts: Parts, type: RecordTypeRecord, changes: Changes): Promise<RecordRecord> {
  const by = { by: 'person', actorId: `${parts.run.runId}/${parts.path}`, at: new Date() } as const;
  return put(parts, type, (before) => {
    // An attempt that was interrupted after it stored the answer: a row must not be removed twice.
    if (before?.corrections.some(({ actorId }) => actorId === by.actorId) === true) return null;
    const changed = correctCells(before?.cells ?? [], type.fields, changes, by);
    const corrections = [...(before?.corrections ?? []), ...changed.corrections].slice(-recordLimits.corrections);
    return { cells: changed.cells, corrections, confirmed: true };
  });
}
