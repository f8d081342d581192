import { useQuery } from '@tanstack/react-query';
import { ListTree, Pause, Pencil, Play, Plus, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { read } from '../../../api/read.ts';
import { useChange } from '../../../api/use-change.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { useProject } from '../../../shell/session.ts';
import { settings } from '../../../text/settings.ts';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { outdated, SigningSecret, WebhookForm, type Webhook } from './webhook-form.tsx';

const words = settings.webhook;
/** Dialog or list that is open, with the webhook that it is about. */
type Opened = {
  readonly kind: 'add' | 'edit' | 'rotate' | 'remove' | 'deliveries';
  readonly webhook: Webhook | null;
} | null;

function StateOf({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled)
    return (
      <Badge tone={webhook.disabledReason === 'request' ? 'quiet' : 'bad'}>
        {words.disabled[webhook.disabledReason ?? 'request']}
      </Badge>
    );
  if (webhook.failingSince !== null) return <Badge tone="warn">{words.failing}</Badge>;
  return <Badge tone="ok">{words.on}</Badge>;
}

function WebhookRow({
  webhook,
  onOpen,
}: {
  readonly webhook: Webhook;
  readonly onOpen: (kind: NonNullable<Opened>['kind']) => void;
}) {
  const { url, description, events, enabled, createdAt } = webhook;
  const done = enabled ? words.disabledNow : words.enabledNow;
  const change = useChange('webhooks', 'change', { outdated, done });
  return (
    <tr>
      <td className="min-w-28 sm:min-w-48">
        <button
          type="button"
          className="text-start break-all text-accent hover:underline"
          onClick={() => onOpen('deliveries')}
        >
          {url}
        </button>
        {description !== '' && (
          <span dir="auto" className="block text-xs text-muted">
            {description}
          </span>
        )}
      </td>
      <td title={events.join(', ')}>{words.eventCount(events.length)}</td>
      <td>
        <StateOf webhook={webhook} />
      </td>
      <td className="text-muted">
        <Time at={createdAt} />
      </td>
      <td className="number">
        <span className="inline-flex">
          <IconButton size="small" label={words.deliveriesOf(url)} onClick={() => onOpen('deliveries')}>
            <ListTree size={14} aria-hidden />
          </IconButton>
          <IconButton size="small" label={words.edit(url)} onClick={() => onOpen('edit')}>
            <Pencil size={14} aria-hidden />
          </IconButton>
          <IconButton
            size="small"
            label={enabled ? words.disable(url) : words.enable(url)}
            onClick={() => change.mutate({ params: { webhookId: webhook.id }, body: { enabled: !enabled } })}
          >
            {enabled ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          </IconButton>
          <IconButton size="small" label={words.rotate(url)} onClick={() => onOpen('rotate')}>
            <RotateCw size={14} aria-hidden />
          </IconButton>
          <IconButton size="small" label={words.remove(url)} onClick={() => onOpen('remove')}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        </span>
      </td>
    </tr>
  );
}

function RotateDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const rotate = useChange('webhooks', 'rotate', { outdated });
  if (rotate.data !== undefined) return <SigningSecret secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Confirm
      title={words.rotateTitle}
      words={words.rotateWords}
      action={words.rotateAction}
      busy={rotate.isPending}
      onConfirm={() => rotate.mutate({ params: { webhookId: webhook.id }, body: {} })}
      onClose={onClose}
    />
  );
}

function RemoveDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const remove = useChange('webhooks', 'remove', { outdated, done: words.removed, onDone: onClose });
  return (
    <Confirm
      title={words.removeTitle}
      words={words.removeWords(webhook.url)}
      action={words.removeAction}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { webhookId: webhook.id } })}
      onClose={onClose}
    />
  );
}

/** Webhooks of a project: added, changed, tried and deleted, each with its deliveries. */
export function WebhooksSection() {
  const { one } = useProject();
  const projectId = one?.id ?? '';
  const list = useQuery({ ...read('webhooks', 'list', { query: { projectId } }), enabled: projectId !== '' });
  const [opened, open] = useState<Opened>(null);
  const close = (): void => open(null);
  const { kind, webhook } = opened ?? { kind: null, webhook: null };
  if (projectId === '') return <Empty title={settings.sections.webhooks}>{words.oneProject}</Empty>;
  return (
    <Loaded query={list}>
      {({ webhooks }) => {
        if (kind === 'deliveries' && webhook !== null)
          return <WebhookDeliveries webhook={webhooks.find(({ id }) => id === webhook.id) ?? webhook} onBack={close} />;
        return (
          <>
            <Button
              className="mb-3"
              icon={<Plus size={14} aria-hidden />}
              onClick={() => open({ kind: 'add', webhook: null })}
            >
              {words.add}
            </Button>
            {webhooks.length === 0 ? (
              <Empty title={words.noneTitle}>{words.none}</Empty>
            ) : (
              <Table heads={[words.url, words.events, words.state, settings.created, '']}>
                {webhooks.map((row) => (
                  <WebhookRow key={row.id} webhook={row} onOpen={(next) => open({ kind: next, webhook: row })} />
                ))}
              </Table>
            )}
            {(kind === 'add' || kind === 'edit') && (
              <WebhookForm projectId={projectId} webhook={webhook} onClose={close} />
            )}
            {kind === 'rotate' && webhook !== null && <RotateDialog webhook={webhook} onClose={close} />}
            {kind === 'remove' && webhook !== null && <RemoveDialog webhook={webhook} onClose={close} />}
          </>
        );
      }}
    </Loaded>
  );
}
