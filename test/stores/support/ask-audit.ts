import type { Stores } from '#test/support/database.ts';

/** Every query about the audit log, and about secrets. */
export async function askAuditAndSecrets(
  { audit, secrets }: Stores,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
): Promise<void> {
  const entry = { organizationId, actor: 'a', action: 'b', target: 'c', detail: {} };
  await audit.note([entry]);
  await audit.noteOnce(entry, ['once']);
  await audit.during(entry, (deed) => deed.record(entry));
  await audit.during(entry, (deed) => deed.done());
  await audit.during(entry, async () => undefined);
  audit.count(entry);
  const place = { organizationId, projectId };
  await secrets.set(place, 'NAME', { value: 'value', hosts: ['api.example.org'] }, 'key_a');
  await secrets.bind(organizationId, projectId, 'NAME', ['api.example.org']);
  await secrets.list(organizationId, projectId);
  await secrets.reveal(organizationId, projectId, ['NAME', 'OTHER']);
  await secrets.rotate('', 10);
  await secrets.sealedElsewhere('', 10);
  await secrets.delete(organizationId, projectId, 'NAME');
}
