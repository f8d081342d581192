import { AnyId } from '#src/contracts/fields.ts';
import {
  DeletedDocuments,
  DocumentsBody,
  RestoreResult,
  Trash,
  TrashQuery,
  TrashResult,
} from '#src/contracts/operators/trash.ts';
import { chosenDocuments } from '#src/contracts/lists/chosen-documents.ts';
import { z } from 'zod';
import { projectFor } from '#src/domain/access/principal.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { titleOf, type DocumentRecord } from '#src/domain/documents/document.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { chooseDocuments, goOn } from '#tools/documents/lists/choose-documents.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

const dayMs = 86_400_000;
/** Documents of one call that are moved at the same time. */
const atOnce = 8;

type Moving = ToolContext<'audit' | 'documents' | 'limits' | 'relay' | 'trash'>;
type Filtering = ToolContext<'cursorSecret' | 'recordTypes' | 'records'>;

const purgeAt = (trashedAt: Date, days: number): string => new Date(trashedAt.getTime() + days * dayMs).toISOString();

/** Moves documents a few at a time, and hands each to the relay, which completes the move. Returns those that were moved. */
async function moveAll(
  { deps }: Moving,
  ids: readonly string[],
  move: (id: string) => Promise<DocumentRecord | null>,
): Promise<readonly DocumentRecord[]> {
  const moved: DocumentRecord[] = [];
  for (let at = 0; at < ids.length; at += atOnce) {
    const done = await Promise.all(ids.slice(at, at + atOnce).map(move));
    for (const document of done) {
      if (document === null) continue;
      moved.push(document);
      deps.relay(document);
    }
  }
  return moved;
}

const targetOf = (ids: readonly string[]): string => (ids.length === 1 ? (ids[0] ?? '') : `${ids.length} documents`);

/** One id of a path, many of a body, or those that match a filter. */
const OneManyOrFilter = z.strictObject({ id: AnyId.optional(), ...chosenDocuments });
/** One id of a path, or many of a body. */
const OneOrMany = z.strictObject({ id: AnyId.optional(), documentIds: DocumentsBody.shape.documentIds.optional() });
const idsOf = ({ id, documentIds }: z.output<typeof OneOrMany>): readonly string[] =>
  documentIds ?? (id === undefined ? [] : [id]);

export const trashDocuments = defineTool({
  name: 'trash_documents',
  description:
    'Move documents, or those that match a filter, to the trash: hidden from every list, search and read, and restored by restore_documents until they are deleted. Their runs are canceled.',
  scope: 'documents:write',
  effect: 'destroy',
  idempotent: false,
  input: OneManyOrFilter,
  output: TrashResult,
  async run(ctx: Moving & Filtering, { id, ...asked }) {
    const { deps, principal, requestId } = ctx;
    const chosen = await chooseDocuments(ctx, 'trash', id === undefined ? asked : { documentIds: [id] });
    const { ids } = chosen;
    const isNamed = asked.filter === undefined;
    // All or nothing: with one foreign id, no document moves.
    if (isNamed && (await deps.documents.countOwned(principal, ids)) !== ids.length) throw documentMissing();
    const at = new Date();
    const moved = await moveAll(ctx, ids, (one) => deps.trash.put(principal, one, { by: principal.actorId, at }));
    if (ids.length > 0) await record(ctx, 'document.trash', targetOf(ids), { documentIds: ids, requestId });
    return {
      documents: moved.map(({ _id }) => ({
        id: _id,
        trashedAt: at.toISOString(),
        purgeAt: purgeAt(at, deps.limits.trashDays),
      })),
      ...goOn(chosen),
    };
  },
});

export const restoreDocuments = defineTool({
  name: 'restore_documents',
  description:
    'Take documents out of the trash, with the documents derived from them. Runs that were canceled stay so.',
  scope: 'documents:write',
  effect: 'write',
  idempotent: false,
  input: OneOrMany,
  output: RestoreResult,
  async run(ctx: Moving, asked) {
    const { deps, principal, requestId } = ctx;
    const ids = idsOf(asked);
    if ((await deps.trash.countOf(principal, ids)) !== ids.length) throw documentMissing();
    const at = new Date();
    const moved = await moveAll(ctx, ids, (id) => deps.trash.restore(principal, id, at));
    await record(ctx, 'document.restore', targetOf(ids), { documentIds: ids, requestId });
    return { documents: moved.map(({ _id }) => ({ id: _id, restored: true as const })) };
  },
});

export const deleteDocuments = defineTool({
  name: 'delete_documents',
  description:
    'Delete documents permanently, in the trash or not, with their results and the documents made from them.',
  scope: 'documents:write',
  effect: 'destroy',
  idempotent: true,
  input: DocumentsBody,
  output: DeletedDocuments,
  async run(ctx: Moving, { documentIds }) {
    const { deps, principal, requestId } = ctx;
    if ((await deps.trash.countAnywhere(principal, documentIds)) !== documentIds.length) throw documentMissing();
    const at = new Date();
    const deleted = await moveAll(ctx, documentIds, (id) => deps.documents.markDeletedAnywhere(principal, id, at));
    await record(ctx, 'document.delete', targetOf(documentIds), { documentIds, requestId });
    return { documents: deleted.map(({ _id }) => ({ id: _id, deleted: true as const })) };
  },
});

/** Source: `dashboard.trash`, docs/decisions/0164. */
export const listTrash = defineTool({
  name: 'list_trash',
  description: 'Documents in the trash, the last first, and the time at which each is deleted permanently.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: TrashQuery,
  output: Trash,
  async run({ deps, principal }: ToolContext<'cursorSecret' | 'limits' | 'trash'>, { projectId, limit, cursor }) {
    const { organizationId } = principal;
    const { trashDays } = deps.limits;
    const projectIds = projectId === undefined ? principal.projectIds : [projectFor(principal, projectId)];
    const binding = JSON.stringify(['trash', organizationId, projectId ?? null]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    const found = await deps.trash.list({ organizationId, projectIds }, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      documents: page.map((document) => ({
        id: document._id,
        projectId: document.projectId,
        title: titleOf(document),
        filename: document.filename ?? null,
        contentType: document.contentType,
        sizeBytes: document.sizeBytes,
        pages: document.pages,
        createdAt: document.createdAt.toISOString(),
        trashedAt: document.trash.at.toISOString(),
        trashedBy: document.trash.by,
        purgeAt: purgeAt(document.trash.at, trashDays),
      })),
      retentionDays: trashDays,
      nextCursor:
        last === undefined
          ? null
          : encodeCursor(deps.cursorSecret, binding, { createdAt: last.trash.at, id: last._id }),
    };
  },
});
