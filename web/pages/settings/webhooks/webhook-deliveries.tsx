import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowLeft, ChevronDown, ChevronRight, RefreshCw, Send } from 'lucide-react';
import { Fragment, useState } from 'react';
import type { Reply } from '../../../api/families.ts';
import { pages } from '../../../api/read.ts';
import { useChange } from '../../../api/use-change.ts';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { Button, IconButton } from '../../../parts/button.tsx';
import { SelectField } from '../../../parts/field.tsx';
import { Empty, Failure, Skeleton } from '../../../parts/states.tsx';
import { LoadMore, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { settings } from '../../../text/settings.ts';
import type { Webhook } from './webhook-form.tsx';

type Delivery = Reply<'webhooks', 'deliveries'>['deliveries'][number];
const words = settings.webhook;
const outdated = [['webhooks', 'deliveries']];
const statuses = ['pending', 'delivered', 'failed'] as const;
const tones: Readonly<Record<Delivery['status'], Tone>> = { pending: 'info', delivered: 'ok', failed: 'bad' };

function Bodies({ delivery }: { readonly delivery: Delivery }) {
  return (
    <tr>
      <td colSpan={6}>
        <div className="grid gap-2">
          <p className="font-medium">{words.body}</p>
          <pre
            tabIndex={0}
            className="max-h-64 overflow-auto rounded-md bg-bg p-2 font-mono text-xs whitespace-pre-wrap"
          >
            {delivery.body}
          </pre>
          {delivery.responseText !== null && delivery.responseText !== '' && (
            <>
              <p className="font-medium">{words.responseBody}</p>
              <pre
                tabIndex={0}
                dir="auto"
                className="max-h-40 overflow-auto rounded-md bg-bg p-2 font-mono text-xs whitespace-pre-wrap"
              >
                {delivery.responseText}
              </pre>
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function DeliveryRow({
  delivery,
  isOpen,
  onToggle,
  onRedeliver,
}: {
  readonly delivery: Delivery;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** null: the webhook is disabled. */
  readonly onRedeliver: (() => void) | null;
}) {
  const { id, type, status, attempts, responseStatus, error, createdAt, nextAttemptAt } = delivery;
  return (
    <tr>
      <td className="font-mono text-xs">{type}</td>
      <td>
        <Badge tone={tones[status]}>{words.statuses[status]}</Badge>
      </td>
      <td>{attempts}</td>
      <td className="text-xs">
        {responseStatus} {error !== null && <span className="block text-muted">{error}</span>}
        {nextAttemptAt !== null && attempts > 0 && (
          <span className="block text-muted">
            {words.next}: <Time at={nextAttemptAt} />
          </span>
        )}
      </td>
      <td className="text-muted">
        <Time at={createdAt} />
      </td>
      <td className="number">
        <span className="inline-flex">
          {onRedeliver !== null && (
            <IconButton size="small" label={words.redeliver(id)} onClick={onRedeliver}>
              <Send size={14} aria-hidden />
            </IconButton>
          )}
          <IconButton size="small" label={words.details(id)} aria-expanded={isOpen} onClick={onToggle}>
            {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          </IconButton>
        </span>
      </td>
    </tr>
  );
}

/** Deliveries of one webhook, newest first, with what was sent and what came back. */
export function WebhookDeliveries({ webhook, onBack }: { readonly webhook: Webhook; readonly onBack: () => void }) {
  const [status, setStatus] = useState<Delivery['status'] | undefined>(undefined);
  const [opened, open] = useState<string | null>(null);
  const params = { webhookId: webhook.id };
  const list = useInfiniteQuery(pages('webhooks', 'deliveries', { params, query: { status, limit: 25 } }));
  const test = useChange('webhooks', 'test', { outdated, done: words.tested });
  const redeliver = useChange('webhooks', 'redeliver', { outdated, done: words.redelivered });
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <>
      <h2 className="mb-3 break-all">{words.deliveriesOf(webhook.url)}</h2>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Button icon={<ArrowLeft size={14} aria-hidden />} onClick={onBack}>
          {words.back}
        </Button>
        <Button icon={<Send size={14} aria-hidden />} busy={test.isPending} onClick={() => test.mutate({ params })}>
          {words.test}
        </Button>
        <Button icon={<RefreshCw size={14} aria-hidden />} busy={list.isRefetching} onClick={() => void list.refetch()}>
          {words.refresh}
        </Button>
        <SelectField
          isQuiet
          label={words.status}
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) => setStatus(statuses.find((one) => one === value))}
        >
          <option value="">{words.anyStatus}</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {words.statuses[one]}
            </option>
          ))}
        </SelectField>
      </div>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} />}
      {list.isSuccess && deliveries.length === 0 && <Empty title={words.noDeliveriesTitle}>{words.noDeliveries}</Empty>}
      {deliveries.length > 0 && (
        <Table heads={[words.type, words.status, words.attempts, words.response, words.when, '']}>
          {deliveries.map((delivery) => (
            <Fragment key={delivery.id}>
              <DeliveryRow
                delivery={delivery}
                isOpen={opened === delivery.id}
                onToggle={() => open(opened === delivery.id ? null : delivery.id)}
                onRedeliver={
                  webhook.enabled ? () => redeliver.mutate({ params: { ...params, deliveryId: delivery.id } }) : null
                }
              />
              {opened === delivery.id && <Bodies delivery={delivery} />}
            </Fragment>
          ))}
        </Table>
      )}
      <LoadMore of={list} />
    </>
  );
}
