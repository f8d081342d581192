import type { Logger } from '#src/domain/ports/logger.ts';
import type { QuotaScope, Stored } from '#src/domain/access/quota.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { UploadStore } from '#src/stores/uploads.ts';
import type { UsagePlace, UsageStore } from '#src/stores/usage.ts';

export interface RecountParts {
  readonly organizations: Pick<OrganizationStore, 'idsAfter'>;
  readonly documents: Pick<DocumentStore, 'storedBy' | 'presentAmong'>;
  readonly uploads: Pick<UploadStore, 'promised'>;
  readonly usage: Pick<UsageStore, 'rowsOf' | 'correct'>;
  readonly logger: Logger;
}

interface Tally {
  readonly scope: QuotaScope;
  bytes: number;
  objects: number;
}

const pageSize = 500;

function addTo(tallies: Map<string, Tally>, place: UsagePlace, { bytes, objects }: Stored): void {
  const scopes: (readonly [string | null, QuotaScope])[] = [
    [place.organizationId, 'organization'],
    [place.projectId, 'project'],
    [place.apiKeyId, 'key'],
  ];
  for (const [id, scope] of scopes) {
    if (id === null) continue;
    const tally = tallies.get(id) ?? { scope, bytes: 0, objects: 0 };
    tally.bytes += bytes;
    tally.objects += objects;
    tallies.set(id, tally);
  }
}

async function tallyOf({ documents, uploads }: RecountParts, organizationId: string): Promise<Map<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (const { bytes, objects, ...place } of await documents.storedBy(organizationId))
    addTo(tallies, { organizationId, ...place }, { bytes, objects });
  for (let after = ''; ;) {
    const page = await uploads.promised(organizationId, after, pageSize);
    const acknowledged = await documents.presentAmong(page.map(({ documentId }) => documentId));
    for (const upload of page)
      if (!acknowledged.has(upload.documentId)) addTo(tallies, upload, { bytes: upload.sizeBytes, objects: 1 });
    after = page.at(-1)?._id ?? after;
    if (page.length < pageSize) return tallies;
  }
}

/** Corrects the counters of one organization. Leaves a counter that changes meanwhile to the next time. Returns the number corrected. */
async function recountUsage(parts: RecountParts, organizationId: string): Promise<number> {
  // Order matters: a counter that was read before may be corrected only if it has not changed since.
  const seen = new Map((await parts.usage.rowsOf(organizationId)).map((row) => [row._id, row]));
  const tallies = await tallyOf(parts, organizationId);
  let corrected = 0;
  for (const _id of new Set([...seen.keys(), ...tallies.keys()])) {
    const row = seen.get(_id) ?? null;
    const scope = row?.scope ?? tallies.get(_id)?.scope ?? 'organization';
    const { bytes, objects } = tallies.get(_id) ?? { bytes: 0, objects: 0 };
    if (row?.bytes === bytes && row.objects === objects) continue;
    if (await parts.usage.correct({ _id, organizationId, scope }, row, { bytes, objects })) corrected += 1;
  }
  return corrected;
}

/** Recounts every organization, one after another. A crash between an upload and its count leaves a wrong counter. */
export async function recountAll(parts: RecountParts): Promise<{ counters: number }> {
  let counters = 0;
  for (let after = ''; ;) {
    const ids = await parts.organizations.idsAfter(after, pageSize);
    for (const id of ids) counters += await recountUsage(parts, id);
    after = ids.at(-1) ?? after;
    if (ids.length < pageSize) return { counters };
  }
}
