import type { z } from 'zod';
import { datasetLimits, SavedDataset, SaveDatasetInput } from '#src/contracts/experiments/dataset.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import {
  countReferences,
  countSplits,
  generationOf,
  type PastSplits,
  type DatasetItem,
  type DatasetRecord,
  type DatasetVersionRecord,
} from '#src/domain/experiments/dataset.ts';
import { assignSplits } from '#src/domain/experiments/split.ts';
import { newId } from '#src/domain/ids.ts';
import { presentDataset, requireDataset } from '#tools/datasets/present.ts';
import { readSource } from '#tools/datasets/read-source.ts';
import type { AskedItem } from '#tools/datasets/read-table.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

type Context = ToolContext<
  'datasets' | 'documents' | 'executions' | 'records' | 'recordTypes' | 'results' | 'search' | 'workflows'
>;
type Asked = z.output<typeof SaveDatasetInput>;

export const saveDataset = defineTool({
  name: 'save_dataset',
  description:
    'Saves documents with their right results as a dataset, or its next version. References come from people, never from a workflow under test.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: false,
  expensive: true,
  input: SaveDatasetInput,
  output: SavedDataset,
  async run(ctx: Context, asked) {
    const before = await versionBefore(ctx, asked);
    const read =
      asked.source === undefined
        ? { items: [], skipped: 0 }
        : await readSource(ctx, asked.source, before?.dataset.projectId ?? projectFor(ctx.principal, asked.projectId));
    const items = await nextItems(ctx, before?.version ?? null, [...read.items, ...asked.items], asked);
    const { dataset, version } = await recordsOf(ctx, { before, items, asked, now: new Date() });
    if (!(await ctx.deps.datasets.save(dataset, version))) throw conflict(dataset.version);
    await forgetDeleted(ctx, version);
    const known = new Set(before?.version.items.map(({ documentId }) => documentId));
    const saved = new Set(items.map(({ documentId }) => documentId));
    ctx.outcome.created = before === null;
    return {
      ...presentDataset(dataset, await ctx.deps.datasets.confirmations(dataset)),
      added: items.filter(({ documentId }) => !known.has(documentId)).length,
      removed: [...known].filter((id) => !saved.has(id)).length,
      copies: copiesIn(items),
      skipped: read.skipped,
    };
  },
});

/**
 * Removes the references of documents that were deleted meanwhile. Order matters: a deletion marks the document, then looks for versions.
 * One that marks it after this look finds the version.
 */
async function forgetDeleted({ deps }: Context, { organizationId, items }: DatasetVersionRecord): Promise<void> {
  const ids = items.filter(({ reference }) => reference !== null).map(({ documentId }) => documentId);
  const there = await deps.documents.thereAmong(organizationId, ids);
  for (const id of ids) if (!there.has(id)) await deps.datasets.redact(organizationId, id);
}

interface Before {
  readonly dataset: DatasetRecord;
  readonly version: DatasetVersionRecord;
}

/** Errors: `dataset.not_found`, `dataset.conflict`, `request.invalid` without baseVersion. */
async function versionBefore(ctx: Context, { datasetId, baseVersion }: Asked): Promise<Before | null> {
  if (datasetId === undefined) return null;
  const dataset = await requireDataset(ctx, datasetId);
  if (baseVersion === undefined)
    throw new AppError('request.invalid', 'Send baseVersion with datasetId: the version that the change is based on.', {
      errors: [{ pointer: '/baseVersion', code: 'required', message: `the newest version is ${dataset.version}` }],
    });
  if (baseVersion !== dataset.version) throw conflict(dataset.version);
  const version = await ctx.deps.datasets.findVersion(dataset.organizationId, datasetId, dataset.version);
  if (version === null) throw new Error(`${datasetId} names a version that is not there`);
  return { dataset, version };
}

function conflict(version: number): AppError {
  return new AppError(
    'dataset.conflict',
    'Another version of this dataset was saved meanwhile. Read the dataset, then save again with its version as baseVersion.',
    { errors: [{ pointer: '/baseVersion', code: 'conflict', message: `the newest version is at least ${version}` }] },
  );
}

/** Merges the given items into those of the version before. Errors: `document.not_found`, `request.invalid` (too many or none). */
async function nextItems(
  ctx: Context,
  before: DatasetVersionRecord | null,
  given: readonly AskedItem[],
  { remove, devShare, name }: Asked,
): Promise<readonly DatasetItem[]> {
  const left = new Set(remove);
  const merged = new Map(
    before?.items.filter((item) => !left.has(item.documentId)).map((item) => [item.documentId, item]),
  );
  const records = await readable(
    ctx,
    given.map(({ documentId }) => documentId),
  );
  const hashes = await ctx.deps.results.blockHashes(ctx.principal.organizationId, [...records.keys()]);
  for (const { documentId, reference, split, tags } of given) {
    const known = merged.get(documentId);
    const record = records.get(documentId);
    merged.set(documentId, {
      documentId,
      sha256: record?.sha256 ?? null,
      blockHash: hashes.get(documentId) ?? null,
      split: split ?? known?.split ?? 'dev',
      pinned: split !== undefined || known?.pinned === true,
      tags: tags ?? known?.tags ?? [],
      reference: reference ?? known?.reference ?? null,
    });
  }
  const items = [...merged.values()];
  if (items.length === 0 || items.length > datasetLimits.items)
    throw new AppError(
      'request.invalid',
      `A dataset has 1 to ${datasetLimits.items} items; this one would have ${items.length}.`,
      {
        errors: [{ pointer: '/items', code: 'invalid_value', message: `1 to ${datasetLimits.items} items` }],
      },
    );
  const chosen = new Map(given.map(({ documentId, split }) => [documentId, split]));
  const known = new Set(before?.items.map(({ documentId }) => documentId));
  const assigned = assignSplits(
    items.map(({ documentId, sha256, blockHash, split }) => ({
      documentId,
      sha256,
      blockHash,
      ...(chosen.get(documentId) !== undefined ? { split } : known.has(documentId) && { kept: split }),
    })),
    before?.datasetId ?? name ?? '',
    devShare,
  );
  const sorted = items
    .map((item) => ({ ...item, split: assigned.get(item.documentId) ?? item.split }))
    .toSorted((a, b) => (a.documentId < b.documentId ? -1 : 1));
  const bytes = Buffer.byteLength(JSON.stringify(sorted));
  if (bytes > datasetLimits.bytes)
    throw new AppError(
      'request.too_large',
      `The references have ${bytes} bytes; a dataset holds ${datasetLimits.bytes}. Split it.`,
    );
  return sorted;
}

async function readable(
  { deps, principal }: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DocumentRecord>> {
  const records = new Map((await deps.documents.findMany(principal, [...new Set(ids)])).map((one) => [one._id, one]));
  if (ids.some((id) => !records.has(id))) throw documentMissing();
  return records;
}

async function recordsOf(
  { deps, principal }: Context,
  { before, items, asked, now }: { before: Before | null; items: readonly DatasetItem[]; asked: Asked; now: Date },
): Promise<{ dataset: DatasetRecord; version: DatasetVersionRecord }> {
  const { organizationId } = principal;
  const { held, shown } =
    before === null
      ? { held: new Map<string, number>(), shown: new Set<string>() }
      : await deps.datasets.pastSplits(organizationId, before.dataset._id);
  requireSplits(items, { held, shown });
  const generation = generationOf(before?.version ?? null, items, held);
  if (before === null && asked.name === undefined)
    throw new AppError('request.invalid', 'A new dataset needs a name.', {
      errors: [{ pointer: '/name', code: 'required', message: 'name the dataset' }],
    });
  const facts = { generation, counts: countSplits(items), references: countReferences(items), updatedAt: now };
  const dataset: DatasetRecord =
    before === null
      ? {
          _id: newId('dataset', now),
          schemaVersion: 1,
          organizationId,
          projectId: projectFor(principal, asked.projectId),
          name: asked.name ?? '',
          description: asked.description ?? '',
          version: 1,
          ...facts,
          createdAt: now,
        }
      : {
          ...before.dataset,
          ...facts,
          version: before.dataset.version + 1,
          name: asked.name ?? before.dataset.name,
          description: asked.description ?? before.dataset.description,
        };
  const { _id: datasetId, version } = dataset;
  const author = principal.actorId;
  return {
    dataset,
    version: { _id: `${datasetId}@${version}`, organizationId, datasetId, version, generation, items, author, at: now },
  };
}

/**
 * A document keeps its split in all versions: the items of dev are shown to everybody, and those of the holdout to nobody. Copies are known
 * by their bytes. Error: `dataset.split_conflict`. Source: docs/decisions/0103.
 */
function requireSplits(items: readonly DatasetItem[], { held, shown }: PastSplits): void {
  for (const { documentId, sha256, split } of items) {
    const before = split === 'dev' ? held : shown;
    if (!before.has(documentId) && !before.has(sha256 ?? documentId)) continue;
    const other = split === 'dev' ? 'holdout' : 'dev';
    throw new AppError(
      'dataset.split_conflict',
      `Document ${documentId} or a copy of it was in ${other} before, and would be in ${split}. Leave it in ${other}, leave it out, or save a new dataset.`,
    );
  }
}

/** Items whose bytes are those of another item. */
function copiesIn(items: readonly DatasetItem[]): number {
  const groups = Map.groupBy(items, ({ sha256, documentId }) => sha256 ?? documentId);
  return [...groups.values()].filter((group) => group.length > 1).reduce((sum, group) => sum + group.length, 0);
}
