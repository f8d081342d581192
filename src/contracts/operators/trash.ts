import { z } from 'zod';
import { choosing, chosenDocuments, DocumentIds, MoreDocuments } from '#src/contracts/lists/chosen-documents.ts';
import { documentTypes } from '#src/contracts/media-types.ts';
import { AnyId, Cursor, PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';

/** Documents for one call; all of them or none. */
export const DocumentsBody = z.strictObject({ documentIds: DocumentIds });

/** Documents to put in the trash. */
export const TrashBody = choosing(z.strictObject(chosenDocuments));

const TrashedDocument = z.object({
  id: z.string(),
  projectId: z.string(),
  title: z.string().nullable().describe('Untrusted'),
  filename: z.string().nullable().describe('Untrusted'),
  contentType: z.enum(documentTypes),
  sizeBytes: z.int(),
  pages: z.int(),
  createdAt: Timestamp,
  trashedAt: Timestamp,
  trashedBy: z.string().describe('Id of the user, key or program'),
  purgeAt: Timestamp.describe('It is deleted permanently at about this time'),
});

export const TrashQuery = z.strictObject({
  projectId: AnyId.optional().describe('Default: all your projects'),
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});
/** Source: `dashboard.trash`, docs/decisions/0164. */
export const Trash = z
  .object({
    documents: z.array(TrashedDocument).describe('Last put there first; without those derived from them'),
    retentionDays: z.int(),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'Trash' });

export const TrashResult = z.object({
  documents: z.array(z.object({ id: z.string(), trashedAt: Timestamp, purgeAt: Timestamp })),
  ...MoreDocuments,
});
export const RestoreResult = z.object({ documents: z.array(z.object({ id: z.string(), restored: z.literal(true) })) });
export const DeletedDocuments = z.object({
  documents: z.array(z.object({ id: z.string(), deleted: z.literal(true) })),
});
