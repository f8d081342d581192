import { useQuery } from '@tanstack/react-query';
import { Lock, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { fieldErrors } from '../../api/problem.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextArea, TextField } from '../../parts/field.tsx';
import { Empty, Failure, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useProject } from '../../shell/session.ts';
import { settings as words } from '../../text/settings.ts';
import { shell } from '../../text/shell.ts';

const outdated = [['organization', 'secrets']];

function NewSecret({ projectId, onClose }: { readonly projectId: string; readonly onClose: () => void }) {
  const set = useChange('organization', 'setSecret', {
    outdated,
    done: words.secretSet,
    showsError: true,
    onDone: onClose,
  });
  const errors = fieldErrors(set.error);
  return (
    <Dialog title={words.newSecret} onClose={onClose}>
      <form
        className="grid gap-3"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const hosts = (form.get('hosts') as string).split('\n').map((line) => line.trim());
          set.mutate({
            body: {
              projectId,
              name: form.get('name') as string,
              value: form.get('value') as string,
              hosts: hosts.filter((line) => line !== ''),
            },
          });
        }}
      >
        <TextField name="name" required label={words.name} placeholder="CRM_TOKEN" error={errors['name']} />
        <TextField
          name="value"
          required
          type="password"
          autoComplete="new-password"
          label={words.secretValue}
          hint={words.secretValueHint}
          error={errors['value']}
        />
        <TextArea
          name="hosts"
          required
          rows={3}
          label={words.hosts}
          hint={words.hostsHint}
          error={Object.entries(errors).find(([name]) => name.startsWith('hosts'))?.[1]}
        />
        {set.error !== null && Object.keys(errors).length === 0 && <Failure error={set.error} />}
        <Button type="submit" look="primary" busy={set.isPending} className="justify-self-end">
          {shell.save}
        </Button>
      </form>
    </Dialog>
  );
}

/** Secrets of a project: names and hosts. No value is ever shown. */
export function SecretsSection() {
  const { one } = useProject();
  const projectId = one?.id ?? '';
  const list = useQuery({ ...read('organization', 'secrets', { query: { projectId } }), enabled: projectId !== '' });
  const [isMaking, setMaking] = useState(false);
  const remove = useChange('organization', 'deleteSecret', { outdated, done: words.secretDeleted });
  return (
    <Loaded query={list}>
      {({ secrets }) => (
        <>
          <Button className="mb-3" icon={<Lock size={14} aria-hidden />} onClick={() => setMaking(true)}>
            {words.newSecret}
          </Button>
          {secrets.length === 0 ? (
            <Empty title={words.noSecretsTitle}>{words.noSecrets}</Empty>
          ) : (
            <Table heads={[words.name, words.hosts, words.created, '']}>
              {secrets.map(({ name, hosts, createdAt }) => (
                <tr key={name}>
                  <td className="font-mono">{name}</td>
                  <td>{hosts.join(', ')}</td>
                  <td className="text-muted">
                    <Time at={createdAt} />
                  </td>
                  <td className="number">
                    <IconButton
                      size="small"
                      label={words.deleteSecret(name)}
                      onClick={() => remove.mutate({ params: { name }, query: { projectId } })}
                    >
                      <Trash2 size={14} aria-hidden />
                    </IconButton>
                  </td>
                </tr>
              ))}
            </Table>
          )}
          {isMaking && <NewSecret projectId={projectId} onClose={() => setMaking(false)} />}
        </>
      )}
    </Loaded>
  );
}
