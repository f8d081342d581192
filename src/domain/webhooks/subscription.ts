import type { disabledReasons, WebhookEventType } from '#src/contracts/webhooks/webhook.ts';
import { derivedId, executionIdOf } from '#src/domain/ids.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { LoggedEvent, RealtimeEvent } from '#src/domain/events/events.ts';
import { isOfDraft } from '#src/domain/events/realtime.ts';

/** Subscription of a project to events. */
export interface WebhookRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly url: string;
  readonly description: string;
  readonly events: readonly WebhookEventType[];
  readonly enabled: boolean;
  readonly disabledReason: (typeof disabledReasons)[number] | null;
  /** Number of the last event of the organization's log that was looked at for this webhook. */
  readonly seq: number;
  /** Counts secrets: each is derived from the key of the installation, the id and this number. */
  readonly generation: number;
  /** Names the key of the installation that the newest secret was made with; absent: an earlier version made it. */
  readonly keyId?: string;
  /** End of the time in which the secret before this one signs too. */
  readonly previousUntil: Date | null;
  /** First failed attempt since the last delivery that arrived. */
  readonly failingSince: Date | null;
  readonly createdBy: string;
  /** User, key or program that set the present address; absent: `createdBy`. */
  readonly addressBy?: string;
  readonly createdAt: Date;
}

/** Name of a secret for `webhookSecret`. Project ids, which name the other secrets, have no spaces. */
export const secretNameOf = (id: string, generation: number): string => `${id} ${generation}`;

/** Names of the secrets that sign now: the newest first. */
export function signingNames(
  { _id, generation, previousUntil }: WebhookRecord,
  now: Date,
): readonly [newest: string, ...replaced: string[]] {
  const overlaps = previousUntil !== null && previousUntil > now && generation > 1;
  return [secretNameOf(_id, generation), ...(overlaps ? [secretNameOf(_id, generation - 1)] : [])];
}

const sameNamed = new Set<string>([
  'document.created',
  'document.changed',
  'document.deleted',
  'run.created',
  'run.completed',
  'ocr.created',
  'description.upserted',
  'segmentation.created',
  'record.changed',
  'workflow.changed',
] satisfies readonly (WebhookEventType & RealtimeEvent['type'])[]);

const isSameNamed = (type: string): type is WebhookEventType => sameNamed.has(type);
const failures = new Set<unknown>(['failed', 'timed_out']);

/** Types under which webhooks get an event of the realtime log. None for steps, experiments and runs of drafts. */
export function webhookTypesOf(
  event: Pick<RealtimeEvent, 'type' | 'data' | 'dedupeId' | 'documentId' | 'executionId'>,
): readonly WebhookEventType[] {
  const { type, data, dedupeId, documentId, executionId } = event;
  if (isOfDraft(event)) return [];
  if (type === 'run.step.changed') return dedupeId.startsWith('run.waiting:') ? ['run.waiting'] : [];
  const same = isSameNamed(type) ? [type] : [];
  if (type !== 'run.completed') return same;
  const failed = failures.has(data?.['status']);
  // The run that the upload of the document started.
  const isOfUpload = documentId !== undefined && executionId === executionIdOf(documentId);
  return [
    ...same,
    ...(failed ? (['run.failed'] as const) : []),
    ...(isOfUpload && failed ? (['document.failed'] as const) : []),
    ...(isOfUpload && data?.['status'] === 'succeeded' ? (['document.completed'] as const) : []),
  ];
}

/** Words of documents, models and people: receivers read them by the links, as long as they exist. */
const quotes = new Set(['title', 'description', 'prompt', 'data', 'waitingFor']);

/** Drops the message of an error of the operator's own code, which says what its author likes. */
function withoutWords(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('code' in value) || value.code !== 'run.node_failed')
    return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'message'));
}

const paths = [
  ['document', 'documentId', '/api/service/documents/'],
  ['execution', 'executionId', '/api/service/workflow-executions/'],
  ['run', 'runId', '/api/service/runs/'],
] as const;

/** Body of a webhook: the ids, the facts of the event without words of documents, and links into the service API. */
export function webhookPayload(type: string, event: RealtimeEvent, baseUrl: string): string {
  const { at, organizationId, projectId, documentId, executionId, runId, data = {} } = event;
  const facts = Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (quotes.has(name) ? [] : [[name, withoutWords(value)]])),
  );
  const ids = { organizationId, projectId, documentId, executionId, runId };
  const links = Object.fromEntries(
    paths.flatMap(([name, id, path]) =>
      ids[id] === undefined ? [] : [[name, new URL(`${path}${ids[id]}`, baseUrl).href]],
    ),
  );
  return JSON.stringify({ type, timestamp: at.toISOString(), data: { ...facts, ...ids, links } });
}

/** A delivery that no attempt was made for. */
export const freshDelivery = (
  { _id: endpointId, organizationId, projectId, url }: WebhookRecord,
  {
    id,
    type,
    payload,
    now,
  }: { readonly id: string; readonly type: string; readonly payload: string; readonly now: Date },
): DeliveryRecord => ({
  _id: id,
  organizationId,
  projectId,
  endpointId,
  url,
  type,
  payload,
  createdAt: now,
  attempts: 0,
  dueAt: now,
  status: 'pending',
  lastError: null,
});

/** Deliveries of an event to these webhooks, whose ids derive from event, type and webhook: creating them twice stores them once. */
export function deliveriesOf(
  event: LoggedEvent,
  webhooks: readonly WebhookRecord[],
  { baseUrl, now }: { readonly baseUrl: string; readonly now: Date },
): readonly DeliveryRecord[] {
  const types = webhookTypesOf(event);
  if (types.length === 0) return [];
  return webhooks
    .filter(({ projectId, seq }) => projectId === event.projectId && seq < event.seq)
    .flatMap((webhook) =>
      types
        .filter((type) => webhook.events.includes(type))
        .map((type) => {
          const id = derivedId('delivery', webhook._id, type, event.dedupeId);
          return freshDelivery(webhook, { id, type, payload: webhookPayload(type, event, baseUrl), now });
        }),
    );
}
