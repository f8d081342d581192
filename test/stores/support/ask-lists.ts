import { documentSorts } from '#src/contracts/lists/document-filter.ts';
import { orderOf } from '#src/domain/documents/list-order.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { Stores } from '#test/support/database.ts';

/** Asks for every list and count of documents. */
export async function askDocumentLists({ documents }: Pick<Stores, 'documents'>, who: Tenant): Promise<void> {
  const id = 'doc_a';
  for (const filter of [{}, { apiKeyId: 'key_a' }, { tag: 'paid' }, { sha256: ['0'.repeat(64)] }]) {
    for (const order of documentSorts.map((sort) => orderOf(sort)))
      for (const place of [null, { value: order.sort === 'name' ? 'a' : 5, id }])
        await documents.list(who, { selection: filter, order }, place, 25);
    await documents.listIds(who, filter, 1_000);
    await documents.listIds(who, { ...filter, contentType: ['image/png'] }, 5);
    await documents.countMatching(who, { ...filter, status: ['failed', 'none'], contentType: ['image/png'] });
    await documents.countFacets(who, { ...filter, workflowId: 'wf_a', minConfidence: 5 }, ['type', 'key']);
  }
}

/** Asks for every list and count of runs and executions. */
export async function askRunLists({ executions }: Pick<Stores, 'executions'>, who: Tenant): Promise<void> {
  const now = new Date();
  const filters = [
    {},
    { executionId: 'exec_x' },
    { workflowId: 'wf_x' },
    { documentId: 'doc_x' },
    { apiKeyId: 'key_a' },
  ];
  for (const filter of [...filters, { status: ['waiting' as const] }, { createdAfter: '2026-01-01' }])
    for (const after of [null, { createdAt: now, id: 'run_x' }]) await executions.listRuns(who, filter, after, 25);
  for (const filter of filters) {
    await executions.countRuns(who, filter);
    await executions.executionsWith(who, filter, { createdAt: now, id: 'exec_x' }, 25);
  }
  await executions.executionsByIds(who, ['exec_x']);
}
