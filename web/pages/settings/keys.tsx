import { useQuery } from '@tanstack/react-query';
import { Ban, KeyRound, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useProject, useSession } from '../../shell/session.ts';
import { settings as words } from '../../text/settings.ts';
import { IssuedSecret, NewKey } from './new-key.tsx';

type Key = Reply<'organization', 'keys'>['keys'][number];
const outdated = [['organization', 'keys']];

/** API keys: made, rotated and revoked. Secrets are shown once. */
export function KeysSection() {
  const { projects } = useSession();
  const { id: projectId } = useProject();
  const list = useQuery(read('organization', 'keys', { query: { projectId } }));
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<Key | null>(null);
  const rotate = useChange('organization', 'rotateKey', { outdated });
  const revoke = useChange('organization', 'revokeKey', {
    outdated,
    done: words.revoked,
    onDone: () => setEnding(null),
  });
  return (
    <Loaded query={list}>
      {({ keys }) => (
        <>
          <Button className="mb-3" icon={<KeyRound size={14} aria-hidden />} onClick={() => setMaking(true)}>
            {words.newKey}
          </Button>
          <Table heads={[words.name, words.kind, words.scopes, words.project, words.created, words.used, '']}>
            {keys.map((key) => (
              <tr key={key.id}>
                <td>
                  <span dir="auto">{key.name}</span>{' '}
                  {key.state !== 'live' && (
                    <Badge tone={key.state === 'rotated' ? 'info' : 'quiet'}>{words.states[key.state]}</Badge>
                  )}
                  <code className="block font-mono text-xs text-muted">{key.prefix}…</code>
                </td>
                <td>{words.kindsShort[key.kind]}</td>
                <td>
                  <span className="flex flex-wrap gap-1">
                    {key.scopes.map((scope) => (
                      <Badge key={scope}>
                        <code>{scope}</code>
                      </Badge>
                    ))}
                  </span>
                  {key.addsScopesOfKind && <p className="mt-1 text-xs text-muted">{words.addsScopes}</p>}
                </td>
                <td dir="auto">{projects.find(({ id }) => id === key.projectId)?.name}</td>
                <td className="text-muted">
                  <Time at={key.createdAt} />
                </td>
                <td className="text-muted">{key.lastUsedAt === null ? words.never : <Time at={key.lastUsedAt} />}</td>
                <td className="number">
                  {key.state === 'live' && (
                    <span className="inline-flex">
                      <IconButton
                        size="small"
                        label={words.rotate(key.name)}
                        onClick={() => rotate.mutate({ params: { keyId: key.id } })}
                      >
                        <RotateCw size={14} aria-hidden />
                      </IconButton>
                      <IconButton size="small" label={words.revoke(key.name)} onClick={() => setEnding(key)}>
                        <Ban size={14} aria-hidden />
                      </IconButton>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </Table>
          {isMaking && <NewKey onClose={() => setMaking(false)} />}
          {rotate.data !== undefined && (
            <IssuedSecret secret={rotate.data.secret} kind={rotate.data.key.kind} onClose={() => rotate.reset()} />
          )}
          {ending !== null && (
            <Confirm
              title={words.revokeTitle}
              words={words.revokeWords(ending.name)}
              action={words.revoke(ending.name)}
              busy={revoke.isPending}
              onConfirm={() => revoke.mutate({ params: { keyId: ending.id } })}
              onClose={() => setEnding(null)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
