import { useState } from 'react';
import type { Reply } from '../../../api/families.ts';
import { fieldErrors } from '../../../api/problem.ts';
import { useChange } from '../../../api/use-change.ts';
import { Button } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { CheckField, TextField } from '../../../parts/field.tsx';
import { Failure } from '../../../parts/states.tsx';
import { settings } from '../../../text/settings.ts';
import { shell } from '../../../text/shell.ts';

export type Webhook = Reply<'webhooks', 'list'>['webhooks'][number];
type EventType = Webhook['events'][number];
const words = settings.webhook;
export const outdated = [['webhooks', 'list']];

const types = Object.keys(words.types) as EventType[];

/** A signing secret that is shown once. */
export function SigningSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title={words.secretTitle} onClose={onClose} wide>
      <div className="grid gap-3">
        <p>{words.secretOnce}</p>
        <div className="flex items-center gap-2">
          <code className="min-w-0 flex-1 rounded-md bg-bg p-2 text-xs break-all">{secret}</code>
          <Copy text={secret} />
        </div>
      </div>
    </Dialog>
  );
}

function EventChoice({
  chosen,
  error,
  onChoose,
}: {
  readonly chosen: readonly EventType[];
  readonly error: string | undefined;
  readonly onChoose: (chosen: readonly EventType[]) => void;
}) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{words.events}</legend>
      <CheckField
        label={words.allEvents}
        checked={chosen.length === types.length}
        onChange={({ currentTarget: { checked } }) => onChoose(checked ? types : [])}
      />
      <div className="grid gap-2 border-t border-line pt-2 sm:grid-cols-2">
        {types.map((type) => (
          <CheckField
            key={type}
            label={type}
            hint={words.types[type]}
            checked={chosen.includes(type)}
            onChange={({ currentTarget: { checked } }) =>
              onChoose(checked ? [...chosen, type] : chosen.filter((one) => one !== type))
            }
          />
        ))}
      </div>
      {error !== undefined && <p className="text-xs font-medium text-bad">{error}</p>}
    </fieldset>
  );
}

/** Adds a webhook and shows its secret once, or changes one. */
export function WebhookForm({
  projectId,
  webhook,
  onClose,
}: {
  readonly projectId: string;
  /** null: a new one. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}) {
  const [events, choose] = useState<readonly EventType[]>(
    webhook?.events ?? ['document.completed', 'document.failed', 'run.waiting'],
  );
  const create = useChange('webhooks', 'create', { outdated, showsError: true });
  const change = useChange('webhooks', 'change', { outdated, done: words.saved, showsError: true, onDone: onClose });
  const { error, isPending } = webhook === null ? create : change;
  const errors = fieldErrors(error);
  if (create.data !== undefined) return <SigningSecret secret={create.data.secret} onClose={onClose} />;
  return (
    <Dialog title={webhook === null ? words.add : words.edit(webhook.url)} onClose={onClose} wide>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const body = {
            url: form.get('url') as string,
            description: form.get('description') as string,
            events: [...events],
          };
          if (webhook === null) create.mutate({ body: { ...body, projectId } });
          else change.mutate({ params: { webhookId: webhook.id }, body });
        }}
      >
        <TextField
          name="url"
          type="url"
          required
          maxLength={2_048}
          label={words.url}
          hint={words.urlHint}
          placeholder="https://example.com/inkgraph"
          defaultValue={webhook?.url}
          error={errors['url']}
        />
        <TextField
          name="description"
          maxLength={200}
          label={words.description}
          defaultValue={webhook?.description}
          error={errors['description']}
        />
        <EventChoice chosen={events} error={errors['events']} onChoose={choose} />
        {error !== null && Object.keys(errors).length === 0 && <Failure error={error} />}
        <Button
          type="submit"
          look="primary"
          busy={isPending}
          disabled={events.length === 0}
          className="justify-self-end"
        >
          {webhook === null ? words.add : shell.save}
        </Button>
      </form>
    </Dialog>
  );
}
