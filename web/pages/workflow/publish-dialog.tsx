import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../parts/field.tsx';
import { Failure, Loaded } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { useCan, useSession } from '../../shell/session.ts';
import { shell } from '../../text/shell.ts';
import { workflows as words } from '../../text/workflows.ts';
import type { Operation } from './edit/editor.ts';
import { OperationList } from './edit/operation-list.tsx';
import { GateFields } from './gate-fields.tsx';

type Workflow = Reply<'workflows', 'get'>;

/** Changes that new runs will see. */
function Changes({ workflow }: { readonly workflow: Workflow }) {
  const { workflowId, publishedVersion } = workflow;
  const diff = useQuery({
    ...read('workflows', 'diff', { params: { workflowId }, query: { from: 'published', to: 'draft' } }),
    enabled: publishedVersion !== null,
  });
  if (publishedVersion === null) return <p>{words.publishFirst}</p>;
  return (
    <section className="grid gap-1.5">
      <h3>{words.publishChanges}</h3>
      <Loaded query={diff} lines={2}>
        {({ operations }) =>
          operations.length === 0 ? (
            <p className="text-muted">{words.publishSame}</p>
          ) : (
            <OperationList operations={operations as Operation[]} />
          )
        }
      </Loaded>
    </section>
  );
}

/** API keys whose uploads start this workflow: they use the new version at once. */
function BoundKeys({ workflowId }: { readonly workflowId: string }) {
  const canSee = useCan('keys:manage');
  const keys = useQuery({ ...read('organization', 'keys', {}), enabled: canSee });
  const bound = keys.data?.keys.filter((key) => key.agentGraphId === workflowId && key.revokedAt === null) ?? [];
  if (!canSee || keys.data === undefined) return null;
  return (
    <section className="grid gap-1">
      <h3>{words.keysBound}</h3>
      {bound.length === 0 ? (
        <p className="text-muted">{words.keysNone}</p>
      ) : (
        <ul className="list-inside list-disc">
          {bound.map((key) => (
            <li key={key.id} dir="auto">
              {key.name}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Publishes the draft: what changes, whom it concerns, and the proof that its gate asks for. */
export function PublishDialog({ workflow, onClose }: { readonly workflow: Workflow; readonly onClose: () => void }) {
  const { workflowId, revision, gate, publishedVersion } = workflow;
  const client = useQueryClient();
  const { credential } = useSession();
  const [note, setNote] = useState('');
  const [isForced, force] = useState(false);
  const [reason, setReason] = useState('');
  const [nextGate, chooseGate] = useState<typeof gate | undefined>(undefined);
  const publish = useMutation({
    mutationFn: () =>
      call('workflows', 'publish', {
        params: { workflowId },
        body: {
          baseVersion: revision ?? 1,
          ...(note.trim() !== '' && { note: note.trim() }),
          ...(isForced && { override: { reason } }),
          ...(nextGate !== undefined && { gate: nextGate }),
        },
      }),
    onSuccess: async ({ version }) => {
      toast(words.publishedAs(version));
      onClose();
      await client.invalidateQueries({ queryKey: ['workflows'] });
    },
    onError: (error) => {
      if (error instanceof Problem && error.code === 'workflow.conflict')
        void client.invalidateQueries({ queryKey: ['workflows'] });
    },
  });
  const isOwner = 'role' in credential && credential.role === 'owner';
  return (
    <Dialog
      title={words.publishTitle}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button look="primary" busy={publish.isPending} onClick={() => publish.mutate()}>
            {words.publish}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <p className="text-muted">{words.publishLead((publishedVersion ?? 0) + 1)}</p>
        {publish.error !== null && <Failure error={publish.error} />}
        <Changes workflow={workflow} />
        <TextArea
          label={words.note}
          hint={words.noteHint}
          rows={2}
          maxLength={500}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        {gate !== null && (
          <section className="grid gap-2 rounded-lg border border-line p-3">
            <h3>{words.gate}</h3>
            <p>{words.gateLead(gate.metric)}</p>
            {isOwner && (
              <CheckField
                label={words.gateOverride}
                checked={isForced}
                onChange={({ currentTarget }) => force(currentTarget.checked)}
              />
            )}
            {isForced && (
              <TextField
                label={words.gateReason}
                hint={words.gateReasonHint}
                value={reason}
                minLength={10}
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
              />
            )}
          </section>
        )}
        {(gate === null || isOwner) && (
          <details className="rounded-lg border border-line p-3">
            <summary className="cursor-pointer font-medium">{words.gateChange}</summary>
            <div className="mt-3 grid gap-3">
              <p className="text-muted">{words.gateChangeHint}</p>
              <GateFields gate={nextGate === undefined ? gate : nextGate} onChange={chooseGate} />
            </div>
          </details>
        )}
        <BoundKeys workflowId={workflowId} />
      </div>
    </Dialog>
  );
}
