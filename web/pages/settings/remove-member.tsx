import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { CheckField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { settings as words } from '../../text/settings.ts';
import { shell } from '../../text/shell.ts';

type Member = Reply<'organization', 'members'>['members'][number];
type Ends = Reply<'organization', 'removeMember'>;

/** Names of what ends, by the field of the request that keeps it. */
const endsOf = ({ keys, clients, webhooks }: Ends) =>
  ({
    keepKeys: keys.filter(({ revoked }) => revoked).map(({ name }) => name),
    keepClients: clients.map(({ name }) => name),
    keepWebhooks: webhooks.map(({ url }) => url),
  }) as const;

const fields = ['keepKeys', 'keepClients', 'keepWebhooks'] as const;
type Field = (typeof fields)[number];

/** Asks before a member is removed, names what ends with them, and offers to keep it. */
export function RemoveMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const params = { memberId: member.memberId };
  const preview = useQuery(read('organization', 'removeMember', { params, query: { dryRun: true } }));
  const [kept, setKept] = useState<Readonly<Partial<Record<Field, true>>>>({});
  const remove = useChange('organization', 'removeMember', {
    outdated: [['organization']],
    done: words.removed,
    onDone: onClose,
  });
  return (
    <Confirm
      title={words.removeMemberTitle}
      words={words.removeMemberWords(member.name)}
      action={shell.remove}
      busy={remove.isPending || preview.isPending}
      onConfirm={() => remove.mutate({ params, query: kept })}
      onClose={onClose}
    >
      <Loaded query={preview}>
        {(ends) => {
          const names = endsOf(ends);
          return fields
            .filter((field) => names[field].length > 0)
            .map((field) => (
              <div key={field} className="grid gap-1">
                <p className="break-words">{words.ends[field](names[field].join(', '))}</p>
                <CheckField
                  label={words.keeps[field]}
                  onChange={({ currentTarget: { checked } }) => setKept({ ...kept, [field]: checked || undefined })}
                />
              </div>
            ));
        }}
      </Loaded>
    </Confirm>
  );
}
