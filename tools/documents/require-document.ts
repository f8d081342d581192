import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { Fault } from '#src/domain/fault.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** Another tenant's id and an unknown id get the same answer. */
export function documentMissing(): Fault {
  return new Fault('document.not_found', 'No document with this id is readable with this credential.');
}

export async function requireDocument(
  { documents }: Pick<ToolDeps, 'documents'>,
  tenant: Tenant,
  id: string,
): Promise<DocumentRecord> {
  const found = await documents.find(tenant, id);
  if (found === null) throw documentMissing();
  return found;
}
