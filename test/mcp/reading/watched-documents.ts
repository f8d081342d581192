import { newId } from '#src/domain/ids.ts';
import { documentRecord, realtimeEvent } from '#test/support/records.ts';
import type { TestApp } from '#test/support/test-app.ts';

export const documentUri = (id: string): string => `inkgraph://documents/${id}`;

/** The id of a new document, which nobody works on. */
export async function newDocument(
  { app, seed }: TestApp,
  more: Parameters<typeof documentRecord>[0] = {},
): Promise<string> {
  const { organizationId, projectId } = seed;
  const record = documentRecord({ organizationId, projectId, ...more });
  await app.deps.documents.insert(record);
  return record._id;
}

/** Somebody described the document. */
export async function describeDocument(
  { app, seed }: TestApp,
  documentId: string,
  { log = app.deps.events, projectId = seed.projectId } = {},
): Promise<void> {
  const about = { dedupeId: newId('event'), documentId, projectId };
  await log.append([realtimeEvent(seed.organizationId, { ...about, type: 'description.upserted' })]);
}
